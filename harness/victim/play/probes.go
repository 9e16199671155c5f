package play

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/victim"
)

// The handlers, as mark.ProbeDetail spells them.
const (
	ByExec = "exec"
	ByHTTP = "http"
	ByTCP  = "tcp"
	ByGRPC = "grpc"
)

// Probes counts every probe that reaches a main process, whichever way it comes, and answers it from the script.
type Probes struct {
	run      victim.Run
	recorder Recorder
	// enough is closed when so many liveness probes were answered that the process exits.
	enough chan struct{}

	mu       sync.Mutex
	seen     map[string]int
	answered int
}

// NewProbes are the probes of one life: none was seen yet.
func NewProbes(run victim.Run, recorder Recorder) *Probes {
	return &Probes{run: run, recorder: recorder, enough: make(chan struct{}), seen: map[string]int{}}
}

// Arrived counts a probe, marks it, and says what to answer, and the probe's index. The handler is one of
// ByExec to ByGRPC.
func (p *Probes) Arrived(probe, handler string, at time.Time) (answer victim.Answer, index int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	index = p.seen[probe]
	p.seen[probe]++
	answer = p.run.Script(probe).At(p.recorder.Life(), index)
	if answer.HTTPOnly() && handler != ByHTTP {
		answer = victim.Fail
	}
	// Marked under the lock, so that the marks come in the order of the script.
	p.recorder.Mark(
		mark.Probed,
		at,
		mark.Detail{Probe: &mark.ProbeDetail{For: probe, Handler: handler, Index: index, Answer: answer.String()}},
	)
	return answer, index
}

// Done says that a probe has been answered, or that the prober has given up waiting.
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

// Next is what the next probe will be answered.
func (p *Probes) Next(probe string) victim.Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.run.Script(probe).At(p.recorder.Life(), p.seen[probe])
}

// Wait lets a hanging or slow answer take its time; false when the prober has given up.
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

// ExecResult is how the process of an exec probe ends that was given the answer, and what it prints.
func ExecResult(probe string, answer victim.Answer) (code int, output string) {
	if answer == victim.Fail {
		return 1, fmt.Sprintf("%s: the script says fail\n", probe)
	}
	return 0, ""
}
