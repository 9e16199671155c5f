package session

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// lose removes a subject whose kubelet does not start or is the wrong one, and records the problem. The others
// continue. After an interrupt lose returns err.
func (s *Session) lose(ctx context.Context, subject kubelets.Subject, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	s.losing.Lock()
	defer s.losing.Unlock()
	if s.lost[subject.String()] == nil {
		s.lost[subject.String()] = err
		s.run.Problems = append(s.run.Problems, fmt.Sprintf("%s could not be put under test: %v", subject, err))
		_, _ = fmt.Fprintf(s.log, "%s can't be put under test: %v\n", subject, err)
	}
	return nil
}

// Lost returns why subjects could not be put under test.
func (s *Session) Lost() map[string]error { return maps.Clone(s.lost) }

// allLost returns the first subject's error if the node lane lost all.
func (s *Session) allLost() error {
	subjects := s.config.in(run.NodeLane)
	if len(s.lost) < len(subjects) {
		return nil
	}
	return s.lost[subjects[0].String()]
}

func (s *Session) runnable(selections []runner.Selection) []runner.Selection {
	return slices.DeleteFunc(slices.Clone(selections),
		func(selection runner.Selection) bool { return s.lost[selection.Subject] != nil })
}

func (s *Session) neverRan(selection runner.Selection) trial.Outcome {
	why := "it never ran"
	if err := s.lost[selection.Subject]; err != nil {
		why = err.Error()
	}
	return trial.Outcome{
		Trial: selection.Trial.ID, About: selection.Trial.About, Subject: selection.Subject,
		Verdict: trial.Inconclusive, Why: why,
	}
}

func (s *Session) collect() {
	for _, lane := range []run.Lane{run.NodeLane, run.VirtualLane} {
		s.collectLane(lane)
	}
	s.omitUsualKubelets()
	s.run.Check()
}

func (s *Session) collectLane(lane run.Lane) {
	l := s.labs[lane]
	for _, selection := range s.selectedIn(lane) {
		if l == nil || s.lost[selection.Subject] != nil {
			s.run.Outcomes = append(s.run.Outcomes, s.neverRan(selection))
		}
	}
	if l == nil {
		return
	}
	if err := l.Err(); err != nil {
		s.Problem(err.Error())
	}
	open := map[[2]string]bool{}
	for _, state := range l.States() {
		open[[2]string{state.Trial.ID, state.Subject}] = state.Phase != runner.Done
	}
	l.Stop() // ends all trials, so their states must be read before
	for _, o := range l.Outcomes() {
		o.CutShort = o.Verdict == trial.Inconclusive && (o.CutShort || open[[2]string{o.Trial, o.Subject}])
		s.run.Outcomes = append(s.run.Outcomes, o)
	}
	s.run.AddNodes(l.Nodes())
}

// omitUsualKubelets keeps the kubelet's facts only in attempts on tuned workers; see [run.Run.KubeletOf].
func (s *Session) omitUsualKubelets() {
	usual := map[string]formula.Kubelet{}
	for _, subject := range s.run.Subjects {
		usual[subject.Name] = subject.Kubelet
	}
	for _, o := range s.run.Outcomes {
		for i := range o.Attempts {
			if a := &o.Attempts[i]; reflect.DeepEqual(a.Kubelet, usual[o.Subject]) {
				a.Kubelet = formula.Kubelet{}
			}
		}
	}
}
