package session

import (
	"context"
	"io"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/trial"
)

// A run that goes on plays only what was not judged, saves the rest with it, and then has nothing more to play.
func TestARunContinues(t *testing.T) {
	g := NewWithT(t)
	c, err := parsed(map[string]string{"OUT": t.TempDir(), "SUBJECTS": "v1.36.3"})
	g.Expect(err).NotTo(HaveOccurred())
	selected := []runner.Selection{
		{Trial: trial.Trial{ID: "a/1"}, Subject: "v1.36.3"}, {Trial: trial.Trial{ID: "a/2"}, Subject: "v1.36.3"},
	}
	killed, err := New(c, selected, Program{Log: io.Discard})
	g.Expect(err).NotTo(HaveOccurred())
	killed.journal, err = run.OpenJournal(killed.dir, killed.run)
	g.Expect(err).NotTo(HaveOccurred())
	killed.ended(trial.Outcome{Trial: "a/1", Subject: "v1.36.3", Verdict: trial.Deviates}, run.Node{Name: "n"})

	c.Continue = true
	s, err := New(c, selected, Program{Log: io.Discard})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(New(c, selected, Program{Log: io.Discard})).Error().
		To(MatchError(ContainSubstring("another podclock adds to a run in")))
	g.Expect(s.Dir()).To(Equal(killed.Dir()))
	g.Expect(s.selected).To(Equal(selected[1:]))
	g.Expect(s.namespace(len(s.run.Continued))).To(Equal("podclock-" + killed.run.ID + "-2"))
	l := &fakeLab{lane: "node", say: func(string) {}, conclude: make(chan struct{})}
	s.steps.engine = func(context.Context) error { return nil }
	s.steps.nodes = func(_, _ context.Context) (_ laboratory, err error) {
		s.journal, err = run.OpenJournal(s.dir, s.run)
		return l, err
	}
	close(l.conclude)
	played, _, err := s.Play(t.Context(), SettingUp, nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(played.Outcomes).To(HaveLen(2))
	g.Expect(played.Outcomes[0].Verdict).To(Equal(trial.Deviates))

	s, err = New(c, selected, Program{Log: io.Discard})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.selected).To(BeEmpty())
	s.steps.nodes = nil
	again, _, err := s.Play(t.Context(), SettingUp, nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(again.Outcomes).To(Equal(played.Outcomes))
	g.Expect(again.Continued).To(HaveLen(1))
	g.Expect(again.Reported).To(BeTemporally("==", played.Reported))
}

// A node that is not chosen again keeps its results. What it lacks is a problem of the run, not a success.
func TestARunContinuesWithoutANode(t *testing.T) {
	g := NewWithT(t)
	selected := func(subject string) []runner.Selection {
		return []runner.Selection{
			{Trial: trial.Trial{ID: "a/1"}, Subject: subject}, {Trial: trial.Trial{ID: "a/2"}, Subject: subject},
		}
	}
	out := t.TempDir()
	c, err := parsed(map[string]string{"OUT": out, "SUBJECTS": "v1.36.3,v1.35.4"})
	g.Expect(err).NotTo(HaveOccurred())
	killed, err := New(c, append(selected("v1.36.3"), selected("v1.35.4")...), Program{Log: io.Discard})
	g.Expect(err).NotTo(HaveOccurred())
	killed.journal, err = run.OpenJournal(killed.dir, killed.run)
	g.Expect(err).NotTo(HaveOccurred())
	killed.ended(trial.Outcome{Trial: "a/1", Subject: "v1.36.3", Verdict: trial.Conforms}, run.Node{Name: "n"})

	c, err = parsed(map[string]string{"OUT": out, "SUBJECTS": "v1.35.4"})
	g.Expect(err).NotTo(HaveOccurred())
	c.Continue = true
	s, err := New(c, selected("v1.35.4"), Program{Log: io.Discard})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.run.Subjects).To(HaveExactElements(HaveField("Name", "v1.36.3"), HaveField("Name", "v1.35.4")))
	g.Expect(s.run.Problems).
		To(Equal([]string{"v1.36.3 is not among the nodes any more, and lacks 1 trial"}))
	g.Expect(s.run.ExitCode()).To(Equal(run.ExitUnjudged))
}

// A wave of a fleet continues in its own folder, also if a newer wave has begun.
func TestAnOlderRunContinues(t *testing.T) {
	g := NewWithT(t)
	c, err := parsed(map[string]string{"OUT": t.TempDir(), "SUBJECTS": "v1.36.3"})
	g.Expect(err).NotTo(HaveOccurred())
	selected := []runner.Selection{{Trial: trial.Trial{ID: "a/1"}, Subject: "v1.36.3"}}
	var dirs []string
	for range 2 {
		killed, err := New(c, selected, Program{Log: io.Discard})
		g.Expect(err).NotTo(HaveOccurred())
		killed.journal, err = run.OpenJournal(killed.dir, killed.run)
		g.Expect(err).NotTo(HaveOccurred())
		killed.ended(trial.Outcome{Trial: "a/1", Subject: "v1.36.3", Verdict: trial.Conforms}, run.Node{Name: "n"})
		dirs = append(dirs, killed.dir)
	}
	c.Folder = dirs[0]
	s, err := New(c, selected, Program{Log: io.Discard})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.Dir()).To(Equal(dirs[0]))
	g.Expect(s.selected).To(BeEmpty())
	played, _, err := s.Play(t.Context(), SettingUp, nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(played.Outcomes).To(HaveLen(1))
	g.Expect(run.Load(dirs[0])).To(HaveField("Outcomes", HaveLen(1)))
}
