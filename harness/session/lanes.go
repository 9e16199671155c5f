package session

import (
	"context"
	"fmt"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
)

// setUp opens the lanes. The virtual lane ends before a cluster boots, because it keeps all cores busy. The engine
// comes first: a host without one should fail at once.
func (s *Session) setUp(ctx, life context.Context) error {
	if len(s.config.in(run.NodeLane)) == 0 {
		return s.start(ctx, life, run.VirtualLane, s.steps.virtual)
	}
	if err := s.steps.engine(ctx); err != nil {
		return err
	}
	if len(s.config.in(run.VirtualLane)) > 0 {
		if err := s.virtualFirst(ctx, life); err != nil {
			return err
		}
	}
	return s.start(ctx, life, run.NodeLane, s.steps.nodes)
}

// virtualFirst plays the virtual lane. If that can't be opened, the node lane continues.
func (s *Session) virtualFirst(ctx, life context.Context) error {
	if err := s.start(ctx, life, run.VirtualLane, s.steps.virtual); err != nil {
		if ctx.Err() != nil || life.Err() != nil {
			return err
		}
		problem := fmt.Sprintf("set-up of the virtual lane failed: %v", err)
		s.Problem(problem)
		_, _ = fmt.Fprintf(s.log, "%s; the node lane continues\n", problem)
		return nil
	}
	defer s.stopShowing()
	for _, selection := range s.selectedIn(run.VirtualLane) {
		if _, err := s.labs[run.VirtualLane].Await(ctx, selection.Trial.ID, selection.Subject); err != nil {
			return err
		}
	}
	return s.labs[run.VirtualLane].Err()
}

func (s *Session) start(
	ctx, life context.Context, lane run.Lane, open func(ctx, life context.Context) (laboratory, error),
) error {
	l, err := open(ctx, life)
	if err != nil {
		return err
	}
	s.labs[lane] = l
	s.show(lane)
	l.Start(s.runnable(s.selectedIn(lane)))
	return nil
}

// Await waits for the outcome of a selected trial. A trial that never ran, or that the run had judged before it
// continued, has one at once.
func (s *Session) Await(ctx context.Context, id, subject string) (trial.Outcome, error) {
	for _, o := range s.run.Outcomes {
		if o.Trial == id && o.Subject == subject {
			return o, nil
		}
	}
	if l := s.labs[s.config.laneOf(subject)]; l != nil && s.lost[subject] == nil {
		return l.Await(ctx, id, subject)
	}
	for _, selection := range s.selected {
		if selection.Trial.ID == id && selection.Subject == subject {
			return s.neverRan(selection), nil
		}
	}
	return trial.Outcome{}, fmt.Errorf("trial %s was not selected on %s", id, subject)
}
