package view

import (
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/view/fixture"
)

func TestFigures(t *testing.T) {
	g := NewWithT(t)
	f := FiguresOf(fixture.Fixture())
	one := 9 + 20 + 6 + 15 + 2*5 + 8 + 2*12
	g.Expect(f).To(Equal(Figures{
		Trials:         9,
		Subjects:       2,
		Outcomes:       18,
		Claims:         24,
		TwoSided:       20,
		Repeated:       4,
		Sum:            2 * time.Duration(one) * time.Second,
		Attempts:       18,
		Wall:           25 * time.Second,
		Longest:        20 * time.Second,
		LongestTrial:   "probes/exec-liveness-fails",
		LongestSubject: fixture.Reference,
		Ratio:          1.25,
	}))
	g.Expect(f.pace()).To(ContainSubstring("Ratio: 1.25, more than the 1.15 expected"))
	f.Ratio = 1.15
	g.Expect(f.pace()).To(ContainSubstring("Ratio: 1.15, at most 1.15 expected"))
	g.Expect(FiguresOf(run.Run{})).To(Equal(Figures{}))
	g.Expect(FiguresOf(fixture.FailedSetUp()).Ratio).To(BeZero(), "nothing ran")
}

// TestLongestIsConclusive has an attempt that hung. Its time must not count as the longest trial's.
func TestLongestIsConclusive(t *testing.T) {
	g := NewWithT(t)
	r := fixture.Fixture()
	for i := range r.Outcomes {
		for j := range r.Outcomes[i].Attempts {
			if a := &r.Outcomes[i].Attempts[j]; a.Result.Verdict == trial.Inconclusive {
				a.Took = time.Hour
			}
		}
	}
	f := FiguresOf(r)
	g.Expect(f.Sum).To(BeNumerically(">", time.Hour))
	g.Expect(f.Longest).To(Equal(20 * time.Second))
	g.Expect(f.Ratio).To(Equal(1.25))

	r.Outcomes = slices.DeleteFunc(
		r.Outcomes,
		func(o run.Outcome) bool { return o.Verdict != trial.Inconclusive || len(o.Attempts) == 0 },
	)
	g.Expect(r.Outcomes).NotTo(BeEmpty())
	g.Expect(FiguresOf(r).Longest).To(BeZero())
}

// What is judged of a whole run, at its end, takes no time of any lane.
func TestJudgementsOfTheRunAreNoRuns(t *testing.T) {
	g := NewWithT(t)
	r := fixture.BothLanes()
	before := FiguresOf(r)
	for _, s := range r.Subjects {
		r.Outcomes = append(r.Outcomes, run.Outcome{
			Trial: "kubelet/conduct", Subject: s.Name, Verdict: trial.Conforms,
			Attempts: []run.Attempt{{Started: r.Ready.Add(time.Hour), Result: trial.Result{Verdict: trial.Conforms}}},
		})
	}
	after := FiguresOf(r)
	g.Expect([]any{after.Virtual, after.Attempts, after.Sum}).
		To(Equal([]any{before.Virtual, before.Attempts, before.Sum}))
}

func TestTwoSided(t *testing.T) {
	g := NewWithT(t)
	for _, c := range []struct {
		unit     formula.Unit
		earliest int64
		both     bool
	}{
		{formula.Nanoseconds, 1, true}, {formula.Nanoseconds, 0, false}, {formula.Nanoseconds, -1, false},
		{formula.Count, 1, true}, {formula.Count, 0, false}, {formula.ExitCode, 0, true}, {formula.Status, 0, true},
	} {
		f := trial.Finding{Implemented: formula.Window{Unit: c.unit, Earliest: c.earliest, Latest: c.earliest + 1}}
		g.Expect(twoSided(f)).To(Equal(c.both), "%v", c)
	}
}

func TestExitReasonFitsTheExitCode(t *testing.T) {
	inconclusive := func(n, of int) run.Run {
		r := run.Run{}
		for i := range of {
			f := trial.Finding{Verdict: trial.Conforms}
			if i < n {
				f.Verdict, f.Rule = trial.Inconclusive, "delayed work"
			}
			result := trial.Result{Verdict: f.Verdict, Findings: []trial.Finding{f}}
			r.Outcomes = append(r.Outcomes, run.Outcome{Trial: "hooks/some", Subject: "v1.36.3", Verdict: f.Verdict,
				Attempts: []run.Attempt{{Result: result}}})
		}
		return r
	}
	for name, tt := range map[string]struct {
		run    run.Run
		code   int
		reason string
	}{
		"all conform": {fixture.Conforming(), run.ExitConforms, "no trial deviates."},
		"few inconclusive": {inconclusive(1, 20), run.ExitConforms, "no trial deviates; few enough are " +
			"inconclusive: v1.36.3, hooks: 1 of 20 trials."},
		"a deviation": {fixture.Small(), run.ExitDeviates, "1 trial measured what the subject's code " +
			"should not compute, and too much is inconclusive: " +
			"v1.36.3+resultrun-one, termination: 1 of 2 trials (in every attempt: never tried)."},
		"too much inconclusive": {inconclusive(3, 20), run.ExitUnjudged, "the harness could not judge: too " +
			"much is inconclusive: v1.36.3, hooks: 3 of 20 trials."},
		"a problem": {run.Run{Problems: []string{"no engine"}}, run.ExitUnjudged, "the harness could " +
			"not judge: no engine"},
		"nothing": {run.Run{}, run.ExitUnjudged, "the harness could not judge: there was nothing " +
			"to run."},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(tt.run.ExitCode()).To(Equal(tt.code))
			g.Expect(ExitReason(tt.run)).To(Equal(tt.reason))
		})
	}
}

// TestRateOfADeviation expects how many claims of a formula deviate on a subject, unless all do.
func TestRateOfADeviation(t *testing.T) {
	finding := func(v trial.Verdict) trial.Finding {
		return trial.Finding{Claim: "a", Formula: "f/own", Source: "code", Description: "it waits", Verdict: v}
	}
	outcome := func(subject string, all ...trial.Finding) run.Outcome {
		o := run.Outcome{Trial: "hooks/one", Subject: subject, Verdict: trial.Deviates}
		o.Attempts = []run.Attempt{{Result: trial.Result{Verdict: o.Verdict, Findings: all}}}
		return o
	}
	bad, good, open := finding(trial.Deviates), finding(trial.Divergent), finding(trial.Inconclusive)
	r := run.Run{Outcomes: []run.Outcome{outcome("x", bad, good, open), outcome("x", good), outcome("y", bad, bad)}}
	should := explanations(r)[0].Should
	NewWithT(t).Expect(should).To(HaveLen(1))
	NewWithT(t).Expect(should[0].String()).To(Equal("it waits (f/own, code); 1 of 3 claims deviate on x"))
}
