package fuzzed

import (
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/fuzz"
	"github.com/podclock/podclock/harness/host/screen"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/render/markdown"
	"github.com/podclock/podclock/reports/render/terminal"
)

func subject(violations ...fuzz.Violation) Subject {
	r := fuzz.Report{
		Scenarios: 1000, Claims: 8000, Took: 50 * time.Second, Virtual: 100 * time.Hour,
		Verdicts: map[trial.Verdict]int{trial.Conforms: 990, trial.Deviates: 10},
		Tags: map[string]int{"family delete": 600, "family init": 400, "cause delete": 600, "cause crash": 400,
			"hook hangs": 12},
		Violations: map[string]*fuzz.Violation{},
	}
	for _, v := range violations {
		r.Violations[v.Kind] = &v
	}
	return Subject{Name: "virtual:v1.37.2", Report: r}
}

var (
	late = fuzz.Violation{
		Kind: "a/b above in delete", Seed: 7, Others: []uint64{9, 12}, Times: 3, Again: 5, Verdict: trial.Deviates,
		Claim: "c", Why: "11.000 s, 1.000 s above", Measured: "11.000 s", Window: "[9.000 s, 10.000 s]",
		Terms: "grace + event", Scenario: "pod: {}",
	}
	broken = fuzz.Violation{
		Kind: "harness: describing it failed", Seed: 8, Times: 1, Verdict: fuzz.NoVerdict, Why: "no words for it",
	}
)

// The summary comes first. Every counterexample follows in full, with the command that draws it again, which is in one
// line on every screen.
func TestText(t *testing.T) {
	g := NewWithT(t)
	var b strings.Builder
	a := Answer{Seed: 1, Scenarios: 1000, Subjects: []Subject{subject(late, broken)}}
	g.Expect(terminal.Report(&b, a.Report(), screen.Screen{Width: 200})).To(Succeed())
	g.Expect(b.String()).To(Equal(`
virtual:v1.37.2: 1000 scenarios, 8000 claims, 2 kinds of violations
  990 conforms, 10 deviates, in 50s, 20.0 per second; 100h0m0s of virtual time, 7200 times as long
  3 scenarios: a/b above in delete
  1 scenario: harness: describing it failed

VIOLATION a/b above in delete on virtual:v1.37.2, seed 7; 3 scenarios, further seeds [9 12]
  claim c: 11.000 s, 1.000 s above
  measured 11.000 s, window [9.000 s, 10.000 s]
  = grace + event
  draw it again: podclock fuzz --subjects=virtual:v1.37.2 --seed=7 --scenarios=1
  the smallest scenario, which failed in 5 of 5 further runs:
pod: {}

VIOLATION harness: describing it failed on virtual:v1.37.2, seed 8
  no words for it
  draw it again: podclock fuzz --subjects=virtual:v1.37.2 --seed=8 --scenarios=1
  there is no scenario to print

Scenarios on virtual:v1.37.2
  family: 600 delete, 400 init
  cause: 400 crash, 600 delete
  with: 12 hook hangs

Random scenarios, exit code 1: a claim does not hold.
`))
	b.Reset()
	g.Expect(terminal.Report(&b, a.Report(), screen.Screen{Width: 60})).To(Succeed())
	g.Expect(b.String()).To(ContainSubstring("draw it again: podclock fuzz --subjects=virtual:v1.37.2 --seed=7 --scen"))
}

// The report has what was predicted, and every count.
func TestMarkdown(t *testing.T) {
	g := NewWithT(t)
	s := subject(late)
	s.Predicted = &fuzz.Predicted{
		Asked: map[string]int{"delete": 600}, Steps: 2000, Values: 300,
		Formulas: map[string]*fuzz.Part{
			"a/b": {Events: 40, Waits: 30, First: 0.1, Last: 0.95}, "a/c": {Events: 7},
		},
	}
	s.Wide, s.Needless, s.Lacks = []string{"a/b"}, []string{"it waits"}, []string{"no scenario had the cause taint"}
	var b strings.Builder
	a := Answer{Seed: 1, Scenarios: 1000, Predictions: true, Subjects: []Subject{s}}
	g.Expect(markdown.Report(&b, a.Full())).To(Succeed())
	for _, line := range []string{
		"# Random scenarios, exit code 1: a claim or a prediction does not hold.",
		"## virtual:v1.37.2: 1000 scenarios, 8000 claims, 1 kind of violation",
		"- 2000 steps and 300 values compared with predictions",
		"- the window of a/b is more than twice as wide as what the kubelet's code does: make it narrower, or list " +
			"it in tooWide (harness/fuzz/predicted/precision.go)",
		"- no window is too wide because it waits: remove it from tooWide (harness/fuzz/predicted/precision.go)",
		"- no scenario had the cause taint",
		"  draw it again: podclock fuzz --subjects=virtual:v1.37.2 --seed=7 --scenarios=1 --predictions",
		"- cause: 400 crash, 600 delete", "| delete | 600 |", "| a/b | 30 | 0.10 to 0.95 |", "| a/c | 7 | budgets only |",
	} {
		g.Expect(b.String()).To(ContainSubstring(line + "\n"))
	}
}

func TestExitCodes(t *testing.T) {
	lacking, wide := subject(), subject()
	lacking.Lacks = []string{"999 scenarios ran instead of 1000"}
	wide.Wide = []string{"a/b"}
	for name, tt := range map[string]struct {
		answer Answer
		code   int
		reason string
	}{
		"no violation": {Answer{Subjects: []Subject{subject()}}, run.ExitConforms, "every claim holds"},
		"with predictions": {Answer{Predictions: true, Subjects: []Subject{subject()}}, run.ExitConforms,
			"every claim and every prediction holds"},
		"no subject":        {Answer{}, run.ExitUnjudged, "no claim is violated, but"},
		"a violation":       {Answer{Subjects: []Subject{subject(late)}}, run.ExitDeviates, "a claim does not hold"},
		"of the last one":   {Answer{Subjects: []Subject{lacking, subject(late)}}, run.ExitDeviates, "a claim does"},
		"without a verdict": {Answer{Subjects: []Subject{subject(broken)}}, run.ExitUnjudged, "no claim is violated"},
		"a lack":            {Answer{Subjects: []Subject{lacking}}, run.ExitUnjudged, "no claim is violated, but"},
		"too wide": {Answer{Predictions: true, Subjects: []Subject{wide}}, run.ExitDeviates,
			"a claim or a prediction does not hold"},
		"interrupted": {Answer{Problem: "interrupted: SIGINT"}, run.ExitUnjudged, "interrupted: SIGINT"},
		"interrupted after a violation": {Answer{Problem: "interrupted", Subjects: []Subject{subject(late)}},
			run.ExitDeviates, "a claim does not hold"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(tt.answer.ExitCode()).To(Equal(tt.code))
			g.Expect(tt.answer.ExitReason()).To(HavePrefix(tt.reason))
		})
	}
}
