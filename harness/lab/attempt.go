package lab

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/judge"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trial"
)

// attempts runs a selection until it is conclusive, at most Options.Attempts times. Each attempt holds a
// place among the starting pods until its own pods have started; the caller may have taken the first one's.
func (l *Lab) attempts(r *stage.Run, n *node, p *pace, placed bool) {
	if why := r.Trial.Unsupported(n.runs()); why != "" {
		if placed {
			p.end()
		}
		r.Conclude(trial.Unsupported, why)
		return
	}
	for number := 1; number <= l.options.Attempts; number++ {
		if placed && n.unusable() != "" { // it may come round, and others can start meanwhile
			p.end()
			placed = false
		}
		if number > 1 || !placed {
			if why := l.readyFor(r.Trial, n, p, number); why != "" {
				r.Conclude(trial.Inconclusive, why)
				return
			}
		}
		if why := n.unusable(); why != "" {
			p.end()
			r.Conclude(trial.Inconclusive, why)
			return
		}
		placed = false // this attempt gives it back
		r.Begin(number)
		release := sync.OnceFunc(p.end)
		late := time.AfterFunc(placeFor, release)
		a, why, unsupported := l.attempt(r.Selection, n, number, func(failed bool) {
			release()
			r.Started()
			if n.startFailed(failed) {
				l.giveUp(
					n,
					fmt.Errorf("%d pods in a row did not start, the last of them of trial %s", hopeless, r.Trial.ID),
				)
			}
		})
		late.Stop()
		release()
		if unsupported { // as where the worker's own configuration is: no attempt tells anything
			r.Conclude(trial.Unsupported, why)
			return
		}
		r.Keep(a, why)
		if a.Result.Verdict != trial.Inconclusive || l.ctx.Err() != nil {
			break
		}
	}
	r.End()
}

// placeFor is how long a pod that does not start keeps others from being started.
const placeFor = 20 * time.Second

// readyFor waits until a trial can be run on a node that it, or another trial before it, may have
// disturbed, and takes a place. It says why it can't.
func (l *Lab) readyFor(t trial.Trial, n *node, p *pace, number int) string {
	if why := n.recovers(l.ctx); why != "" {
		return why
	}
	if t.Worker != nil && l.options.Workers != nil {
		if err := l.options.Workers.AwaitUnpressed(l.ctx, n.name); err != nil {
			return err.Error()
		}
		if err := sleepUntil(l.ctx, n.matured(time.Duration(t.LongestPeriod())*time.Second)); err != nil {
			return err.Error()
		}
	}
	begin := p.begin
	if number > 1 {
		n.calm(l.ctx)
		begin = func(ctx context.Context) error { return p.again(ctx, t.Lasts, number == l.options.Attempts) }
	}
	if err := begin(l.ctx); err != nil {
		return context.Cause(l.ctx).Error()
	}
	return ""
}

// attempt runs a trial's pods once and judges what was recorded of them. The reason is empty unless
// something kept them from being measured to the end; unsupported says that it is the kubelet's version,
// which does not know what a cue configures. started is called once, when the pods have started or will
// not.
func (l *Lab) attempt(
	s stage.Selection,
	n *node,
	number int,
	started func(failed bool),
) (a trial.Attempt, why string, unsupported bool) {
	a = trial.Attempt{Started: time.Now(), Node: n.name}
	bound := s.Trial.Bound() + stage.StartWithin
	ctx, cancel := context.WithTimeoutCause(
		l.ctx,
		bound,
		fmt.Errorf("trial %s was given up after %v", s.Trial.ID, bound),
	)
	defer cancel()
	e := &experiment{
		Selection:  s,
		lab:        l,
		node:       n,
		deployment: l.deployment(s.Trial, n, number),
		created:    a.Started,
		started:    started,
	}
	why = e.run(ctx)
	a.Took = time.Since(a.Started)
	a.Kubelet = n.runs()
	e.judge(&a, why)
	ended := time.Now()
	if a.Result.Verdict == trial.Deviates && l.options.Workers != nil {
		// It may be no kubelet's doing but its death, which the last look was too early for.
		l.look(ctx, n)
		e.askRemovals(ended)
		e.judge(&a, why)
	}
	e.remove()
	if a.Result.Verdict == trial.Deviates {
		a.Deviation = e.deviation(ended)
	}
	return a, why, e.unsupported
}

// judge takes over what is known by now.
func (e *experiment) judge(a *trial.Attempt, why string) {
	a.Evidence = e.evidence()
	a.Evidence.Cut = why
	noise := e.node.noiseSoFar()
	a.Result = judge.Judge(e.Trial, timeline.Build(a.Evidence, noise), noise, a.Kubelet)
}

func sleepUntil(ctx context.Context, t time.Time) error {
	timer := time.NewTimer(time.Until(t))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
