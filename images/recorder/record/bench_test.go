package record

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/node/recording"
)

// BenchmarkMarks sends marks, one write each, over the loopback to a recorder, as fast as it takes them,
// while a reader follows it by HTTP on the same machine. The target is 50,000 marks/s recorded; read/s is
// the rate at which they were in the reader's hands.
func BenchmarkMarks(b *testing.B) {
	const senders = 16
	recorder := New(Options{MaxBytes: 1 << 30}) // nothing holds the senders back, so what is not read yet must be kept
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	taking := make(chan error, 1)
	go func() { taking <- recorder.TakeMarks(ctx, listener) }()
	server := httptest.NewServer(recorder.Reader())
	defer server.Close()

	read := 0
	reader := recording.NewReader(direct(server.Listener.Addr().String()), recording.Sink{
		Records: func(records []mark.Record) {
			for _, record := range records {
				if record.Kind == mark.Probed {
					read++
				}
			}
		},
		Loss: func(l recording.Loss) { b.Error(l) },
	}, recording.Often)
	following := make(chan struct{})
	go func() { defer close(following); reader.Follow(ctx) }()

	text, err := json.Marshal(mark.Line{N: 1, Kind: mark.Probed, Sent: time.Now().UnixNano(), Detail: mark.Detail{
		Probe: &mark.ProbeDetail{For: "liveness", Handler: "http", Answer: "F"}}})
	if err != nil {
		b.Fatal(err)
	}
	text = append(text, '\n')
	conns := make([]net.Conn, senders)
	for i := range conns {
		conns[i] = join(b, listener.Addr().String(), i)
	}
	began := time.Now()
	b.ResetTimer()
	var sending sync.WaitGroup
	for i, conn := range conns {
		sending.Go(func() {
			for n := i; n < b.N; n += senders {
				if _, err := conn.Write(text); err != nil {
					b.Error(err)
					return
				}
			}
			_ = conn.Close()
		})
	}
	sending.Wait()
	for recorder.lastSeq() < uint64(b.N+2*senders) { // every connection adds its beginning and its end
		time.Sleep(100 * time.Microsecond)
	}
	elapsed := b.Elapsed()
	b.StopTimer()
	if err := reader.Drained(ctx, time.Now()); err != nil {
		b.Fatal(err)
	}
	reading := time.Since(began)
	cancel()
	<-following
	if err := <-taking; err != nil {
		b.Fatal(err)
	}
	if read != b.N {
		b.Fatalf("%d marks sent, %d read", b.N, read)
	}
	b.ReportMetric(float64(b.N)/elapsed.Seconds(), "marks/s")
	b.ReportMetric(float64(b.N)/reading.Seconds(), "read/s")
}

func (r *Recorder) lastSeq() uint64 {
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	return r.store.last
}

func join(b *testing.B, address string, number int) net.Conn {
	b.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		b.Fatal(err)
	}
	hello := mark.Hello{
		Identity: mark.Identity{
			Pod:       "bench/pod-" + strconv.Itoa(number),
			UID:       strconv.Itoa(number),
			Container: "main",
			Role:      mark.Run,
		},
	}
	if err := json.NewEncoder(conn).Encode(hello); err != nil {
		b.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1024)); err != nil {
		b.Fatal(err)
	}
	return conn
}

// BenchmarkMemory is the resident memory of the real program with 200 victims connected, which send a mark
// each ten times a second to a reader that follows. The target is 30 MB.
func BenchmarkMemory(b *testing.B) {
	const victims = 200
	program := filepath.Join(b.TempDir(), "recorder")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("building the recorder: %v\n%s", err, out)
	}
	cmd := exec.Command(program, "--marks-address=127.0.0.1:0", "--reader-address=127.0.0.1:0")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	printed := make([]byte, 1024)
	n, err := stdout.Read(printed)
	if err != nil {
		b.Fatal(err)
	}
	addresses := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindAllString(string(printed[:n]), 2)
	if len(addresses) != 2 {
		b.Fatalf("the recorder printed %q", printed[:n])
	}
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	sink := recording.Sink{Records: func([]mark.Record) {}}
	reader := recording.NewReader(direct(addresses[1]), sink, recording.Often)
	go reader.Follow(ctx)
	conns := make([]net.Conn, victims)
	for i := range conns {
		conns[i] = join(b, addresses[0], i)
	}
	peak := 0.0
	for b.Loop() {
		for number := 1; number <= 20; number++ {
			for _, conn := range conns {
				if err := json.NewEncoder(conn).Encode(mark.Line{N: number, Kind: mark.SIGTERM}); err != nil {
					b.Fatal(err)
				}
			}
			time.Sleep(100 * time.Millisecond)
			peak = max(peak, resident(b, cmd.Process.Pid))
		}
	}
	b.ReportMetric(peak, "MB")
}

// resident is the resident memory of a process in MB.
func resident(b *testing.B, pid int) float64 {
	b.Helper()
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmRSS:" {
			kB, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				b.Fatal(err)
			}
			return kB * 1024 / 1e6
		}
	}
	b.Fatal("no VmRSS in /proc/PID/status")
	return 0
}

// direct asks the recorder at an address without an API server.
func direct(address string) recording.Fetch {
	return func(ctx context.Context, from recording.Position, wait time.Duration) (batch mark.Batch, err error) {
		url := fmt.Sprintf("http://%s%s?epoch=%s&after=%d&wait=%v",
			address, mark.ReaderPath, from.Epoch, from.After, wait)
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return batch, err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return batch, err
		}
		defer func() { _ = response.Body.Close() }()
		return batch, json.NewDecoder(response.Body).Decode(&batch)
	}
}
