package recording

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/images/recorder/record"
)

// script is a recorder that gives prepared answers, then empty ones like the last.
type script struct {
	mu      sync.Mutex
	answers []func() (mark.Batch, error)
	asked   []Position
	last    mark.Batch
}

func (s *script) fetch(_ context.Context, from Position, _ time.Duration) (mark.Batch, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, from)
	if len(s.answers) == 0 {
		s.last.Records, s.last.Clock = nil, time.Now().UnixNano()
		return s.last, nil
	}
	answer := s.answers[0]
	s.answers = s.answers[1:]
	batch, err := answer()
	if err == nil {
		batch.Clock = time.Now().UnixNano()
		s.last = batch
	}
	return batch, err
}

// batch returns an answer with the records from first to last. The time of record n is n*1000.
func batch(epoch string, first, last, dropped uint64) func() (mark.Batch, error) {
	b := mark.Batch{Epoch: epoch, Dropped: dropped, Last: last}
	for seq := first; seq <= last; seq++ {
		b.Records = append(b.Records, mark.Record{Seq: seq, At: int64(seq) * 1000})
	}
	return func() (mark.Batch, error) { return b, nil }
}

func failure() (mark.Batch, error) { return mark.Batch{}, errors.New("no route to host") }

// got is what a reader passed on.
type got struct {
	mu     sync.Mutex
	seqs   []uint64
	losses []Loss
	unread []Unread
}

func (g *got) sink() Sink {
	return Sink{
		Records: func(records []mark.Record) {
			g.mu.Lock()
			defer g.mu.Unlock()
			for _, record := range records {
				g.seqs = append(g.seqs, record.Seq)
			}
		},
		Loss:   func(l Loss) { g.mu.Lock(); defer g.mu.Unlock(); g.losses = append(g.losses, l) },
		Unread: func(o Unread) { g.mu.Lock(); defer g.mu.Unlock(); g.unread = append(g.unread, o) },
	}
}

// follow reads until the reader has everything up to now, and stops it.
func follow(t *testing.T, fetch Fetch, out *got) *Reader {
	t.Helper()
	g := NewWithT(t)
	reader := NewReader(fetch, out.sink(), Often)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	done := make(chan struct{})
	go func() { defer close(done); reader.Follow(ctx) }()
	g.Expect(reader.Drained(ctx, time.Now())).To(Succeed())
	cancel()
	<-done
	return reader
}

func TestReadsEachRecordOnceAndConfirms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		answers := []func() (mark.Batch, error){batch("a", 1, 3, 0), batch("a", 4, 4, 0), batch("a", 5, 6, 0)}
		s := &script{answers: answers}
		var out got
		follow(t, s.fetch, &out)
		g.Expect(out.seqs).To(Equal([]uint64{1, 2, 3, 4, 5, 6}))
		g.Expect(out.losses).To(BeEmpty())
		g.Expect(out.unread).To(BeEmpty())
		// The reader asks after each pollPause, until recordLag has passed.
		g.Expect(s.asked).To(Equal([]Position{{}, {"a", 3}, {"a", 4}, {"a", 6}, {"a", 6}}))
	})
}

func TestLosses(t *testing.T) {
	for name, c := range map[string]struct {
		answers []func() (mark.Batch, error)
		seqs    []uint64
		losses  []Loss
		why     string
	}{
		"memory full": {
			answers: []func() (mark.Batch, error){batch("a", 1, 2, 0), batch("a", 6, 7, 5)},
			seqs:    []uint64{1, 2, 6, 7},
			losses:  []Loss{{From: 3, To: 5, After: 2000, Before: 6000}}, why: "memory was full",
		},
		"another reader": {
			answers: []func() (mark.Batch, error){batch("a", 1, 2, 0), batch("a", 4, 4, 0)},
			seqs:    []uint64{1, 2, 4},
			losses:  []Loss{{From: 3, To: 3, After: 2000, Before: 4000}}, why: "another reader",
		},
		"before the first answer": {
			answers: []func() (mark.Batch, error){batch("a", 6, 7, 5), batch("a", 8, 8, 5)},
			seqs:    []uint64{6, 7, 8},
		},
		"after an empty first answer": {
			answers: []func() (mark.Batch, error){
				func() (mark.Batch, error) { return mark.Batch{Epoch: "a", Last: 5}, nil }, batch("a", 8, 8, 0)},
			seqs: []uint64{8}, losses: []Loss{{From: 6, To: 7, Before: 8000}}, why: "another reader",
		},
		"recorder restarted": {
			answers: []func() (mark.Batch, error){batch("a", 1, 2, 0), batch("b", 1, 1, 0)},
			seqs:    []uint64{1, 2, 1}, losses: []Loss{{After: 2000}}, why: "restarted",
		},
		"restarted and full": {
			answers: []func() (mark.Batch, error){batch("a", 1, 2, 0), batch("b", 4, 4, 3)},
			seqs:    []uint64{1, 2, 4},
			losses:  []Loss{{After: 2000}, {From: 1, To: 3, Before: 4000}}, why: "restarted",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				var out got
				follow(t, (&script{answers: c.answers}).fetch, &out)
				g.Expect(out.seqs).To(Equal(c.seqs))
				g.Expect(out.losses).To(HaveLen(len(c.losses)))
				for i, loss := range out.losses {
					if i == 0 {
						g.Expect(loss.Why).To(ContainSubstring(c.why))
						g.Expect(loss.String()).To(ContainSubstring("lost"))
					}
					if loss.From == 0 {
						g.Expect(time.Since(time.Unix(0, loss.Before))).To(BeNumerically("<", 10*time.Second))
						loss.Before = 0
					}
					loss.Why = ""
					g.Expect(loss).To(Equal(c.losses[i]))
				}
			})
		})
	}
}

func TestAnUnreadTimeIsReportedAndLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		var out got
		answers := []func() (mark.Batch, error){batch("a", 1, 2, 0), failure, failure, batch("a", 3, 3, 0)}
		follow(t, (&script{answers: answers}).fetch, &out)
		g.Expect(out.seqs).To(Equal([]uint64{1, 2, 3}))
		g.Expect(out.losses).To(BeEmpty())
		g.Expect(out.unread).To(HaveLen(1))
		g.Expect(out.unread[0].Err).To(MatchError("no route to host"))
		g.Expect(out.unread[0].To.Sub(out.unread[0].From)).To(BeNumerically(">=", 2*retryPause))
	})
}

func TestDrainedGivesUpWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		fail := func(context.Context, Position, time.Duration) (mark.Batch, error) { return failure() }
		reader := NewReader(fail, (&got{}).sink(), Often)
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		g.Expect(reader.Drained(ctx, time.Now())).To(MatchError(context.DeadlineExceeded))
		_, known := reader.Place(time.Now())
		g.Expect(known).To(BeFalse())
	})
}

// serve runs a real recorder behind the pod proxy of an API server.
func serve(t *testing.T) (recorder *record.Recorder, marks, apiServer string) {
	t.Helper()
	g := NewWithT(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	g.Expect(err).NotTo(HaveOccurred())
	recorder = record.New(record.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- recorder.TakeMarks(ctx, listener) }()
	t.Cleanup(func() { cancel(); <-done })
	server := httptest.NewServer(http.StripPrefix(prefix, recorder.Reader()))
	t.Cleanup(server.Close)
	return recorder, listener.Addr().String(), server.Listener.Addr().String()
}

const prefix = "/api/v1/namespaces/podclock/pods/recorder-x:7412/proxy"

func core(t *testing.T, address string) rest.Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: "http://" + address})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return client.CoreV1().RESTClient()
}

func throughProxy(t *testing.T, address string) Fetch {
	t.Helper()
	return ThroughAPIServer(core(t, address), "podclock", "recorder-x")
}

func speak(t *testing.T, address string) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	_, _ = conn.Write([]byte(`{"pod":"a/b","uid":"u","container":"c","role":"run"}` + "\n"))
	_, _ = conn.Read(make([]byte, 100))
	_ = conn.Close()
}

func TestReadsARealRecorder(t *testing.T) {
	g := NewWithT(t)
	recorder, marks, address := serve(t)
	speak(t, marks)
	var out got
	reader := follow(t, throughProxy(t, address), &out)
	g.Expect(out.seqs).To(Equal([]uint64{1, 2}))
	// The recorder runs in this process. Its clock must be where the reader places it.
	before := recorder.Now()
	instant := time.Now()
	after := recorder.Now()
	place, known := reader.Place(instant)
	g.Expect(known).To(BeTrue())
	g.Expect(place.At + int64(place.Error)).To(BeNumerically(">=", before))
	g.Expect(place.At - int64(place.Error)).To(BeNumerically("<=", after))
}

func TestRejectsAnotherPod(t *testing.T) {
	g := NewWithT(t)
	_, _, address := serve(t)
	_, err := ThroughAPIServer(core(t, address), "podclock", "another")(context.Background(), Position{}, 0)
	g.Expect(err).To(MatchError(ContainSubstring("podclock/another")))
}

func TestStrangersAreNoRecorders(t *testing.T) {
	for text, want := range map[string]string{"hello": "another version", "{}": "no epoch"} {
		t.Run(text, func(t *testing.T) {
			g := NewWithT(t)
			server := httptest.NewServer(
				http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) }),
			)
			defer server.Close()
			fetch := throughProxy(t, server.Listener.Addr().String())
			_, err := fetch(context.Background(), Position{}, 0)
			g.Expect(err).To(MatchError(And(ContainSubstring("podclock/recorder-x"), ContainSubstring(want))))
		})
	}
	g := NewWithT(t)
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, err := throughProxy(t, server.Listener.Addr().String())(context.Background(), Position{}, 0)
	g.Expect(apierrors.IsNotFound(err)).To(BeTrue(), "%v", err)
}
