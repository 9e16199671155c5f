package lab

import (
	"context"
	"errors"
	"sync"

	"github.com/podclock/podclock/harness/judge"
	"github.com/podclock/podclock/harness/lab/pace"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/trial"
)

const secondAttempt = 2

// twin is the second attempt of a long trial, which begins beside the first one. Without it, a run whose longest trial
// is inconclusive at its end takes twice as long.
type twin struct {
	stop  context.CancelCauseFunc
	ended sync.WaitGroup

	mu     sync.Mutex
	begun  bool
	played stage.Played
}

// plan begins a trial's second attempt as late as the run allows, if the trial is long and the nodes are busy now. It
// returns nil if there will be none.
func (l *site) plan(r *stage.Run, n *node, p *pace.Pace) *twin {
	when, long := p.Again(r.Trial.Lasts)
	if !long || r.Trial.Worker != nil || l.most(n) < secondAttempt || !l.pressed(pace.Calm) {
		return nil
	}
	ctx, stop := context.WithCancelCause(l.ctx)
	t := &twin{stop: stop}
	t.ended.Go(func() {
		if pace.SleepUntil(ctx, when) != nil {
			return
		}
		room, err := n.room.Enter(ctx, r.Trial, false)
		if err != nil {
			return
		}
		defer room.Leave()
		if p.Begin(ctx) != nil {
			return
		}
		t.mu.Lock()
		t.begun = true
		t.mu.Unlock()
		t.played = l.attempt(ctx, r, n, p, secondAttempt, &slot{room: room, ahead: true})
	})
	return t
}

// end stops the second attempt if the first one was conclusive, if it has not begun, or if the lab ends.
func (t *twin) end(ctx context.Context, first trial.Result) {
	if t == nil {
		return
	}
	t.mu.Lock()
	needed := t.begun && ctx.Err() == nil && judge.Pool([]trial.Result{first}).Open
	t.mu.Unlock()
	if !needed {
		t.stop(errors.New("the first attempt is enough"))
		t.ended.Wait()
	}
}

// take waits for the second attempt, if it has begun.
func (t *twin) take(r *stage.Run) (played stage.Played, begun bool) {
	t.mu.Lock()
	begun = t.begun
	t.mu.Unlock()
	if begun {
		r.Begin(secondAttempt)
		r.Started()
		t.ended.Wait()
	}
	return t.played, begun
}
