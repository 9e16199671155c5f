package folder

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2/reporters"
	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/host/screen"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/render/junit"
	"github.com/podclock/podclock/reports/render/markdown"
	"github.com/podclock/podclock/reports/render/terminal"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/fixture"
)

func TestAgreement(t *testing.T) {
	g := NewWithT(t)
	a := view.AgreementOf(fixture.BothLanes())
	// Each of two subjects has nine trials. One cannot be judged in either lane, one is inconclusive in both,
	// one is unsupported in both, and one is unsupported in the virtual lane only.
	g.Expect(a.Trials).
		To(Equal(view.AgreementCount{Judged: 12, Agree: 10, Inconclusive: 2, UnsupportedInBoth: 2,
			UnsupportedInVirtual: 2}))
	g.Expect(a.Claims).To(Equal(view.AgreementCount{Judged: 22, Agree: 19, Inconclusive: 2}))
	g.Expect(a.ByComponent).
		To(Equal(map[string]view.AgreementCount{"kubelet": {Judged: 20, Agree: 17, Inconclusive: 2},
			"container runtime": {Judged: 2, Agree: 2}}))
	g.Expect(a.OneSided).To(BeEmpty())
	g.Expect(said(a.Disagreements)).To(Equal([]string{
		"termination/grace-of-one-second on v1.36.3: node divergent, virtual deviates",
		"termination/grace-of-one-second on v1.36.3, sigterm-to-death: node divergent (2.034 s), virtual deviates " +
			"(1.200 s)",
		"probes/exec-liveness-fails on v1.36.3+resultrun-one: node deviates, virtual conforms",
		"probes/exec-liveness-fails on v1.36.3+resultrun-one, liveness-failing-probes-2: node deviates (2), " +
			"virtual conforms (3)",
		"probes/exec-liveness-fails on v1.36.3+resultrun-one, sigterm-to-sigterm-2: node deviates (6.000 s), " +
			"virtual conforms (8.000 s)",
	}))
	g.Expect(a.String()).
		To(Equal("node and virtual agree on 10 of 12 verdicts (2 unsupported in the virtual lane, 2 unsupported " +
			"in both, 2 inconclusive); " +
			"on 17 of 20 claims of the kubelet's own rules (2 inconclusive); " +
			"on 2 of 2 claims about the container runtime or the API server (the virtual lane has only models " +
			"of them)."))
	g.Expect(view.Agreement{Trials: view.AgreementCount{Inconclusive: 1}}.String()).
		To(Equal("node and virtual agree on no verdict, because none was judged in both (1 inconclusive); " +
			"on no claim of the kubelet's own rules, because none was judged in both."))
	g.Expect(view.Agreement{ByComponent: map[string]view.AgreementCount{
		"kubelet": {
			Judged: 5,
			Agree:  5,
		},
		"container runtime": {Judged: 4, Agree: 3, InOneLane: 1},
		"API server":        {Judged: 3, Agree: 3},
		"controller":        {Judged: 2, Agree: 1},
		"one of tomorrow":   {Judged: 1},
	}}.String()).To(HaveSuffix("; on 5 of 5 claims of the kubelet's own rules; on 6 of 8 claims about the " +
		"container runtime or the API server " +
		"(the virtual lane has only models of them) (1 in one lane only); on 1 of 2 claims of a controller's rules."))
}

// TestWhatHasNoTwinIsNotCompared expects that only subjects that differ in nothing except their lane are
// compared.
func TestWhatHasNoTwinIsNotCompared(t *testing.T) {
	for name, change := range map[string]func(*run.Run){
		"a run without a virtual lane": func(r *run.Run) { *r = r.In(run.NodeLane) },
		"a run without a node lane":    func(r *run.Run) { *r = r.In(run.VirtualLane) },
		"another " +
			"version": func(r *run.Run) {
			r.Subjects[0].Kubelet.Version, r.Subjects[1].Kubelet.Version = "v1.35.4",
				"v1.34.4"
		},
		"another mutation": func(r *run.Run) {
			r.Subjects[0].Mutation, r.Subjects[1].Mutation = "no-minimum-grace", "resultrun-kept"
		},
		"a binary of the user's own": func(r *run.Run) {
			r.Subjects[0].Path, r.Subjects[1].Path = "./kubelet", "./kubelet2"
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := fixture.BothLanes()
			change(&r)
			NewWithT(t).Expect(view.AgreementOf(r)).To(BeNil())
			NewWithT(t).Expect(summaryText(t, r, terminal.Options{})).NotTo(ContainSubstring("agree"))
		})
	}
}

// TestSourceTreeInBothLanesIsCompared expects that one tree in both lanes is one code.
func TestSourceTreeInBothLanesIsCompared(t *testing.T) {
	g := NewWithT(t)
	r := fixture.BothLanes()
	without := view.AgreementOf(r)
	for i := range r.Subjects {
		r.Subjects[i].Path = "./kubernetes"
	}
	g.Expect(without).NotTo(BeNil())
	g.Expect(view.AgreementOf(r)).To(Equal(without))
}

func TestAgreementCount(t *testing.T) {
	for _, c := range []struct {
		node, virtual trial.Verdict
		disagree      bool
		want          view.AgreementCount
	}{
		{trial.Conforms, trial.Conforms, false, view.AgreementCount{Judged: 1, Agree: 1}},
		{trial.Conforms, trial.Divergent, true, view.AgreementCount{Judged: 1}},
		{trial.Conforms, trial.Deviates, true, view.AgreementCount{Judged: 1}},
		{trial.Deviates, trial.Deviates, false, view.AgreementCount{Judged: 1, Agree: 1}},
		{trial.Deviates, trial.Inconclusive, false, view.AgreementCount{Inconclusive: 1}},
		{trial.Inconclusive, trial.Inconclusive, false, view.AgreementCount{Inconclusive: 1}},
		{trial.Inconclusive, trial.Unsupported, false, view.AgreementCount{UnsupportedInVirtual: 1}},
		{trial.Unsupported, trial.Deviates, false, view.AgreementCount{UnsupportedInNode: 1}},
		{trial.Unsupported, trial.Unsupported, false, view.AgreementCount{UnsupportedInBoth: 1}},
		{trial.Conforms, "no verdict", false, view.AgreementCount{Inconclusive: 1}},
	} {
		g := NewWithT(t)
		var got view.AgreementCount
		g.Expect(got.Take(c.node, c.virtual)).To(Equal(c.disagree), "%v", c)
		g.Expect(got).To(Equal(c.want), "%v", c)
	}
}

// TestDelayDecidesOnAPromise has a sidecar whose turn took 3.4 s in the virtual lane and 4.5 s on a busy node. The
// kubelet left it seven seconds of ten in both lanes. The node's promise is less, by less than its delay.
func TestDelayDecidesOnAPromise(t *testing.T) {
	const delay = 700 * time.Millisecond
	window := func(earliest, latest time.Duration) *formula.Window {
		return &formula.Window{Earliest: int64(earliest), Latest: int64(latest)}
	}
	less, more := window(5500*time.Millisecond, 6500*time.Millisecond), window(6600*time.Millisecond, 8*time.Second)
	g := NewWithT(t)
	agreement := func(node, virtual trial.Finding, further ...trial.Finding) view.Agreement {
		r := fixture.BothLanes()
		r.Outcomes = nil
		for subject, f := range map[string]trial.Finding{fixture.Reference: node, fixture.VirtualReference: virtual} {
			f.Claim = "gone-first"
			o := run.Outcome{Trial: "sidecars/hooks-in-parallel", Subject: subject, Verdict: f.Verdict}
			result := trial.Result{Verdict: f.Verdict, Findings: []trial.Finding{f}}
			if subject == fixture.Reference {
				result.Findings = append(result.Findings, further...)
			}
			o.Attempts = []run.Attempt{{Result: result}}
			r.Outcomes = append(r.Outcomes, o)
		}
		a := *view.AgreementOf(r)
		g.Expect(len(r.LanesDisagree())).To(Equal(a.Trials.Judged-a.Trials.Agree), "exit code and report")
		return a
	}
	finding := func(verdict trial.Verdict, value time.Duration, promise *formula.Window) trial.Finding {
		m := &trial.Measured{Value: int64(value), Unit: formula.Nanoseconds}
		return trial.Finding{Verdict: verdict, Measured: m, Documented: promise}
	}
	delayed := func(f trial.Finding, by time.Duration) trial.Finding {
		f.Delay = by
		return f
	}
	divergent := finding(trial.Divergent, 7100*time.Millisecond, less)
	conforms := finding(trial.Conforms, 7*time.Second, more)
	further := trial.Finding{Claim: "of-the-node-alone", Verdict: trial.Conforms}
	for _, a := range []view.Agreement{
		agreement(delayed(divergent, delay), conforms),
		agreement(delayed(conforms, delay), finding(trial.Divergent, 7*time.Second, less)),
	} {
		g.Expect(a.Disagreements).To(BeEmpty())
		g.Expect([]view.AgreementCount{a.Trials, a.Claims}).To(HaveEach(view.AgreementCount{Judged: 1, Agree: 1}))
	}
	g.Expect(agreement(delayed(divergent, delay), conforms, further).Disagreements).To(BeEmpty())

	count := delayed(divergent, delay)
	further = delayed(divergent, delay)
	unpromised := delayed(finding(trial.Conforms, 7*time.Second, nil), delay)
	deviates := finding(trial.Deviates, 7*time.Second, less)
	beside := delayed(finding(trial.Divergent, 7500*time.Millisecond, less), time.Minute)
	further.Claim = "of-the-node-alone"
	count.Measured = &trial.Measured{Value: 7, Unit: formula.Count}
	alike := conforms
	alike.Implemented = formula.Window{Earliest: 7, Latest: 7}
	for fault, a := range map[string]view.Agreement{
		"no delay":                    agreement(divergent, conforms),
		"a delay that is too short":   agreement(delayed(divergent, 599*time.Millisecond), conforms),
		"a second beside the promise": agreement(beside, conforms),
		"a count that both may have":  agreement(count, alike),
		"no promise on the node":      agreement(unpromised, divergent),
		"the virtual lane deviates":   agreement(delayed(divergent, delay), deviates),
		"the node deviates":           agreement(delayed(deviates, delay), conforms),
		"a claim of one lane alone":   agreement(delayed(divergent, delay), conforms, further),
	} {
		g.Expect(a.Disagreements).NotTo(BeEmpty(), fault)
	}
}

// TestWhatHappenedOnTheNodeAloneDecides has an end by the kernel that the node's runtime did not show as one. The
// formula knows that of the node's runtime, and excludes it on the virtual node.
func TestWhatHappenedOnTheNodeAloneDecides(t *testing.T) {
	finding := func(v trial.Verdict, value, least int64) trial.Finding {
		return trial.Finding{
			Claim: "oomkilled-end-reason", Verdict: v, Measured: &trial.Measured{Value: value, Unit: formula.Count},
			Implemented: formula.Window{Unit: formula.Count, Earliest: least, Latest: 1},
			Documented:  &formula.Window{Unit: formula.Count, Earliest: 1, Latest: 1},
		}
	}
	outcome := func(f trial.Finding) run.Outcome {
		result := trial.Result{Verdict: f.Verdict, Findings: []trial.Finding{f}}
		return run.Outcome{Verdict: f.Verdict, Attempts: []run.Attempt{{Result: result}}}
	}
	lost, shown := finding(trial.Divergent, 0, 0), finding(trial.Conforms, 1, 1)
	drawn, wrong := lost, finding(trial.Deviates, 0, 1)
	drawn.LeftToChance, wrong.LeftToChance = true, true
	for name, c := range map[string]struct {
		node, virtual trial.Finding
		agree         bool
	}{
		"possible on the node alone":        {lost, shown, true},
		"possible on both":                  {lost, finding(trial.Conforms, 1, 0), false},
		"possible on both, by chance":       {drawn, finding(trial.Conforms, 1, 0), true},
		"wrong on the node, by chance":      {wrong, shown, false},
		"wrong on the node":                 {finding(trial.Deviates, 0, 1), shown, false},
		"wrong on the virtual node":         {lost, finding(trial.Deviates, 0, 1), false},
		"possible on the virtual one alone": {shown, lost, false},
	} {
		NewWithT(t).Expect(run.LanesAgree(outcome(c.node), outcome(c.virtual))).To(Equal(c.agree), name)
	}
}

// TestClaimsOfOneLaneAreCounted has a claim that applies to one lane's kubelet only. It must be in the count.
func TestClaimsOfOneLaneAreCounted(t *testing.T) {
	g := NewWithT(t)
	r := fixture.BothLanes()
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if o.Trial == "termination/ignored-sigterm" && o.Subject == fixture.VirtualReference {
			result := &o.Attempts[0].Result
			result.Findings = result.Findings[1:]
		}
		if o.Trial == "termination/ignored-sigterm" && o.Subject == fixture.Mutant {
			result := &o.Attempts[0].Result
			result.Findings = result.Findings[:1]
		}
	}
	a := view.AgreementOf(r)
	g.Expect(a.Claims.InOneLane).To(Equal(2))
	g.Expect(a.Claims.Judged).To(Equal(20))
	g.Expect(said(a.OneSided)).To(Equal([]string{
		"termination/ignored-sigterm on v1.36.3, sigterm-to-death: node conforms (5.021 s), virtual not held to it",
		"termination/ignored-sigterm on v1.36.3+resultrun-one, fault-to-death: node not held to it, virtual " +
			"conforms (6.221 s)",
	}))
}

// TestJudgedInOneLaneOnly expects the verdicts of both lanes in the report. The summary lists only deviations,
// because the other lane does not contradict them.
func TestJudgedInOneLaneOnly(t *testing.T) {
	g := NewWithT(t)
	r := fixture.BothLanes()
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		switch {
		case o.Trial == "termination/ignored-sigterm" && o.Subject == fixture.VirtualReference:
			o.Attempts[0].Result.Findings = slices.Clone(o.Attempts[0].Result.Findings)
			o.Attempts[0].Result.Findings[1].Verdict = trial.Inconclusive
		case o.Trial == "termination/exits-on-sigterm" && o.Subject == fixture.VirtualMutant:
			o.Attempts, o.Verdict, o.Why = nil, trial.Inconclusive, "it never ran"
		case o.Trial == "probes/exec-liveness-fails" && o.Subject == fixture.VirtualMutant:
			o.Verdict = trial.Inconclusive
			o.Attempts[0].Result.Findings = slices.Clone(o.Attempts[0].Result.Findings)
			o.Attempts[0].Result.Findings[1].Verdict = trial.Inconclusive
		}
	}
	const deviation = "probes/exec-liveness-fails on v1.36.3+resultrun-one, liveness-failing-probes-2: node " +
		"deviates (2), virtual inconclusive (3)"
	a := view.AgreementOf(r)
	g.Expect(said(a.OneSided)).To(Equal([]string{
		"termination/ignored-sigterm on v1.36.3, fault-to-death: node conforms (6.221 s), virtual inconclusive (6.221 s)",
		"termination/exits-on-sigterm on v1.36.3+resultrun-one: node conforms, virtual inconclusive",
		deviation,
	}))
	var md bytes.Buffer
	g.Expect(markdown.Run(&md, view.OverviewOf(r, nil))).To(Succeed())
	g.Expect(md.String()).
		To(ContainSubstring("\n## Judged in one lane only\n\n- " + strings.Join(said(a.OneSided), "\n- ") + "\n"))
	g.Expect(summaryText(t, r, terminal.Options{Screen: screen.Screen{Width: 1000}})).To(And(
		ContainSubstring(
			"\nDeviates in one lane, and is not judged in the other\n  "+deviation+"\n\n",
		),
		Not(ContainSubstring("virtual inconclusive (6.221 s)")),
	))

	text, err := json.Marshal(view.FiguresOf(r).Lanes.OneSided[0])
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(text).To(MatchJSON(`{"trial": "termination/ignored-sigterm", "claim": "fault-to-death",
		"node": {"subject": "v1.36.3", "verdict": "conforms", "measured": "6.221 s"},
		"virtual": {"subject": "virtual:v1.36.3", "verdict": "inconclusive", "measured": "6.221 s"}}`))
}

func said(all []view.Disagreement) []string {
	var lines []string
	for _, d := range all {
		lines = append(lines, d.String())
	}
	return lines
}

// TestModelsAreMarked expects a mark at each verdict on a model of a runtime or an API server. A node has no
// models.
func TestModelsAreMarked(t *testing.T) {
	g := NewWithT(t)
	for of, marked := range map[formula.Component]bool{
		formula.TheKubelet: false, formula.Controller: false, formula.Runtime: true, formula.APIServer: true,
	} {
		f := trial.Finding{Of: of}
		for lane, want := range map[run.Lane]bool{run.VirtualLane: marked, run.NodeLane: false, "": false} {
			g.Expect(view.OfModel(run.Subject{Lane: lane}, f)).To(Equal(want), of.String())
		}
	}
	r := fixture.BothLanes()
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if o.Trial == "termination/exits-on-sigterm" && o.Subject == fixture.VirtualReference {
			o.Verdict = trial.Deviates
			o.Last().Result.Findings = slices.Clone(o.Last().Result.Findings)
			o.Last().Result.Findings[0].Verdict, o.Last().Result.Findings[0].Why = trial.Deviates, "it outlives itself"
			var file bytes.Buffer
			g.Expect(markdown.Deviation(&file, r, *o)).To(Succeed())
			g.Expect(file.String()).To(ContainSubstring("  - a rule of the: container runtime\n"))
		}
	}
	g.Expect(summaryText(t, r, terminal.Options{Screen: screen.Screen{Width: 1000}})).
		To(ContainSubstring("sigterm-to-death (model): it outlives itself"))
}

// TestADisagreementFailsTheRun expects that the lanes' verdicts alone decide about failures of trials, and that a
// disagreement without a deviation fails the run, unless one of the lanes could not judge.
func TestADisagreementFailsTheRun(t *testing.T) {
	g := NewWithT(t)
	r := fixture.BothLanes()
	for i := range r.Outcomes {
		if v := r.Outcomes[i].Verdict; v == trial.Deviates || v == trial.Inconclusive {
			r.Outcomes[i].Verdict = trial.Conforms
		}
	}
	g.Expect(view.AgreementOf(r).Disagreements).NotTo(BeEmpty())
	report := parse(t, r)
	g.Expect(report.Failures).To(Equal(1), "run/could-judge")
	g.Expect(r.ExitCode()).To(Equal(run.ExitUnjudged))
	const fails = "the harness could not judge: the lanes disagree on 1 verdict, so one of them is wrong: " +
		"termination/grace-of-one-second on v1.36.3 divergent, on virtual:v1.36.3 conforms."
	g.Expect(view.ExitReason(r)).To(Equal(fails))
	g.Expect(report.TestSuites[0].TestCases[0].Failure).To(HaveField("Message", fails))
	told := 0
	for _, s := range report.TestSuites {
		for _, c := range s.TestCases {
			if slices.ContainsFunc(c.Properties.Properties,
				func(p reporters.JUnitProperty) bool { return strings.HasPrefix(p.Name, "lanes-disagree.") }) {
				told++
			}
		}
	}
	g.Expect(told).To(Equal(2*2), "in both lanes")
	for i, o := range r.Outcomes {
		if o.Trial == "termination/grace-of-one-second" && o.Verdict == trial.Divergent {
			r.Outcomes[i].Verdict = trial.Inconclusive
		}
	}
	g.Expect(r.LanesDisagree()).To(BeEmpty())
}

func TestVirtualFigures(t *testing.T) {
	g := NewWithT(t)
	r := fixture.BothLanes()
	f := view.FiguresOf(r)
	attempts := 2 * 7
	// The last outcome that ran is the 17th of 18. It began 0.8 s after the first.
	wall := 16*50*time.Millisecond + 80*time.Millisecond
	g.Expect(*f.Virtual).To(Equal(view.VirtualFigures{
		Attempts: attempts,
		Wall:     wall,
		Sum:      time.Duration(attempts) * 80 * time.Millisecond,
		Virtual:  time.Duration(attempts) * 20 * time.Second,
		Ratio:    float64(attempts) * 20 / wall.Seconds(),
		Longest:  20 * time.Second,
		Claims:   24,
		Modelled: 2,
	}))
	g.Expect(strings.Join(view.OverviewOf(r, nil).Notes, "\n")).
		To(ContainSubstring("Virtual lane: 900ms of real time for 4m40s of virtual time, the sum of 14 runs one " +
			"after another: " +
			"318 times as fast as that. A node lane, which runs all at once, takes at least as long as the " +
			"longest of them, 20s: 23 times as long."))
	g.Expect(view.OverviewOf(r, nil).Notes[0]).
		To(HaveSuffix("Node lane: 25s of real time for 3m4s, the sum of 18 runs one after another: 7.4 times as " +
			"fast as that."))
	g.Expect(f.Lanes).To(Equal(view.AgreementOf(r)))
	g.Expect(f.Outcomes).To(Equal(36))
	only := view.FiguresOf(fixture.Fixture())
	g.Expect([]any{f.Sum, f.Wall, f.Longest, f.LongestSubject, f.Ratio}).
		To(Equal([]any{only.Sum, only.Wall, only.Longest, only.LongestSubject, only.Ratio}),
			"the virtual lane's trials are no part of the node lane's times")

	alone := view.FiguresOf(fixture.Rehearsal())
	g.Expect(alone.Virtual).To(Equal(f.Virtual))
	g.Expect([]time.Duration{alone.Wall, alone.Longest, alone.Sum}).To(HaveEach(BeZero()))
}

// TestEveryReportNamesTheLimitsOfTheVirtualLane matters because a virtual verdict does not cover a real node.
func TestEveryReportNamesTheLimitsOfTheVirtualLane(t *testing.T) {
	g := NewWithT(t)
	told := ContainSubstring("its verdicts say nothing of a container runtime, a kernel or an API server")
	for _, r := range []run.Run{fixture.BothLanes(), fixture.Rehearsal()} {
		var md, xml, divergences, deviation bytes.Buffer
		g.Expect(markdown.Run(&md, view.OverviewOf(r, nil))).To(Succeed())
		g.Expect(junit.Run(&xml, view.OverviewOf(r, nil))).To(Succeed())
		g.Expect(markdown.Divergences(&divergences, r, fixture.LookUp, nil)).
			To(Succeed())
		for _, o := range r.Outcomes {
			if o.Subject == fixture.VirtualReference && o.Verdict == trial.Deviates {
				g.Expect(markdown.Deviation(&deviation, r, o)).To(Succeed())
			}
		}
		for _, text := range []string{summaryText(t, r, terminal.Options{Screen: screen.Screen{Width: 1000}}),
			md.String(), xml.String(), divergences.String(), deviation.String()} {
			g.Expect(text).To(told)
		}
	}
	g.Expect(summaryText(t, fixture.Fixture(), terminal.Options{Screen: screen.Screen{Width: 1000}})).NotTo(told)
}
