package play

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
)

// The handlers, as in mark.ProbeDetail.
const (
	ByExec = "exec"
	ByHTTP = "http"
	ByTCP  = "tcp"
	ByGRPC = "grpc"
)

// Probes counts a main process' probes, and answers them from the script. Other requests it marks.
type Probes struct {
	run      victim.Run
	recorder Recorder
	requests *requests
	// closed after the last liveness probe before the process exits
	enough chan struct{}

	mu       sync.Mutex
	seen     map[string]int
	answered int
}

// NewProbes returns the probes of a new life.
func NewProbes(run victim.Run, recorder Recorder) *Probes {
	return &Probes{
		run: run, recorder: recorder, requests: &requests{recorder: recorder}, enough: make(chan struct{}),
		seen: map[string]int{},
	}
}

// Arrived counts and marks a probe, and returns its answer and index. The handler is one of ByExec to ByGRPC.
func (p *Probes) Arrived(probe, handler string, at time.Time) (answer victim.Answer, index int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	index = p.seen[probe]
	p.seen[probe]++
	answer = p.run.Script(probe).At(p.recorder.Life(), index)
	if answer.HTTPOnly() && handler != ByHTTP || answer.HasStatus() && handler != ByHTTP && handler != ByGRPC {
		answer = victim.Fail
	}
	// under the lock, so that marks have the order of the script
	p.recorder.Mark(
		mark.Probed, at,
		mark.Detail{Probe: &mark.ProbeDetail{For: probe, Handler: handler, Index: index, Answer: answer.String()}},
	)
	return answer, index
}

// Done records that a probe was answered, or that the prober gave up.
func (p *Probes) Done(probe string) {
	if probe != victim.Liveness {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answered++
	if p.answered == p.run.ExitAfterProbesIn(p.recorder.Life()) {
		close(p.enough)
	}
}

// Next returns the answer to the next probe.
func (p *Probes) Next(probe string) victim.Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.run.Script(probe).At(p.recorder.Life(), p.seen[probe])
}

// Wait waits for a hanging or slow answer. It returns false if the prober has given up.
func (p *Probes) Wait(ctx context.Context, answer victim.Answer) bool {
	switch answer {
	case victim.Hang:
		<-ctx.Done()
		return false
	case victim.SlowAnswer:
		return Sleep(ctx, p.run.Slow)
	}
	return true
}

// ExecResult returns the exit code and the output of an exec probe's process.
func ExecResult(probe string, answer victim.Answer) (code int, output string) {
	if answer == victim.Fail {
		return 1, fmt.Sprintf("%s: the script says fail\n", probe)
	}
	return 0, ""
}
