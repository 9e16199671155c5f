package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/trial"
)

// laboratory is what a lane's lab can do.
type laboratory interface {
	Start(selections []stage.Selection)
	Await(ctx context.Context, id, subject string) (trial.Outcome, error)
	States() []stage.State
	Outcomes() []trial.Outcome
	Nodes() []stage.NodeReport
	Err() error
	Stop()
	Close(ctx context.Context) error
}

// steps are what a set-up consists of.
type steps struct {
	engine         func(ctx context.Context) error
	virtual, nodes func(ctx, life context.Context) (laboratory, error)
}

// setUp opens what the subjects' lanes need and nothing else. The virtual lane keeps all cores busy, and
// trials on a node would measure that, so it comes first and is over before a cluster boots. The engine is
// looked for before it all: a host that can't have one should say so at once.
func (s *Session) setUp(ctx, life context.Context) error {
	if len(s.config.in(kubelet.LaneNode)) == 0 {
		return s.start(ctx, life, kubelet.LaneVirtual, s.steps.virtual)
	}
	if err := s.steps.engine(ctx); err != nil {
		return err
	}
	if len(s.config.in(kubelet.LaneVirtual)) > 0 {
		if err := s.virtualFirst(ctx, life); err != nil {
			return err
		}
	}
	return s.start(ctx, life, kubelet.LaneNode, s.steps.nodes)
}

// virtualFirst has the virtual lane's trials done. A lane that can't be opened is a problem of the run, and
// no reason to keep the other from its trials: that is said now, too, as they take their time.
func (s *Session) virtualFirst(ctx, life context.Context) error {
	if err := s.start(ctx, life, kubelet.LaneVirtual, s.steps.virtual); err != nil {
		if ctx.Err() != nil || life.Err() != nil {
			return err
		}
		problem := fmt.Sprintf("set-up of the virtual lane failed: %v", err)
		s.Problem(problem)
		_, _ = fmt.Fprintf(s.log, "%s; going on without its trials\n", problem)
		return nil
	}
	defer s.stopProgress()
	return s.awaitAll(ctx, kubelet.LaneVirtual)
}

// start opens a lane's lab and begins its trials.
func (s *Session) start(
	ctx, life context.Context,
	lane kubelet.Lane,
	open func(ctx, life context.Context) (laboratory, error),
) error {
	l, err := open(ctx, life)
	if err != nil {
		return err
	}
	s.labs[lane] = l
	l.Start(s.runnable(s.selectedIn(lane)))
	s.endProgress = s.showProgress(l, lane)
	return nil
}

// open opens a lab. It outlives ctx, but an interrupt while it opens must not wait for its bounds.
func open(ctx, life context.Context, lab func(life context.Context) (laboratory, error)) (laboratory, error) {
	life, cancel := context.WithCancelCause(life)
	opened := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	l, err := lab(life)
	opened()
	if err != nil {
		cancel(err)
		return nil, err
	}
	return l, nil
}

// awaitAll waits for all outcomes of a lane.
func (s *Session) awaitAll(ctx context.Context, lane kubelet.Lane) error {
	for _, selection := range s.selectedIn(lane) {
		if _, err := s.labs[lane].Await(ctx, selection.Trial.ID, selection.Subject); err != nil {
			return err
		}
	}
	return s.labs[lane].Err()
}

// Await waits for one trial's outcome. Where its lane could not be opened, or its subject was lost, it has one at once.
func (s *Session) Await(ctx context.Context, id, subject string) (trial.Outcome, error) {
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

// selectedIn is what was asked for in one lane.
func (s *Session) selectedIn(lane kubelet.Lane) []stage.Selection {
	return slices.DeleteFunc(slices.Clone(s.selected),
		func(selection stage.Selection) bool { return s.config.laneOf(selection.Subject) != lane })
}

// in are the subjects of one lane.
func (c Config) in(lane kubelet.Lane) []kubelet.Subject {
	return slices.DeleteFunc(slices.Clone(c.subjects), func(s kubelet.Subject) bool { return s.Lane() != lane })
}

// laneOf is the lane of a subject by its name, empty for one that there is not.
func (c Config) laneOf(subject string) kubelet.Lane {
	for _, s := range c.subjects {
		if s.String() == subject {
			return s.Lane()
		}
	}
	return ""
}
