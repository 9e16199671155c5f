package session

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
)

// halfway is a lab with one trial that is done, one that runs and one that waits.
type halfway struct {
	fakeLab
	err     error
	stopped bool
}

func (l *halfway) States() (states []runner.State) {
	for id, phase := range map[string]runner.Phase{"a/done": runner.Done, "a/judged": runner.Running,
		"a/running": runner.Running, "a/waiting": runner.Waiting} {
		if l.stopped {
			phase = runner.Done
		}
		states = append(states,
			runner.State{Selection: runner.Selection{Trial: trial.Trial{ID: id}, Subject: "s"}, Phase: phase})
	}
	return states
}

func (l *halfway) Err() error { return l.err }
func (l *halfway) Stop()      { l.stopped = true }
func (l *halfway) Outcomes() []trial.Outcome {
	return []trial.Outcome{
		{Trial: "a/done", Subject: "s", Verdict: trial.Inconclusive, Why: "the node stopped"},
		{Trial: "a/judged", Subject: "s", Verdict: trial.Conforms},
		{Trial: "a/running", Subject: "s", Verdict: trial.Inconclusive, Why: "waited for death: the lab is closed"},
		{Trial: "a/cut", Subject: "s", Verdict: trial.Inconclusive, Why: "waited for death: no API", CutShort: true},
		{Trial: "a/waiting", Subject: "s", Verdict: trial.Inconclusive, Why: "it never ran"},
	}
}

func TestWhatTheEndCutShort(t *testing.T) {
	g := NewWithT(t)
	cut := func(outcomes []trial.Outcome) (ids []string) {
		for _, o := range outcomes {
			if o.CutShort {
				ids = append(ids, o.Trial)
			}
		}
		return ids
	}
	s, _, _ := rehearsed(t, "v1.36.3")
	s.steps.nodes = func(context.Context, context.Context) (laboratory, error) {
		return &halfway{fakeLab: fakeLab{say: func(string) {}}}, nil
	}
	g.Expect(s.SetUp(t.Context(), t.Context(), SettingUp)).To(Succeed())
	run, err := s.Finish(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(cut(run.Outcomes)).
		To(Equal([]string{"a/running", "a/cut", "a/waiting"}),
			"an earlier inconclusive outcome and one with a verdict are not excused")
}
