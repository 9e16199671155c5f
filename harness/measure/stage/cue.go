package stage

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

func injection(a trial.Action) inject {
	if do := podCues[a]; do != nil {
		return do
	}
	return nodeCues[a]
}

// deliver waits for a cue's time, injects it and notes it. It returns why the attempt can't go on.
func (s *scene) deliver(
	ctx context.Context, cue trial.Cue, begun time.Time, offTick func(time.Time) time.Time,
) string {
	name := s.pods[0].Name
	if why := s.waitForCue(ctx, cue, begun, offTick); why != "" {
		return fmt.Sprintf("waiting for the cue %s of pod %s: %s", cue.Action, name, why)
	}
	inject := injection(cue.Action)
	if inject == nil {
		return fmt.Sprintf("no cue is called %q", cue.Action)
	}
	from := s.on.Now()
	took, err := inject(ctx, s, cue)
	c := timeline.Cue{What: string(cue.Action), At: s.on.Instant(from, s.on.Now())}
	if took != nil {
		ended := s.on.Instant(took.ended, took.ended)
		c.At, c.Done = s.on.Instant(took.began, took.began), &ended
	}
	c, err = answered(c, cue.Refused, err)
	s.cues = append(s.cues, c)
	s.unsupported = s.unsupported || errors.Is(err, ErrUnsupported)
	if err != nil {
		return fmt.Sprintf("%s pod %s: %v", cue.Action, name, err)
	}
	return ""
}

// waitForCue waits for a cue's point, by default the trial's begin, and then for its After.
func (s *scene) waitForCue(
	ctx context.Context, cue trial.Cue, begun time.Time, offTick func(time.Time) time.Time,
) string {
	at := begun.Add(cue.After)
	if cue.When == (trial.Point{}) {
		if s.delay == nil {
			delay := time.Duration(0)
			if offTick != nil {
				delay = offTick(at).Sub(at)
			}
			s.delay = &delay
		}
		at = at.Add(*s.delay)
	} else {
		why, _ := s.await(ctx, begun.Add(s.Trial.Bound()), boundOver,
			func(tl *timeline.Timeline, _ formula.Kubelet) string {
				if cue.When.In(tl) == nil {
					return cue.When.String()
				}
				return ""
			})
		if why != "" {
			return why
		}
		at = s.on.Now().Add(cue.After)
	}
	if err := s.on.Sleep(ctx, at); err != nil {
		return err.Error()
	}
	return ""
}

// answered notes the answer. It drops the error of a refusal that the trial expects.
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
