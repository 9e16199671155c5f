package play

import (
	"context"
	"time"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
)

// Life is one life of a main process, from its mark Started on.
type Life struct {
	Run      victim.Run
	Recorder Recorder
	Probes   *Probes
	// Terms has an entry for each stop signal.
	Terms <-chan struct{}
	// Failed has an entry for each failure that ends the process.
	Failed <-chan Trouble
	// Fill fills Run.FillDir and returns what stopped it.
	Fill func() error
	// EndSandbox serves Run.EndSandboxAfter. It returns only if the process was not killed with it.
	EndSandbox func() error
	// ExhaustMemory serves Run.OOMAfter. It returns only if the process was not killed for it.
	ExhaustMemory func() error
}

// Live marks Exiting when the process ends itself, and returns its exit code and the failure that ended it, if any.
// If the context ends first, it marks nothing and returns Killed and the context's cause. The caller marks Started
// before.
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
	var own, sandbox, oom, delayed <-chan time.Time
	if after, ok := l.Run.ExitAfterIn(l.Recorder.Life()); ok {
		own = time.After(after)
	}
	if after, ok := l.Run.EndSandboxAfterIn(l.Recorder.Life()); ok {
		sandbox = time.After(after)
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
		case <-sandbox:
			go func() { notKilled <- l.EndSandbox() }()
			continue
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

// Hook runs an exec hook and returns its exit code. If the context ends first, it marks no end and returns Killed.
//
// Make a postStart hook's recorder after the main process' mark Started, because only then its life is known.
func Hook(ctx context.Context, hook victim.Hook, recorder Recorder) (code int) {
	began, ended := mark.HookBegan, mark.HookEnded
	if hook.PostStart {
		began, ended = mark.PostStartBegan, mark.PostStartEnded
	}
	recorder.Mark(began, time.Now(), mark.Detail{})
	if hook.Hang {
		// the Go runtime takes a wait for the context alone for a deadlock
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
