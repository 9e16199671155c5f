package play

import (
	"context"
	"time"

	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/victim"
)

// Life is one life of a container's main process, from its mark Started on.
type Life struct {
	Run      victim.Run
	Recorder Recorder
	Probes   *Probes
	// Terms has an entry for each stop signal, which its sender has marked.
	Terms <-chan struct{}
	// Failed has an entry for each failure that ends the process, such as a server that stopped.
	Failed <-chan Trouble
	// Fill fills Run.FillDir and returns what stopped it. It is not called without a FillDir.
	Fill func() error
	// ExhaustMemory takes memory until the process is killed for it, or returns why it was not. It is not called
	// without Run.OOMAfter.
	ExhaustMemory func() error
}

// Live returns when the process ends itself, with its exit code and the failure that ended it, if any. It marks
// Exiting before. If the context ends first, the process was killed: Live marks nothing and returns Killed and the
// context's cause.
//
// The caller marks Started before, and ends the rest of the process afterwards.
func (l Life) Live(ctx context.Context) (code int, err error) {
	alive, over := context.WithCancel(ctx)
	defer over()
	if l.Run.FillDir != "" {
		time.AfterFunc(l.Run.FillAfter, func() { l.fill(alive) })
	}
	trouble := l.end(ctx)
	if ctx.Err() != nil {
		return Killed, context.Cause(ctx)
	}
	code = l.Run.ExitCodeIn(l.Recorder.Life())
	if trouble != nil {
		code, err = trouble.Code, *trouble
	}
	l.Recorder.Mark(mark.Exiting, time.Now(), mark.Detail{ExitCode: &code})
	return code, err
}

// end waits for the end of the life and returns the failure that caused it, if any.
func (l Life) end(ctx context.Context) *Trouble {
	var own, oom, delayed <-chan time.Time // a nil channel is a time that does not come
	if after, ok := l.Run.ExitAfterIn(l.Recorder.Life()); ok {
		own = time.After(after)
	}
	if l.Run.OOMAfter > 0 {
		oom = time.After(l.Run.OOMAfter)
	}
	notKilled := make(chan error, 1)
	for {
		select {
		case <-ctx.Done():
		case <-l.Terms:
			switch l.Run.Term {
			case victim.Ignore:
				continue
			case victim.ExitAfter:
				if delayed == nil {
					delayed = time.After(l.Run.TermDelay)
				}
				continue
			}
		case <-delayed:
		case <-own:
		case <-l.Probes.enough:
			Sleep(ctx, victim.AnswerSettle)
		case <-oom:
			go func() { notKilled <- l.ExhaustMemory() }()
			continue
		case err := <-notKilled:
			return &Trouble{victim.ExitNotKilled, err}
		case trouble := <-l.Failed:
			return &trouble
		}
		return nil
	}
}

// fill fills a folder and marks it. An error is marked, and the process lives on.
func (l Life) fill(alive context.Context) {
	if alive.Err() != nil {
		return
	}
	l.Recorder.Mark(mark.FillBegan, time.Now(), mark.Detail{})
	var detail mark.Detail
	if err := l.Fill(); err != nil {
		detail.Note = err.Error()
	}
	if alive.Err() == nil {
		l.Recorder.Mark(mark.Filled, time.Now(), detail)
	}
}
