package runner

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
	if do := podFaults[a]; do != nil {
		return do
	}
	return nodeFaults[a]
}

// deliver waits for a fault's time, injects it and notes it. It returns why the attempt can't go on.
func (s *ongoing) deliver(
	ctx context.Context, fault trial.Fault, begun time.Time, offTick func(time.Time) time.Time,
) string {
	name := s.pods[0].Name
	if why := s.waitForFault(ctx, fault, begun, offTick); why != "" {
		return fmt.Sprintf("waiting for the fault %s of pod %s: %s", fault.Action, name, why)
	}
	inject := injection(fault.Action)
	if inject == nil {
		return fmt.Sprintf("no fault is called %q", fault.Action)
	}
	from := s.on.Now()
	took, err := inject(ctx, s, fault)
	c := timeline.Fault{What: string(fault.Action), At: s.on.Instant(from, s.on.Now())}
	if took != nil {
		ended := s.on.Instant(took.ended, took.ended)
		c.At, c.Done = s.on.Instant(took.began, took.began), &ended
	}
	c, err = answered(c, fault.Refused || s.Trial.ClaimsAnswer(len(s.faults)+1), err)
	s.faults = append(s.faults, c)
	s.unsupported = s.unsupported || errors.Is(err, ErrUnsupported)
	if err != nil {
		return fmt.Sprintf("%s pod %s: %v", fault.Action, name, err)
	}
	return ""
}

// waitForFault waits for a fault's point, by default the trial's begin, and then for its After.
func (s *ongoing) waitForFault(
	ctx context.Context, fault trial.Fault, begun time.Time, offTick func(time.Time) time.Time,
) string {
	at := begun.Add(fault.After)
	if fault.When == (trial.Point{}) {
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
				if fault.When.In(tl) == nil {
					return fault.When.String()
				}
				return ""
			})
		if why != "" {
			return why
		}
		at = s.on.Now().Add(fault.After)
	}
	if err := s.on.Sleep(ctx, at); err != nil {
		return err.Error()
	}
	return ""
}

// answered notes the answer. It drops the error of a refusal that the trial expects.
func answered(c timeline.Fault, expectRefusal bool, err error) (timeline.Fault, error) {
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
