package markdown

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/view/fixture"
)

func written(t *testing.T, r run.Run) string {
	t.Helper()
	var b bytes.Buffer
	NewWithT(
		t,
	).Expect(Divergences(&b, r, fixture.LookUp, nil)).
		To(Succeed())
	return b.String()
}

// repaired is the fixture with a third subject that keeps one of the promises, and a fourth without
// measurements.
func repaired() run.Run {
	r := fixture.Fixture()
	for _, name := range []string{"v1.37.0", "v1.38.0@./my kubelet"} {
		r.Subjects = append(r.Subjects, run.Subject{Name: name})
	}
	kept := fixture.Outcome(
		"v1.37.0",
		"termination/grace-of-one-second",
		6*time.Second,
		fixture.Killed("kept", 1234*time.Millisecond),
	)
	f := &kept.Attempts[0].Result.Findings[0]
	f.Verdict, kept.Verdict = trial.Conforms, trial.Conforms
	r.Outcomes = append(r.Outcomes, kept)
	return r
}

func TestDivergencesGolden(t *testing.T) {
	fixture.Golden(t, "divergences", []byte(written(t, repaired())))
	fixture.Golden(
		t,
		"divergences-none",
		[]byte(written(t, run.Run{ID: "20260302-095800", Subjects: fixture.Fixture().Subjects})),
	)
}

func TestDivergencesAreTheSameInAnyOrderOfOutcomes(t *testing.T) {
	g := NewWithT(t)
	want := written(t, repaired())
	turned := repaired()
	for i, j := 0, len(turned.Outcomes)-1; i < j; i, j = i+1, j-1 {
		turned.Outcomes[i], turned.Outcomes[j] = turned.Outcomes[j], turned.Outcomes[i]
	}
	for range 10 {
		g.Expect(written(t, turned)).To(Equal(want))
	}
}

func TestDivergencesReproduce(t *testing.T) {
	g := NewWithT(t)
	nightly := func(string) (trial.Trial, bool) { return trial.Trial{Nightly: true}, true }
	var b bytes.Buffer
	g.Expect(Divergences(&b, fixture.Fixture(), nightly, nil)).To(Succeed())
	g.Expect(b.String()).
		To(ContainSubstring("make e2e FOCUS='probes/streak-survives-a-crash$$' " +
			"SUBJECTS=v1.36.3,v1.36.3+resultrun-one PROFILE=full`"))

	own := fixture.Fixture()
	for i := range own.Outcomes {
		own.Outcomes[i].Subject = "v1.36.3@./my kubelet"
	}
	g.Expect(written(t, own)).To(ContainSubstring("SUBJECTS='v1.36.3@./my kubelet'`"), "quoted for a shell")
}

// TestDivergencesAreNotDeniedByOtherClaims has a formula that keeps its promise in another trial. Only the same
// claims can show that a subject is better.
func TestDivergencesAreNotDeniedByOtherClaims(t *testing.T) {
	g := NewWithT(t)
	r := fixture.Fixture()
	r.Outcomes = slices.DeleteFunc(
		r.Outcomes,
		func(o run.Outcome) bool { return o.Subject == fixture.Mutant && o.Verdict == trial.Divergent },
	)
	g.Expect(written(t, r)).To(And(
		ContainSubstring("- Not measured on: "+fixture.Mutant), Not(ContainSubstring("- Not seen on"))))
}

// TestDivergencesComeFromWhatWasJudged expects no divergence from a deviating or inconclusive claim.
func TestDivergencesComeFromWhatWasJudged(t *testing.T) {
	g := NewWithT(t)
	r := fixture.Fixture()
	for i := range r.Outcomes {
		for _, a := range r.Outcomes[i].Attempts {
			for j := range a.Result.Findings {
				if f := &a.Result.Findings[j]; f.Verdict == trial.Divergent {
					f.Verdict = trial.Deviates
				}
			}
		}
	}
	g.Expect(written(t, r)).To(ContainSubstring("This run has none."))
	g.Expect(strings.Count(written(t, fixture.Fixture()), "\n## ")).To(Equal(2))
}

// TestDivergencesStayTheSame varies durations and measurements a little, and expects the same text.
func TestDivergencesStayTheSame(t *testing.T) {
	g := NewWithT(t)
	want := written(t, repaired())
	again := repaired()
	for i := range again.Outcomes {
		for j := range again.Outcomes[i].Attempts {
			a := &again.Outcomes[i].Attempts[j]
			a.Took = time.Hour - a.Took // what was shortest is longest
			for k := range a.Result.Findings {
				if m := a.Result.Findings[k].Measured; m != nil && m.Unit == formula.Nanoseconds &&
					m.Value > int64(time.Second) {
					changed := *m
					changed.Value += int64(time.Millisecond)
					a.Result.Findings[k].Measured = &changed
				}
			}
		}
	}
	g.Expect(written(t, again)).To(Equal(want))
	g.Expect(want).
		To(ContainSubstring("FOCUS='termination/grace-of-one-second$$'"), "of two trials that should take as "+
			"long, the first by name")
}

// TestDivergencesNameEveryIssue has a formula that differs from its promise for several reasons, some of them
// without a known issue.
func TestDivergencesNameEveryIssue(t *testing.T) {
	g := NewWithT(t)
	r := repaired()
	set := func(id, issues string) {
		for i, o := range r.Outcomes {
			if o.Trial == id {
				for j := range o.Attempts[0].Result.Findings {
					r.Outcomes[i].Attempts[0].Result.Findings[j].Issues = issues
				}
			}
		}
	}
	set("termination/grace-of-one-second", "kubernetes#1, no issue known of the rest")
	g.Expect(written(t, r)).To(And(
		ContainSubstring(
			"- Issues: "+linked("kubernetes#1, no issue known of the rest; kubernetes#115817, kubernetes#31902")+"\n",
		),
		ContainSubstring("; 1 without a known issue,"),
	),
		"only the exact words mean that none is known")
	set("termination/grace-of-one-second", formula.NoIssueKnown)
	g.Expect(written(t, r)).To(And(
		ContainSubstring(
			"- Issues: "+linked("kubernetes#115817, kubernetes#31902")+"; no issue known\n",
		),
		ContainSubstring("; 2 without a known issue,"),
	))
}

func TestDivergencesReportAnIncompleteRun(t *testing.T) {
	g := NewWithT(t)
	var b bytes.Buffer
	g.Expect(Divergences(&b, fixture.Fixture(), fixture.LookUp, []string{"this", "that"})).
		To(Succeed())
	g.Expect(b.String()).
		To(HavePrefix("# Divergences\n\n**Not complete**: this run cannot show every divergence. this; that.\n"))
	g.Expect(written(t, fixture.Fixture())).NotTo(ContainSubstring("Not complete"))
}
