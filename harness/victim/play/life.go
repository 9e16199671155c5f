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
	// Fill fills Run.FillDir and returns what stopped it. Only a FillDir needs it.
	Fill func() error
	// ExhaustMemory takes memory until the process is killed for it, or returns why it was not. Only Run.OOMAfter
	// needs it.
	ExhaustMemory func() error
}

// Live marks Exiting when the process ends itself, and returns its exit code and the failure that ended it, if any.
// If the context ends first, Live marks nothing and returns Killed and the context's cause.
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

// Hook runs an exec hook: it marks its beginning, takes its time, marks its end and returns its exit code. If the
// context ends first, it marks nothing more and returns Killed.
//
// Make a postStart hook's recorder after the main process' mark Started, because only then its life is known.
func Hook(ctx context.Context, hook victim.Hook, recorder Recorder) (code int) {
	began, ended := mark.HookBegan, mark.HookEnded
	if hook.PostStart {
		began, ended = mark.PostStartBegan, mark.PostStartEnded
	}
	recorder.Mark(began, time.Now(), mark.Detail{})
	if hook.Hang {
		// The Go runtime takes a wait for the context alone for a deadlock if nothing else runs.
		for Sleep(ctx, time.Hour) {
		}
		return Killed
	}
	if !Sleep(ctx, hook.Sleep) {
		return Killed
	}
	recorder.Mark(ended, time.Now(), mark.Detail{})
	return hook.ExitCode
}
