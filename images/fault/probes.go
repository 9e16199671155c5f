package main

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/victim"
)

// The handlers, as mark.ProbeDetail spells them.
const (
	byExec = "exec"
	byHTTP = "http"
	byTCP  = "tcp"
	byGRPC = "grpc"
)

// probes counts every probe that reaches this process, whichever way it comes, and answers it from the script.
type probes struct {
	run      victim.Run
	recorder *recorder
	// enough is closed when so many liveness probes were answered that the process exits.
	enough chan struct{}

	mu       sync.Mutex
	seen     map[string]int
	answered int
}

func newProbes(run victim.Run, recorder *recorder) *probes {
	return &probes{run: run, recorder: recorder, enough: make(chan struct{}), seen: map[string]int{}}
}

// arrived counts a probe, marks it, and says what to answer, and the probe's index.
func (p *probes) arrived(probe, handler string, at time.Time) (answer victim.Answer, index int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	index = p.seen[probe]
	p.seen[probe]++
	answer = p.run.Script(probe).At(p.recorder.life, index)
	if answer.HTTPOnly() && handler != byHTTP {
		answer = victim.Fail
	}
	// Marked under the lock, so that the marks come in the order of the script.
	p.recorder.mark(mark.Probed, at, mark.Detail{Probe: &mark.ProbeDetail{For: probe, Handler: handler, Index: index, Answer: answer.String()}})
	return answer, index
}

// done says that a probe has been answered, or that the prober has given up waiting.
func (p *probes) done(probe string) {
	if probe != victim.Liveness {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answered++
	if p.answered == p.run.ExitAfterProbesIn(p.recorder.life) {
		close(p.enough)
	}
}

// next is what the next probe will be answered.
func (p *probes) next(probe string) victim.Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.run.Script(probe).At(p.recorder.life, p.seen[probe])
}

// wait lets a hanging or slow answer take its time; false when the prober has given up.
func (p *probes) wait(ctx context.Context, answer victim.Answer) bool {
	switch answer {
	case victim.Hang:
		<-ctx.Done()
		return false
	case victim.SlowAnswer:
		return sleep(ctx, p.run.Slow)
	}
	return true
}

// sleep is false when the context ended first.
func sleep(ctx context.Context, duration time.Duration) bool {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

func listenPort(what string, port int) (net.Listener, error) {
	listener, err := net.Listen("tcp", fmt.Sprintf(":%d", port))
	if err != nil {
		return nil, fmt.Errorf("listening for %s probes: %w", what, err)
	}
	return listener, nil
}
