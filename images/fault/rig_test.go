//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/images/recorder/record"
)

// program is the real program; the tests run it as processes of its own.
var program string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "fault-test-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() { _ = os.RemoveAll(dir) }()
		program = filepath.Join(dir, "fault")
		build := exec.Command("go", "build", "-o", program, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "building the fault program: %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

// bound limits the wait of a test. On an idle machine it takes milliseconds.
const bound = 20 * time.Second

// rig is one container and the recorder of its node.
type rig struct {
	t        *testing.T
	g        *WithT
	recorder *record.Recorder
	address  string
	uid      string
}

var uids atomic.Int64

func newRig(t *testing.T) *rig {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return rigOn(t, listener)
}

func rigOn(t *testing.T, listener net.Listener) *rig {
	r := &rig{t: t, g: NewWithT(t), recorder: record.New(record.Options{}), address: listener.Addr().String()}
	r.uid = fmt.Sprintf("uid-%d-%d", os.Getpid(), uids.Add(1))
	r.serve(listener)
	return r
}

func (r *rig) serve(listener net.Listener) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.recorder.TakeMarks(ctx, listener) }()
	r.t.Cleanup(func() { cancel(); <-done })
}

type process struct {
	*exec.Cmd
	rig  *rig
	text bytes.Buffer
	over chan struct{}
}

// start runs the program with the arguments, as a process of the rig's container.
func (r *rig) start(args ...string) *process {
	r.t.Helper()
	p := &process{Cmd: exec.Command(program, args...), rig: r, over: make(chan struct{})}
	p.Env = []string{
		victim.EnvRecorder + "=" + r.address, victim.EnvPod + "=trials/pod",
		victim.EnvUID + "=" + r.uid, victim.EnvContainer + "=main",
	}
	p.Stdout, p.Stderr = &p.text, &p.text
	r.g.Expect(p.Start()).To(Succeed())
	go func() { _ = p.Wait(); close(p.over) }()
	r.t.Cleanup(func() { _ = p.Process.Kill(); <-p.over })
	return p
}

// life starts a main process and waits for its mark Started.
func (r *rig) life(run victim.Run) *process {
	r.t.Helper()
	before := len(r.all(mark.Started))
	p := r.start(run.Args()...)
	r.awaitWhile(p, mark.Started, before+1)
	return p
}

// exit waits for the end of the process.
func (p *process) exit() int {
	p.rig.t.Helper()
	select {
	case <-p.over:
		return p.ProcessState.ExitCode()
	case <-time.After(bound):
		p.rig.t.Fatalf("%q still runs after %s", p.Args, bound)
		return -1
	}
}

func (p *process) alive() bool {
	select {
	case <-p.over:
		return false
	default:
		return true
	}
}

// records are all that the recorder has.
func (r *rig) records() []mark.Record {
	answer := httptest.NewRecorder()
	r.recorder.Reader().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, mark.ReaderPath, nil))
	var batch mark.Batch
	r.g.Expect(json.Unmarshal(answer.Body.Bytes(), &batch)).To(Succeed())
	return batch.Records
}

func (r *rig) all(kind mark.Kind) (found []mark.Record) {
	for _, record := range r.records() {
		if record.Kind == kind {
			found = append(found, record)
		}
	}
	return found
}

// await waits until there are n records of the kind and gives the last.
func (r *rig) await(kind mark.Kind, n int) mark.Record {
	r.t.Helper()
	return r.awaitWhile(nil, kind, n)
}

// awaitWhile is await that fails soon after the process ends without the mark. The process may be nil.
func (r *rig) awaitWhile(p *process, kind mark.Kind, n int) mark.Record {
	r.t.Helper()
	var ended time.Time
	for start := time.Now(); time.Since(start) < bound; time.Sleep(time.Millisecond) {
		if found := r.all(kind); len(found) >= n {
			return found[n-1]
		}
		switch {
		case p == nil || p.alive():
		case ended.IsZero():
			ended = time.Now()
		case time.Since(ended) > time.Second: // its last mark may arrive after its end
			r.t.Fatalf("the process ended before record %d %q:\n%s", n, kind, p.text.String())
		}
	}
	r.t.Fatalf("no %d records %q after %s, but %v", n, kind, bound, r.records())
	return mark.Record{}
}

// kinds are the kinds of all records of one role, in order.
func (r *rig) kinds(role mark.Role) (kinds []mark.Kind) {
	for _, record := range r.records() {
		if record.Role == role {
			kinds = append(kinds, record.Kind)
		}
	}
	return kinds
}

// probed are the probes seen, as "liveness 0 S http", as soon as there are n: a prober can have its answer
// before the recorder has the mark.
func (r *rig) probed(n int) (seen []string) {
	r.t.Helper()
	if n > 0 {
		r.await(mark.Probed, n)
	}
	for _, record := range r.all(mark.Probed) {
		p := record.Detail.Probe
		seen = append(seen, fmt.Sprintf("%s %d %s %s", p.For, p.Index, p.Answer, p.Handler))
	}
	return seen
}

// ports are those that the kernel gives nobody by itself: net.ipv4.ip_local_port_range begins at 32768.
var ports = func() *atomic.Int32 {
	first := new(atomic.Int32)
	first.Store(10000 + rand.Int32N(20000))
	return first
}()

// freePort returns a port without a listener. It gives each port once, and none that a connection of another test can
// take before the victim listens.
func freePort(t *testing.T) int {
	t.Helper()
	for range 100 {
		port := int(ports.Add(1))
		if listener, err := net.Listen("tcp", fmt.Sprintf(":%d", port)); err == nil {
			_ = listener.Close()
			return port
		}
	}
	t.Fatalf("no free port among the 100 below %d", ports.Load())
	return 0
}
