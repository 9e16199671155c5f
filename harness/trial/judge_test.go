package trial

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
)

// The window of most tests: 5 to 6 s implemented; documented is 5 to 5.5 s.
var narrowPromise = predicts(5*time.Second, 6*time.Second, 5*time.Second, 5500*time.Millisecond)

func TestVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		after time.Duration
		want  Verdict
	}{
		"a hair before":           {5*time.Second - 1, Deviates},
		"the earliest":            {5 * time.Second, Conforms},
		"documented's latest":     {5500 * time.Millisecond, Conforms},
		"a hair after documented": {5500*time.Millisecond + 1, Divergent},
		"the latest":              {6 * time.Second, Divergent},
		"a hair after":            {6*time.Second + 1, Deviates},
		"far away":                {time.Hour, Deviates},
		"before it was signalled": {-time.Second, Deviates},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			f := judge1(dying(narrowPromise), lifeOf(c.after), delay.Record{})
			g.Expect(f.Verdict).To(gomega.Equal(c.want), f.Why)
			g.Expect(f.Why == "").To(gomega.Equal(c.want == Conforms), "every other verdict explains itself: %q", f.Why)
			g.Expect(f.Measured.Value).To(gomega.Equal(int64(c.after)))
			g.Expect(f.Promise).NotTo(gomega.BeEmpty())
		})
	}
}

// Where the documentation is silent, what the code computes conforms.
func TestNoPromiseNoDivergence(t *testing.T) {
	f := judge1(dying(predicts(5*time.Second, 6*time.Second, 0, 0)), lifeOf(6*time.Second), delay.Record{})
	gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(Conforms))
	gomega.NewWithT(t).Expect(f.Documented).To(gomega.BeNil())
}

// A finding says whose rule it judged; a saved run says nothing where that is the kubelet's, as most are.
func TestFindingSaysWhoseRuleItIs(t *testing.T) {
	g := gomega.NewWithT(t)
	own := predicts(5*time.Second, 6*time.Second, 0, 0)
	of := func(f formula.Formula) (Finding, string) {
		found := judge1(dying(f), lifeOf(5*time.Second), delay.Record{})
		saved, err := json.Marshal(found)
		g.Expect(err).NotTo(gomega.HaveOccurred())
		return found, string(saved)
	}
	found, saved := of(own)
	g.Expect(found.Of).To(gomega.Equal(formula.TheKubelet))
	g.Expect(saved).NotTo(gomega.ContainSubstring(`"of"`))
	own.Of = formula.Runtime
	found, saved = of(own)
	g.Expect(found.Of).To(gomega.Equal(formula.Runtime))
	g.Expect(saved).To(gomega.ContainSubstring(`"of":"container runtime"`))
}

// The observer's error widens both windows, each end by what moves the value over it: an end seen late
// makes the value too large, a beginning seen late makes it too small.
func TestObserverErrorWidensTheWindow(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		after                                    time.Duration
		termEarly, termLate, goneEarly, goneLate time.Duration
		want                                     Verdict
	}{
		"late end, at its limit":             {6*time.Second + 3*ms, 0, 0, 3 * ms, 0, Divergent},
		"late end, beyond":                   {6*time.Second + 3*ms + 1, 0, 0, 3 * ms, 0, Deviates},
		"early beginning helps nothing late": {6*time.Second + 3*ms, 3 * ms, 0, 0, 0, Deviates},
		"late beginning, at its limit":       {5*time.Second - 3*ms, 3 * ms, 0, 0, 0, Conforms},
		"late beginning, beyond":             {5*time.Second - 3*ms - 1, 3 * ms, 0, 0, 0, Deviates},
		"late end helps nothing early":       {5*time.Second - 3*ms, 0, 0, 3 * ms, 0, Deviates},
		"both errors add up":                 {6*time.Second + 5*ms, 0, 2 * ms, 3 * ms, 0, Divergent},
		"both errors add up, beyond":         {6*time.Second + 5*ms + 1, 0, 2 * ms, 3 * ms, 0, Deviates},
		"documented is widened as well":      {5500*ms + 3*ms, 0, 0, 3 * ms, 0, Conforms},
	} {
		t.Run(name, func(t *testing.T) {
			tl := lifeOf(c.after)
			life := tl.Life(Main, 1)
			life.SIGTERMs[0].Early, life.SIGTERMs[0].Late = int64(c.termEarly), int64(c.termLate)
			life.Gone.Early, life.Gone.Late = int64(c.goneEarly), int64(c.goneLate)
			f := judge1(dying(narrowPromise), tl, delay.Record{})
			g := gomega.NewWithT(t)
			g.Expect(f.Verdict).To(gomega.Equal(c.want), f.Why)
			g.Expect(f.Implemented.Terms[len(f.Implemented.Terms)-1].Name).To(gomega.Equal("observer"))
		})
	}
}

// A stalled node can explain a value that is too late by what it kept waiting since a second before the
// beginning, and one that is too early only by what made its beginning late.
func TestNoiseExcuses(t *testing.T) {
	stall := func(from, to time.Duration) delay.Record {
		return delay.Record{LateTicks: []delay.Span{{From: zero + int64(from), To: zero + int64(to)}}}
	}
	const half = 500 * time.Millisecond
	for name, c := range map[string]struct {
		after time.Duration
		noise delay.Record
		want  Verdict
	}{
		"late by as much as it stalled":           {6*time.Second + half, stall(12*time.Second, 12*time.Second+half), Inconclusive},
		"late by a hair more":                     {6*time.Second + half + 1, stall(12*time.Second, 12*time.Second+half), Deviates},
		"late, stalled just before the beginning": {6*time.Second + half, stall(9*time.Second, 9*time.Second+half), Inconclusive},
		"late, stalled long before":               {6*time.Second + half, stall(8*time.Second, 8*time.Second+half), Deviates},
		"late, stalled afterwards":                {6*time.Second + half, stall(17*time.Second, 18*time.Second), Deviates},
		"early, beginning was late":               {5*time.Second - half, stall(9*time.Second, 9*time.Second+half), Inconclusive},
		"early by a hair more":                    {5*time.Second - half - 1, stall(9*time.Second, 9*time.Second+half), Deviates},
		"early, stalled in between":               {5*time.Second - half, stall(12*time.Second, 13*time.Second-1), Deviates},
		"inside, stalled at both ends":            {5 * time.Second, stall(14*time.Second+half, 15*time.Second+half-1), Conforms},
	} {
		t.Run(name, func(t *testing.T) {
			f := judge1(dying(narrowPromise), lifeOf(c.after), c.noise)
			gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), f.Why)
			gomega.NewWithT(t).Expect(f.Diagnosis).To(gomega.BeNil())
		})
	}
}

// A busy node makes work slower, but no timer: what it kept waiting while nothing was done excuses nothing.
// The window leaves a second for work.
func TestABusyNodeExcusesWorkAlone(t *testing.T) {
	const latest = 6 * time.Second
	for name, c := range map[string]struct {
		busy float64
		late time.Duration
		want Verdict
	}{
		"work that lost as much again": {0.5, 990 * time.Millisecond, Inconclusive},
		"more than it can have lost":   {0.5, 1300 * time.Millisecond, Deviates},
		"a second made four":           {0.75, 2900 * time.Millisecond, Inconclusive},
		"a second made no five":        {0.75, 3500 * time.Millisecond, Deviates},
		"cores that were never free":   {1, 20 * time.Second, Inconclusive},
	} {
		noise, sample := delay.Record{}, delay.Sample{At: zero}
		for range 200 {
			noise.PSI = append(noise.PSI, sample)
			sample.At += int64(250 * time.Millisecond)
			sample.CPUNS += int64(c.busy * float64(250*time.Millisecond))
		}
		f := judge1(dying(narrowPromise), lifeOf(latest+c.late), noise)
		gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), "%s: %s", name, f.Why)
	}
}

// The first mark of a process may come late by as much as a busy node is slow to start it; a signal's mark may not.
func TestASlowStartExcusesAnEarlyEnd(t *testing.T) {
	busy := busyFor(time.Minute)
	hooked := func(early time.Duration) *timeline.Timeline {
		tl := lifeOf(5*time.Second - early)
		tl.Life(Main, 1).Hooks = []timeline.Hook{{Began: *at(10 * time.Second)}}
		return tl
	}
	fromHook := claiming(Claim{Measure: Between(HookBegan, Gone), Formula: narrowPromise})
	g := gomega.NewWithT(t)
	g.Expect(judge1(fromHook, hooked(3*time.Second), busy).Verdict).To(gomega.Equal(Inconclusive))
	g.Expect(judge1(fromHook, hooked(3*time.Second), delay.Record{}).Verdict).
		To(gomega.Equal(Deviates), "but not on a quiet node")
	g.Expect(judge1(dying(narrowPromise), hooked(3*time.Second), busy).Verdict).
		To(gomega.Equal(Deviates), "nor the time from a signal")

	probed := func(handler string) *timeline.Timeline {
		tl := lifeOf(2 * time.Second)
		tl.Life(Main, 1).Probes = []timeline.Probe{
			{At: *at(10 * time.Second), For: "liveness", Handler: handler, Answer: "F"},
		}
		return tl
	}
	fromProbe := claiming(Claim{Measure: Between(LastProbe("liveness"), Gone), Formula: narrowPromise})
	g.Expect(judge1(fromProbe, probed("exec"), busy).Verdict).
		To(gomega.Equal(Inconclusive), "a probe over exec is a process")
	g.Expect(judge1(fromProbe, probed("http"), busy).Verdict).To(gomega.Equal(Deviates), "a request is none")
}

// busyFor is a node whose cores are all taken for so long of a minute.
func busyFor(d time.Duration) delay.Record {
	return delay.Record{PSI: []delay.Sample{{At: zero}, {At: zero + int64(time.Minute), CPUNS: int64(d)}}}
}

// A number of things is not changed by a slow node.
func TestNoiseExcusesNoCount(t *testing.T) {
	n := busyFor(time.Minute)
	trial := claiming(Claim{Measure: StopSignals(), Formula: counts(2)})
	gomega.NewWithT(t).Expect(judge1(trial, lifeOf(5*time.Second), n).Verdict).To(gomega.Equal(Deviates))
}

func TestDoubtMakesEverythingInconclusive(t *testing.T) {
	for name, after := range map[string]time.Duration{"inside": 5 * time.Second, "divergent": 6 * time.Second, "outside": 9 * time.Second} {
		tl := lifeOf(after)
		tl.Doubts = []string{"marks are missing", "and more"}
		r := Judge(dying(narrowPromise, rival("any", 0, time.Minute)), tl, delay.Record{}, newest)
		g := gomega.NewWithT(t)
		g.Expect(r.Verdict).To(gomega.Equal(Inconclusive), name)
		g.Expect(r.Doubts).To(gomega.Equal(tl.Doubts))
		g.Expect(r.Findings[0].Why).To(gomega.Equal("marks are missing"))
		g.Expect(r.Findings[0].Diagnosis).To(gomega.BeNil(), name)
	}
	absent := lifeOf(0)
	absent.Life(Main, 1).Gone = nil
	absent.Doubts = []string{"marks are missing"}
	gomega.NewWithT(t).
		Expect(judge1(dying(narrowPromise), absent, delay.Record{}).Verdict).
		To(gomega.Equal(Inconclusive))
}

// An end that never came is a deviation once everything up to beyond the window is known, noise included;
// before, nothing is known.
func TestAbsence(t *testing.T) {
	latest := 16 * time.Second // SIGTERM at 10 s, the window's end 6 s later
	for name, c := range map[string]struct {
		known time.Duration
		noise time.Duration
		want  Verdict
	}{
		"known far beyond":               {time.Minute, 0, Deviates},
		"known to the window's end":      {latest, 0, Inconclusive},
		"known to almost surely absent":  {latest + surelyAbsent, 0, Inconclusive},
		"known to surely absent":         {latest + surelyAbsent + 1, 0, Deviates},
		"known to its middle":            {13 * time.Second, 0, Inconclusive},
		"beyond, but by less than noise": {latest + surelyAbsent + time.Second, 2 * time.Second, Inconclusive},
		"beyond by more than noise":      {latest + surelyAbsent + 3*time.Second, 2 * time.Second, Deviates},
	} {
		t.Run(name, func(t *testing.T) {
			tl := lifeOf(0)
			tl.Life(Main, 1).Gone = nil
			tl.Known = zero + int64(c.known)
			n := busyFor(c.noise)
			f := judge1(dying(narrowPromise), tl, n)
			g := gomega.NewWithT(t)
			g.Expect(f.Verdict).To(gomega.Equal(c.want), f.Why)
			g.Expect(f.Why).To(gomega.ContainSubstring("death"), "it says what is missing")
			g.Expect(f.Measured).To(gomega.BeNil())
		})
	}
}

func TestMissingBeginningIsInconclusive(t *testing.T) {
	for name, spoil := range map[string]func(*timeline.Timeline){
		"no signal":    func(tl *timeline.Timeline) { tl.Life(Main, 1).SIGTERMs = nil },
		"no life":      func(tl *timeline.Timeline) { tl.Containers[Main].Lives = nil },
		"no container": func(tl *timeline.Timeline) { delete(tl.Containers, Main) },
	} {
		tl := lifeOf(5 * time.Second)
		spoil(tl)
		f := judge1(dying(narrowPromise), tl, delay.Record{})
		gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(Inconclusive), name)
		gomega.NewWithT(t).Expect(f.Why).To(gomega.ContainSubstring("sigterm never came"), name)
	}
}

// rival is a rival that would have hit a fixed window.
func rival(name string, earliest, latest time.Duration) formula.Rival {
	return formula.Rival{Name: name, Reference: name, Would: func(formula.Input) formula.Window {
		return formula.Window{
			Unit: formula.Nanoseconds,
		}.With(
			formula.Term{Name: "fixed", Earliest: int64(earliest), Latest: int64(latest)},
		)
	}}
}

func TestDiagnosis(t *testing.T) {
	wide, narrow, elsewhere := rival(
		"wide",
		8*time.Second,
		12*time.Second,
	), rival(
		"narrow",
		9*time.Second,
		10*time.Second,
	), rival(
		"elsewhere",
		20*time.Second,
		20*time.Second,
	)
	for name, c := range map[string]struct {
		after  time.Duration
		rivals []formula.Rival
		want   string
	}{
		"the narrowest of two":     {9500 * time.Millisecond, []formula.Rival{wide, narrow, elsewhere}, "narrow"},
		"in any order":             {9500 * time.Millisecond, []formula.Rival{elsewhere, narrow, wide}, "narrow"},
		"the only one that fits":   {11 * time.Second, []formula.Rival{narrow, wide}, "wide"},
		"none fits":                {15 * time.Second, []formula.Rival{narrow, wide, elsewhere}, ""},
		"no rivals":                {9500 * time.Millisecond, nil, ""},
		"none without a deviation": {5800 * time.Millisecond, []formula.Rival{rival("any", 0, time.Hour)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := judge1(dying(narrowPromise, c.rivals...), lifeOf(c.after), delay.Record{})
			got := ""
			if f.Diagnosis != nil {
				got = f.Diagnosis.Name
				gomega.NewWithT(t).Expect(f.Diagnosis.Would.Contains(int64(c.after))).To(gomega.BeTrue())
			}
			gomega.NewWithT(t).Expect(got).To(gomega.Equal(c.want))
		})
	}
}

// A measured value that only its own error keeps from a rival's window still fits the rival.
func TestDiagnosisForgivesTheObserver(t *testing.T) {
	tl := lifeOf(10*time.Second + 2*time.Millisecond)
	tl.Life(Main, 1).Gone.Early = int64(2 * time.Millisecond)
	f := judge1(dying(narrowPromise, rival("ten", 9*time.Second, 10*time.Second)), tl, delay.Record{})
	gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(Deviates))
	gomega.NewWithT(t).Expect(f.Diagnosis).NotTo(gomega.BeNil())
}

func TestWorse(t *testing.T) {
	order := []Verdict{Conforms, Divergent, Unsupported, Inconclusive, Deviates}
	for i, a := range order {
		for j, b := range order {
			gomega.NewWithT(t).Expect(Worse(a, b)).To(gomega.Equal(order[max(i, j)]), "%s and %s", a, b)
		}
	}
	for _, unknown := range []Verdict{"", "passes", "Conforms"} {
		g := gomega.NewWithT(t)
		g.Expect(Worse(unknown, Conforms)).To(gomega.Equal(Inconclusive), "%q", unknown)
		g.Expect(Worse(Conforms, unknown)).To(gomega.Equal(Inconclusive), "%q", unknown)
		g.Expect(Worse(unknown, unknown)).To(gomega.Equal(Inconclusive), "%q", unknown)
		g.Expect(Worse(unknown, Deviates)).To(gomega.Equal(Deviates), "%q", unknown)
	}
}

// A trial is as bad as its worst claim, and nothing claimed is nothing shown.
func TestTrialsVerdict(t *testing.T) {
	conforms := Claim{Measure: Between(Cued, Gone), Formula: predicts(0, time.Hour, 0, 0)}
	divergent := Claim{Measure: Between(Started, Gone), Formula: predicts(0, time.Hour, 0, 1)}
	deviates := Claim{Measure: Between(SIGTERM, Gone), Formula: predicts(0, 1, 0, 0)}
	absent := Claim{Measure: Between(HookBegan, Gone), Formula: predicts(0, 1, 0, 0)}
	for want, claims := range map[Verdict][][]Claim{
		Conforms:     {{conforms}},
		Divergent:    {{conforms, divergent}, {divergent, conforms}},
		Inconclusive: {{}, {conforms, absent}, {absent, divergent}},
		Deviates:     {{deviates}, {absent, deviates, conforms}, {divergent, deviates}},
	} {
		for _, c := range claims {
			r := Judge(claiming(c...), lifeOf(5*time.Second), delay.Record{}, newest)
			gomega.NewWithT(t).Expect(r.Verdict).To(gomega.Equal(want), fmt.Sprint(c))
			gomega.NewWithT(t).Expect(r.Findings).To(gomega.HaveLen(len(c)))
		}
	}
}

// Whatever the window, the errors and the value: inside is never a deviation, outside never conforms, and a
// doubt always wins.
func TestJudgeIsTwoSided(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		earliest := rapid.Int64Range(0, 1e10).Draw(t, "earliest")
		latest := earliest + rapid.Int64Range(0, 1e10).Draw(t, "width")
		early, late := rapid.Int64Range(0, 1e7).
			Draw(t, "SIGTERM late by"),
			rapid.Int64Range(0, 1e7).
				Draw(t, "death late by")
		value := rapid.OneOf(rapid.Int64Range(0, 3e10), rapid.SampledFrom([]int64{earliest - early - 1, earliest - early, latest + late, latest + late + 1})).
			Draw(t, "value")
		tl := lifeOf(time.Duration(value))
		tl.Life(Main, 1).SIGTERMs[0].Early, tl.Life(Main, 1).Gone.Early = early, late
		trial := dying(predicts(time.Duration(earliest), time.Duration(latest), 0, 0))
		want := Deviates
		if earliest-early <= value && value <= latest+late {
			want = Conforms
		}
		if got := judge1(trial, tl, delay.Record{}).Verdict; got != want {
			t.Fatalf("%s, want %s", got, want)
		}
		tl.Doubts = []string{"doubt"}
		if got := judge1(trial, tl, delay.Record{}).Verdict; got != Inconclusive {
			t.Fatalf("%s in spite of a doubt", got)
		}
	})
}

// The formulas were read in some releases; of others they say nothing.
func TestUnsupported(t *testing.T) {
	g := gomega.NewWithT(t)
	r := Judge(dying(narrowPromise), lifeOf(5*time.Second), delay.Record{}, formula.Kubelet{Version: "nightly"})
	g.Expect(r.Verdict).To(gomega.Equal(Unsupported))
	g.Expect(r.Findings).To(gomega.BeEmpty())

	needy := dying(narrowPromise)
	needy.Needs = []formula.Change{formula.SleepAction}
	r = Judge(needy, lifeOf(5*time.Second), delay.Record{}, formula.Kubelet{Version: "v1.23.1"})
	g.Expect(r.Verdict).To(gomega.Equal(Unsupported))
	g.Expect(r.Doubts).To(gomega.ConsistOf(gomega.ContainSubstring("KEP-3960")))
	g.Expect(Judge(needy, lifeOf(5*time.Second), delay.Record{}, newest).Verdict).NotTo(gomega.Equal(Unsupported))
}

// A kubelet is not held to a claim that speaks of what it has not; where none is left, nothing was judged.
func TestClaimsThatAKubeletIsNotHeldTo(t *testing.T) {
	g := gomega.NewWithT(t)
	old := formula.Kubelet{Version: "v1.23.1"}
	wrong := Claim{Measure: StopSignals(), Formula: counts(7), Needs: []formula.Change{formula.Sidecars}}
	right := Claim{Measure: Between(SIGTERM, Gone), Formula: predicts(4*time.Second, 6*time.Second, 0, 0)}
	both := claiming(wrong, right)
	g.Expect(Judge(both, lifeOf(5*time.Second), delay.Record{}, old).Verdict).To(gomega.Equal(Conforms))
	g.Expect(Judge(both, lifeOf(5*time.Second), delay.Record{}, newest).Verdict).To(gomega.Equal(Deviates))
	g.Expect(Judge(claiming(wrong), lifeOf(5*time.Second), delay.Record{}, old).Verdict).
		To(gomega.Equal(Inconclusive))
}

func TestExtrapolated(t *testing.T) {
	for version, want := range map[string]bool{"v1.22.9": true, "v1.23.1": false, "v1.30.2": false, "v1.36.3+resultrun-one": false, "v1.37.0": true} {
		r := Judge(dying(narrowPromise), lifeOf(5*time.Second), delay.Record{}, formula.Kubelet{Version: version})
		gomega.NewWithT(t).Expect(r.Extrapolated).To(gomega.Equal(want), version)
	}
}

// What never came is diagnosed by the rival that never comes to it, and by no other; what came is not.
func TestDiagnosisOfAbsence(t *testing.T) {
	g := gomega.NewWithT(t)
	never := formula.Rival{Name: "it never does", Reference: "an issue", Never: true}
	late := formula.Rival{Name: "it is late", Reference: "another", Would: func(formula.Input) formula.Window {
		return formula.Window{Unit: formula.Nanoseconds}.With(formula.Term{Name: "late", Latest: int64(time.Hour)})
	}}
	trial := dying(predicts(0, 5*time.Second, 0, 0), late, never)
	tl := lifeOf(0)
	tl.Life(Main, 1).Gone = nil
	f := judge1(trial, tl, delay.Record{})
	g.Expect(f.Verdict).To(gomega.Equal(Deviates), f.Why)
	g.Expect(f.Diagnosis).To(gomega.Equal(&Diagnosis{Name: never.Name, Reference: never.Reference, Never: true}))

	g.Expect(judge1(trial, lifeOf(8*time.Second), delay.Record{}).Diagnosis.Name).To(gomega.Equal(late.Name))
	tl.Doubts = []string{"a doubt"}
	g.Expect(judge1(trial, tl, delay.Record{})).
		To(gomega.And(gomega.HaveField("Verdict", Inconclusive), gomega.HaveField("Diagnosis", gomega.BeNil())))
}

// What is to find a kill under way and comes before it tells nothing of a kill under way.
func TestACollisionThatCameTheOtherWayRound(t *testing.T) {
	both := dying(predicts(5*time.Second, 6*time.Second, 0, 0))
	both.KillCause = formula.ByLiveness
	both.Claims = append(
		both.Claims,
		Claim{
			Measure:   Between(Event("Evicted"), Gone),
			Formula:   predicts(0, time.Minute, 0, 0),
			KillCause: formula.ByStorageLimit,
		},
	)
	evicted := func(after time.Duration) *timeline.Timeline {
		tl := lifeOf(time.Second) // killed early: a deviation
		tl.Events = []timeline.Event{{Reason: "Evicted", At: *at(after)}}
		return tl
	}
	g := gomega.NewWithT(t)
	g.Expect(Judge(both, evicted(10500*time.Millisecond), delay.Record{}, newest).Verdict).To(gomega.Equal(Deviates))
	first := evicted(9800 * time.Millisecond)
	r := Judge(both, first, delay.Record{}, newest)
	g.Expect(r.Verdict).To(gomega.Equal(Inconclusive))
	g.Expect(r.Doubts).To(gomega.ConsistOf("event-evicted came 200ms before the kill that it was to find under way"))
	g.Expect(first.Doubts).To(gomega.BeEmpty(), "the timeline is as it was")

	evictedOnly := both
	evictedOnly.KillCause = formula.ByStorageLimit
	g.Expect(Judge(evictedOnly, evicted(9800*time.Millisecond), delay.Record{}, newest).Verdict).
		To(gomega.Equal(Deviates), "the eviction is what kills")
}
