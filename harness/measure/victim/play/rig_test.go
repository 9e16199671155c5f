package play

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
)

// rig is one process in virtual time, and what it marked.
type rig struct {
	*WithT
	ctx   context.Context
	kill  context.CancelFunc
	life  int
	start time.Time

	mu    sync.Mutex
	marks []string
}

// inBubble runs a test in virtual time, on a process of the first life. It is over when every goroutine is.
func inBubble(t *testing.T, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{WithT: NewWithT(t), life: 1, start: time.Now()}
		r.ctx, r.kill = context.WithCancel(t.Context())
		defer r.kill()
		test(r)
	})
}

func (r *rig) Life() int { return r.life }

// Mark notes a mark as its virtual time, its kind and what it says.
func (r *rig) Mark(kind mark.Kind, at time.Time, detail mark.Detail) {
	text := fmt.Sprintf("%s %s", at.Sub(r.start), kind)
	if detail.ExitCode != nil {
		text += fmt.Sprintf(" %d", *detail.ExitCode)
	}
	if p := detail.Probe; p != nil {
		text += fmt.Sprintf(" %s %d %s %s", p.For, p.Index, p.Answer, p.Handler)
	}
	if detail.Note != "" {
		text += ": " + detail.Note
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.marks = append(r.marks, text)
}

func (r *rig) marked() []string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.marks
}

// now is the virtual time since the start.
func (r *rig) now() time.Duration { return time.Since(r.start) }

// until sleeps up to a virtual time since the start.
func (r *rig) until(at time.Duration) { time.Sleep(at - r.now()) }

// pipes listens in memory.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 80} }

func (p *pipes) dial(ctx context.Context) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.closed:
		return nil, io.ErrClosedPipe
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// serve runs a server beside the test, on a listener of its own. What it returned is in the channel when it has.
func serve(server func(net.Listener) error) (*pipes, <-chan error) {
	listener, over := newPipes(), make(chan error, 1)
	go func() { over <- server(listener) }()
	return listener, over
}

func TestWhatAnExecProbePrints(t *testing.T) {
	t.Parallel()
	for answer, want := range map[victim.Answer]int{victim.Succeed: 0, victim.SlowAnswer: 0, victim.Fail: 1} {
		code, output := ExecResult(victim.Startup, answer)
		NewWithT(t).Expect(code).To(Equal(want))
		NewWithT(t).Expect(output == "").To(Equal(want == 0))
	}
}
