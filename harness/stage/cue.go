package stage

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trial"
)

// inject does what a cue says. If that takes longer than a request, it returns the span. It adds to p.undo
// what restores the node; the trial's pods need no undo. An error that wraps [ErrUnsupported] means that the
// cue is not available with this kubelet.
type inject func(ctx context.Context, p *scene, c trial.Cue) (*span, error)

// injections are the cues that the player knows.
var injections = map[trial.Action]inject{
	trial.DeletePod:      deletePod,
	trial.EvictPod:       evictPod,
	trial.SetImage:       setImage,
	trial.BindPod:        bindPod,
	trial.CreatePod:      createPod,
	trial.RecreatePod:    recreatePod,
	trial.TaintNode:      taintNode,
	trial.UntaintNode:    untaintNode,
	trial.RestartKubelet: restartKubelet,
	trial.TuneKubelet:    restartKubelet,
}

// deliver waits for a cue's time, injects it and notes it. It returns why the attempt can't go on.
func (p *scene) deliver(
	ctx context.Context, cue trial.Cue, begun time.Time, offTick func(time.Time) time.Time,
) string {
	name := p.pods[0].Name
	if why := p.waitForCue(ctx, cue, begun, offTick); why != "" {
		return fmt.Sprintf("waiting for the cue %s of pod %s: %s", cue.Action, name, why)
	}
	inject := injections[cue.Action]
	if inject == nil {
		return fmt.Sprintf("no cue is called %q", cue.Action)
	}
	from := p.on.Now()
	took, err := inject(ctx, p, cue)
	c := timeline.Cue{What: string(cue.Action), At: p.on.Instant(from, p.on.Now())}
	if took != nil {
		ended := p.on.Instant(took.ended, took.ended)
		c.At, c.Done = p.on.Instant(took.began, took.began), &ended
	}
	c, err = answered(c, cue.Refused, err)
	p.cues = append(p.cues, c)
	p.unsupported = errors.Is(err, ErrUnsupported)
	if err != nil {
		return fmt.Sprintf("%s pod %s: %v", cue.Action, name, err)
	}
	return ""
}

// waitForCue waits for a cue's point, and then for its After. A cue without a point waits for its After from
// the trial's begin.
func (p *scene) waitForCue(
	ctx context.Context, cue trial.Cue, begun time.Time, offTick func(time.Time) time.Time,
) string {
	at := begun.Add(cue.After)
	if cue.When == (trial.Point{}) {
		if p.delay == nil {
			delay := time.Duration(0)
			if offTick != nil {
				delay = offTick(at).Sub(at)
			}
			p.delay = &delay
		}
		at = at.Add(*p.delay)
	} else {
		why, _ := p.await(ctx, begun.Add(p.Trial.Bound()), boundOver,
			func(tl *timeline.Timeline, _ formula.Kubelet) string { return cue.Missing(tl) })
		if why != "" {
			return why
		}
		at = p.on.Now().Add(cue.After)
	}
	if err := p.on.Sleep(ctx, at); err != nil {
		return err.Error()
	}
	return ""
}

// answered notes the answer to a cue's request. It returns the error unless it is a refusal that the trial expects.
func answered(c timeline.Cue, expectRefusal bool, err error) (timeline.Cue, error) {
	var refusal apierrors.APIStatus
	switch {
	case err == nil: // if a refusal was expected, the claims show the difference
	case expectRefusal && errors.As(err, &refusal):
		c.Status = int(refusal.Status().Code)
		err = nil
	default:
		c.Error = err.Error()
	}
	return c, err
}
