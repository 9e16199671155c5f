package difference_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/host/screen"
	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/virtual/trace"
	"github.com/podclock/podclock/reports/render/markdown"
	"github.com/podclock/podclock/reports/render/terminal"
	"github.com/podclock/podclock/reports/render/trend"
	"github.com/podclock/podclock/reports/view/difference"
)

const base, changed = "virtual:v1.36.3", "virtual:v1.36.3+abc@./kubernetes"

func outcome(subject, of string, verdict trial.Verdict, values map[string]time.Duration) run.Outcome {
	var findings []trial.Finding
	for _, claim := range []string{"fault-to-sigterm", "sigterm-to-death"} {
		if v, ok := values[claim]; ok {
			findings = append(findings, trial.Finding{
				Claim: claim, Verdict: verdict, Measured: &trial.Measured{Unit: formula.Nanoseconds, Value: int64(v)},
				Implemented: formula.Window{Unit: formula.Nanoseconds},
			})
		}
	}
	return run.Outcome{
		Trial: of, Subject: subject, Verdict: verdict,
		Attempts: []run.Attempt{{Result: trial.Result{Verdict: verdict, Findings: findings}}},
	}
}

func side(subject string, sigterm time.Duration) trace.Side {
	return trace.Side{Name: subject, Traces: []trace.Trace{{
		Trial: "termination/grace-5", Subject: subject, Seed: 1,
		Entries: []trace.Entry{{At: int64(sigterm), Kind: "cri", What: "StopContainer", Pod: "pod"}},
	}}}
}

func of(verdict trial.Verdict, sigterm, death time.Duration) difference.Answer {
	values := map[string]time.Duration{"fault-to-sigterm": time.Second, "sigterm-to-death": 5 * time.Second}
	r := run.Run{Outcomes: []run.Outcome{
		outcome(base, "termination/grace-5", trial.Conforms, values),
		outcome(changed, "termination/grace-5", verdict,
			map[string]time.Duration{"fault-to-sigterm": sigterm, "sigterm-to-death": death}),
	}}
	return difference.Of(r, side(base, time.Second), side(changed, sigterm))
}

func TestNothingChanged(t *testing.T) {
	g := NewWithT(t)
	a := of(trial.Conforms, time.Second, 5*time.Second)
	var b bytes.Buffer
	g.Expect(terminal.Report(&b, a.Report(), screen.Screen{})).To(Succeed())
	g.Expect(b.String()).To(Equal("Nothing changed from virtual:v1.36.3 to virtual:v1.36.3+abc@./kubernetes, " +
		"in 1 trial and 2 claims.\n"))
	g.Expect(a.ExitCode()).To(Equal(0))
}

// A value that conforms may have changed all the same.
func TestAValueChanged(t *testing.T) {
	g := NewWithT(t)
	a := of(trial.Conforms, 1200*time.Millisecond, 5*time.Second)
	g.Expect(a.ExitCode()).To(Equal(run.ExitChanged))
	g.Expect(a.Changed).To(HaveLen(1))
	g.Expect(a.Changed[0].String()).To(Equal("termination/grace-5 fault-to-sigterm: 1.000 s → 1.200 s (+200ms)"))
	for _, write := range []func(*bytes.Buffer) error{
		func(b *bytes.Buffer) error { return terminal.Report(b, a.Report(), screen.Screen{}) },
		func(b *bytes.Buffer) error { return markdown.Report(b, a.Report()) },
		func(b *bytes.Buffer) error { return trend.Tree(b, a) },
	} {
		var b bytes.Buffer
		g.Expect(write(&b)).To(Succeed())
		text := strings.Join(strings.Fields(b.String()), " ")
		g.Expect(text).To(ContainSubstring("it conforms: 0 verdicts and 1 values of 1 trial"))
		g.Expect(text).To(ContainSubstring("StopContainer"))
	}
}

// A trace differs although each value is the same.
func TestOnlyATraceChanged(t *testing.T) {
	g := NewWithT(t)
	a := of(trial.Conforms, time.Second, 5*time.Second)
	a = difference.Of(a.Run, side(base, time.Second), side(changed, 2*time.Second))
	g.Expect(a.Changed).To(BeEmpty())
	g.Expect(a.ExitCode()).To(Equal(run.ExitChanged))
}

func TestVerdictsComeFirst(t *testing.T) {
	g := NewWithT(t)
	a := of(trial.Deviates, time.Second, 5100*time.Millisecond)
	g.Expect(a.ExitCode()).To(Equal(run.ExitDeviates))
	g.Expect(a.Deviating).To(Equal([]string{"termination/grace-5"}))
	g.Expect(a.Changed[0].Judged()).To(BeTrue())
	g.Expect(a.Changed[0].Claim).To(Equal("sigterm-to-death"), "the larger change")
	g.Expect(a.Changed[0].String()).To(HaveSuffix("5.000 s, conforms → 5.100 s (+100ms), deviates"))
}

// A tree whose trials were not judged, or that has no trace, is not unchanged.
func TestUnknownIsNotUnchanged(t *testing.T) {
	g := NewWithT(t)
	g.Expect(of(trial.Inconclusive, time.Second, 5*time.Second).ExitCode()).To(Equal(run.ExitUnjudged))
	a := of(trial.Conforms, time.Second, 5*time.Second)
	from, to := trace.Side{Name: base}, trace.Side{Name: changed}
	g.Expect(difference.Of(a.Run, from, to).ExitCode()).To(Equal(run.ExitUnjudged))
	g.Expect(difference.Of(run.Run{}, from, to).ExitCode()).To(Equal(run.ExitUnjudged))
}

// Between releases, trials that changed alike are one row, and a claim that only one side has is none.
func TestReleases(t *testing.T) {
	g := NewWithT(t)
	var r run.Run
	for _, name := range []string{"deletion/default", "deletion/force"} {
		old := outcome("virtual:v1.35.4", name, trial.Conforms,
			map[string]time.Duration{"sigterm-to-death": time.Second})
		old.About = "what " + name + " shows"
		asked := func(reference string) trial.Mistake {
			return trial.Mistake{Kind: trial.OtherRelease, Diagnosis: trial.Diagnosis{Reference: reference}}
		}
		old.Attempts[0].Result.Findings[0].Mistakes = []trial.Mistake{
			asked("kubernetes PR 119089"), asked("kubernetes PR 137362"), // the first is as old as v1.32
		}
		r.Outcomes = append(r.Outcomes, old, outcome("virtual:v1.36.3", name, trial.Conforms,
			map[string]time.Duration{"fault-to-sigterm": time.Second, "sigterm-to-death": 2 * time.Second}))
	}
	var b bytes.Buffer
	releases := []kubelets.Subject{{Virtual: true, Version: "v1.35.4"}, {Virtual: true, Version: "v1.36.3"}}
	g.Expect(markdown.Releases(&b, slices.Repeat([]run.Run{r}, 8), releases)).To(Succeed())
	g.Expect(b.String()).To(And(
		ContainSubstring("## v1.35.4 to v1.36.3"), ContainSubstring("2 have another verdict or value"),
		ContainSubstring("asks for a relist of that pod (kubernetes PR 137362)"),
		ContainSubstring("| 2 | `deletion/default` | what deletion/default shows | `sigterm-to-death` | 1.000 s | "+
			"2.000 s (+1s) | kubernetes PR 137362 |"),
	))
	g.Expect(b.String()).NotTo(ContainSubstring("`deletion/force`"))
}

// With several seeds, a random wait is no row. One that is longer for most seeds is, even if not for the first.
func TestReleasesOfSeveralSeeds(t *testing.T) {
	g := NewWithT(t)
	releases := []kubelets.Subject{{Virtual: true, Version: "v1.35.4"}, {Virtual: true, Version: "v1.36.3"}}
	play := func(seed int) run.Run {
		wait := func(by int) map[string]time.Duration {
			if seed == 1 {
				by = 1
			}
			random := time.Duration(10+(seed*by)%7) * time.Second
			return map[string]time.Duration{
				"fault-to-sigterm": random, "sigterm-to-death": random + 60*time.Second*time.Duration(by/3),
			}
		}
		return run.Run{Outcomes: []run.Outcome{
			outcome(releases[0].String(), "restarts/random", trial.Conforms, wait(2)),
			outcome(releases[1].String(), "restarts/random", trial.Conforms, wait(3)),
		}}
	}
	var runs []run.Run
	for seed := range 8 {
		runs = append(runs, play(seed+1))
	}
	var b bytes.Buffer
	g.Expect(markdown.Releases(&b, runs, releases)).To(Succeed())
	g.Expect(b.String()).To(And(ContainSubstring("with 8 seeds"), ContainSubstring("1 have another verdict or value"),
		ContainSubstring("`sigterm-to-death` | 13.000 s | 73.000 s (+1m0s)")))
}
