package view

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view/fixture"
)

// TestOverview arranges the fixture's run, which has all five verdicts, and compares it with the other reports.
func TestOverview(t *testing.T) {
	g := NewWithT(t)
	r := fixture.Fixture()
	v := OverviewOf(r, fixture.LookUp)
	g.Expect(v.Verdict).To(HavePrefix("1 trial measured what the subject's code should not compute, and too " +
		"much is inconclusive: v1.36.3, termination: 1 of 5 trials (in every attempt: never tried); "))
	g.Expect(v.Size).To(HavePrefix("9 trials on 2 subjects"))

	g.Expect(v.Subjects).To(HaveLen(2))
	for i, s := range []string{fixture.Reference, fixture.Mutant} {
		g.Expect(v.Subjects[i].Title()).To(Equal(s))
		g.Expect(v.Subjects[i].Virtual()).To(BeFalse())
		total := 0
		for _, verdict := range Verdicts() {
			total += v.Subjects[i].Count(verdict)
		}
		g.Expect(total).To(Equal(9))
	}

	outcomes := 0
	for _, a := range v.Areas {
		for _, row := range a.Rows {
			g.Expect(row.Trial).To(HavePrefix(a.Name + "/"))
			g.Expect(row.About).NotTo(BeEmpty())
			needsLook := false
			for i, o := range row.Outcomes {
				g.Expect(o.Trial).To(Equal(row.Trial))
				g.Expect(o.Subject).To(Equal(v.Subjects[i].Name))
				g.Expect(ReasonOf(*o) == "").To(Equal(o.Verdict == trial.Conforms), "%s: %s", o.Trial, ReasonOf(*o))
				needsLook = needsLook || o.Verdict == trial.Deviates || o.Verdict == trial.Inconclusive
				outcomes++
			}
			if needsLook {
				g.Expect(row.Notable).To(BeTrue(), row.Trial)
			}
		}
	}
	g.Expect(outcomes).To(Equal(len(r.Outcomes)))

	g.Expect(v.Deviations).NotTo(BeEmpty())
	g.Expect(v.Deviations[0].As).To(Equal("as if " + fixture.ResultRunOne.Name + ": " + fixture.ResultRunOne.Reference))
	g.Expect(v.Deviations[0].Title()).To(HavePrefix("As if "))
	g.Expect(Explanation{}.Title()).To(Equal("No known wrong behaviour fits"))
	g.Expect(v.Deviations[0].On[0].Where).To(Equal(Where{"probes/exec-liveness-fails", fixture.Mutant, 1}))
	g.Expect(v.Deviations[0].On[0].Claims[0].Text).To(HavePrefix("liveness-failing-probes-2: 2, "))
	g.Expect(v.Deviations[0].Should).To(ContainElement(ContainSubstring(fixture.FailingProbes.ID)))

	var inconclusive []string
	for _, reason := range v.Inconclusive {
		for _, on := range reason.On {
			inconclusive = append(inconclusive, on.Trial+" on "+on.Subject)
		}
	}
	g.Expect(inconclusive).
		To(ConsistOf("probes/flapping on "+fixture.Reference, "probes/flapping on "+fixture.Mutant,
			"termination/hook-over-http on "+fixture.Reference, "termination/hook-over-http on "+fixture.Mutant))
	g.Expect(v.Unsupported).To(HaveLen(1))
	g.Expect(v.Unsupported[0].Why).To(Equal("the kubelet has no PodLifecycleSleepActionAllowZero"))

	all := brokenPromises(r)
	external := r
	external.Environment.Settings = map[string]string{"ON": "external", "CONTEXT": "prod", "NODES": "a,b,c"}
	unknown := func(string) (trial.Trial, bool) { return trial.Trial{}, false }
	for _, d := range DivergencesOf(external, unknown) {
		g.Expect(d.Reproduce).To(MatchRegexp(
			`^podclock run --context=prod --focus='[a-z]+/\S+\$' --nodes=v1\S+ --on=external$`), "its nodes and trial")
	}
	g.Expect(v.Divergences).To(HaveLen(len(all)))
	for i, d := range v.Divergences {
		g.Expect(d.Formula).To(Equal(all[i].formula))
		g.Expect(d.Reproduce).To(HavePrefix("make e2e FOCUS="))
		g.Expect(d.Claims).To(HaveLen(len(all[i].claims)))
		for _, claim := range d.Claims {
			broken := 0
			for _, on := range claim.On {
				g.Expect(on.Measured).NotTo(ContainSubstring("*"))
				if on.Broken {
					broken++
				}
			}
			g.Expect(broken).To(BeNumerically(">", 0))
		}
	}
}

// TestVerdictOfARunWithProblems distinguishes a run without verdicts from a run that was judged in part.
func TestVerdictOfARunWithProblems(t *testing.T) {
	lost := []string{"v1.34.4 could not be put under test: it does not compile"}
	with := func(r run.Run) run.Run {
		r.Problems = lost
		return r
	}
	for name, c := range map[string]struct {
		run  run.Run
		want string
	}{
		"nothing judged": {with(run.Run{Outcomes: []run.Outcome{{Verdict: trial.Inconclusive}}}),
			"The harness could not judge: " + lost[0]},
		"judged in part": {with(fixture.Conforming()), "The harness could not judge " +
			"everything: " + lost[0]},
		"judged in part, a deviation": {with(fixture.Fixture()), "1 trial measured what the subject's code should " +
			"not compute; and the harness could not judge everything: " + lost[0]},
		"judged": {fixture.Conforming(), "No trial deviates."},
	} {
		t.Run(
			name,
			func(t *testing.T) {
				NewWithT(t).Expect(OverviewOf(c.run, nil).Verdict).To(Equal(c.want))
			},
		)
	}
}

// TestOverviewOfNothing arranges a run that has nothing.
func TestOverviewOfNothing(t *testing.T) {
	g := NewWithT(t)
	v := OverviewOf(run.Run{}, nil)
	g.Expect(v.Verdict).To(Equal("The harness could not judge: there was nothing to run."))
	g.Expect(v.Subjects).To(BeEmpty())
	g.Expect(v.Size).To(BeEmpty())
}

func TestDivergencesReproduceWithTheTrialThatShouldEndSoonest(t *testing.T) {
	g := NewWithT(t)
	lasts := map[string]time.Duration{"a/slow": time.Minute, "b/fast": time.Second, "c/gone": 0}
	find := func(id string) (trial.Trial, bool) { return trial.Trial{ID: id, Lasts: lasts[id]}, id != "c/gone" }
	on := map[string]trial.Finding{fixture.Reference: {Verdict: trial.Divergent}}
	p := promise{
		claims: []promisedClaim{{trial: "a/slow", on: on}, {trial: "b/fast", on: on}, {trial: "c/gone", on: on}},
	}
	g.Expect(p.shortest(find).trial).To(Equal("b/fast"), "a trial outside the catalogue cannot be run")
	found := on[fixture.Reference]
	p.claims[0].on = map[string]trial.Finding{fixture.Reference: found, fixture.Mutant: found}
	g.Expect(p.shortest(find).trial).To(Equal("a/slow"), "it diverges on more subjects")
}
