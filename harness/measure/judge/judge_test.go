package judge

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// zero is the beginning of every timeline here.
const zero = int64(1_700_000_000) * int64(time.Second)

// newest is the kubelet of these tests.
var newest = formula.Kubelet{Version: formula.NewestKnown}

// at returns the exact instant this long after zero.
func at(d time.Duration) *timeline.Instant { return &timeline.Instant{At: zero + int64(d)} }

// lifeOf returns a timeline with one life that gets SIGTERM at 10 s and dies this long after it.
func lifeOf(after time.Duration) *timeline.Timeline {
	return withLives(&timeline.Life{
		Number:   1,
		Started:  at(time.Second),
		SIGTERMs: []timeline.Instant{*at(10 * time.Second)},
		Gone:     at(10*time.Second + after),
	})
}

// withLives returns a timeline of one container with these lives.
func withLives(lives ...*timeline.Life) *timeline.Timeline {
	return &timeline.Timeline{
		Pod: "ns/pod", Known: zero + int64(time.Minute),
		Faults:     []timeline.Fault{{What: "delete", At: *at(9 * time.Second)}},
		Containers: map[string]*timeline.Container{trial.Main: {Name: trial.Main, Lives: lives}},
	}
}

// predicts returns a formula with fixed windows. A documented window of (0, 0) is none.
func predicts(earliest, latest, docEarliest, docLatest time.Duration) formula.Formula {
	f := formula.Formula{
		ID:          "test/fixed",
		Description: "as the test says",
		Source:      "the test",
		Implemented: func(formula.Input) formula.Window { return fixed(earliest, latest) },
	}
	if docLatest != 0 {
		f.Documented = func(formula.Input) *formula.Window { d := fixed(docEarliest, docLatest); return &d }
		f.Promise, f.DocumentedAt = "a promise", "a page"
	}
	return f
}

func fixed(earliest, latest time.Duration) formula.Window {
	term := formula.Term{Name: "fixed", Earliest: int64(earliest), Latest: int64(latest)}
	return formula.Window{Unit: formula.Nanoseconds}.With(term)
}

// counts returns a formula that expects exactly this number.
func counts(n int64) formula.Formula {
	return formula.Formula{
		ID:          "test/count",
		Description: "so many",
		Source:      "the test",
		Implemented: func(formula.Input) formula.Window {
			return formula.Window{Unit: formula.Count}.With(formula.Term{Name: "exactly", Earliest: n, Latest: n})
		},
	}
}

// claiming returns a valid trial with these claims.
func claiming(claims ...trial.Claim) trial.Trial {
	grace := int64(5)
	return trial.Trial{
		ID:     "test/one",
		About:  "A test.",
		Lasts:  time.Second,
		Claims: claims,
		Pod: &corev1.Pod{
			Spec: corev1.PodSpec{
				TerminationGracePeriodSeconds: &grace,
				Containers:                    []corev1.Container{{Name: trial.Main}},
			},
		},
		Faults: []trial.Fault{trial.Delete()},
	}
}

// dying returns a trial that claims the time from SIGTERM to death.
func dying(f formula.Formula, mistakes ...formula.Mistake) trial.Trial {
	return claiming(trial.Claim{Measure: trial.Between(trial.SIGTERM, trial.Gone), Formula: f, Mistakes: mistakes})
}

// judgeOne returns the finding of a trial's first claim.
func judgeOne(t trial.Trial, tl *timeline.Timeline, n delay.Record) trial.Finding {
	return Judge(t, tl, n, newest).Findings[0]
}

// narrowPromise implements 5 to 6 s and documents 5 to 5.5 s.
var narrowPromise = predicts(5*time.Second, 6*time.Second, 5*time.Second, 5500*time.Millisecond)

// busyFor returns a node whose cores are all taken for this long in a minute.
func busyFor(d time.Duration) delay.Record {
	return delay.Record{PSI: []delay.Sample{{At: zero}, {At: zero + int64(time.Minute), CPUNS: int64(d)}}}
}

// busyBetween returns a node on which some task waits for a share of the time between two instants.
func busyBetween(from, to time.Duration, share float64) (r delay.Record) {
	for now := time.Duration(0); now <= time.Minute; now += 100 * time.Millisecond {
		waited := share * float64(min(max(0, now-from), to-from))
		r.PSI = append(r.PSI, delay.Sample{At: zero + int64(now), CPUNS: int64(waited)})
	}
	return r
}

// lateTick returns a node whose recorder did not run for a while that is too short for an outage.
func lateTick(from, length time.Duration) delay.Record {
	return delay.Record{LateTicks: []delay.Span{{From: zero + int64(from), To: zero + int64(from+length)}}}
}

// outageOf returns a node with one component that did not answer.
func outageOf(of string, from, to time.Duration) delay.Record {
	return delay.Record{Unanswered: []delay.Outage{{Component: of, From: zero + int64(from), To: zero + int64(to)}}}
}

// mistake returns a known mistake with a fixed window.
func mistake(name string, earliest, latest time.Duration) formula.Mistake {
	return formula.Mistake{Name: name, Reference: name, Would: func(formula.Input) formula.Window {
		return fixed(earliest, latest)
	}}
}

// A finding names the component whose rule it judged. A saved finding omits the kubelet, the usual one.
func TestFindingNamesTheComponent(t *testing.T) {
	g := gomega.NewWithT(t)
	own := predicts(5*time.Second, 6*time.Second, 0, 0)
	of := func(f formula.Formula) (trial.Finding, string) {
		found := judgeOne(dying(f), lifeOf(5*time.Second), delay.Record{})
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

// The observer's error widens both windows. An end that was seen late makes the value too large. A beginning
// that was seen late makes it too small.
func TestObserverErrorWidensTheWindow(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		after                                    time.Duration
		termEarly, termLate, goneEarly, goneLate time.Duration
		want                                     trial.Verdict
	}{
		"late end, at its limit":               {6*time.Second + 3*ms, 0, 0, 3 * ms, 0, trial.Divergent},
		"late end, beyond":                     {6*time.Second + 3*ms + 1, 0, 0, 3 * ms, 0, trial.Deviates},
		"early beginning explains no late end": {6*time.Second + 3*ms, 3 * ms, 0, 0, 0, trial.Deviates},
		"late beginning, at its limit":         {5*time.Second - 3*ms, 3 * ms, 0, 0, 0, trial.Conforms},
		"late beginning, beyond":               {5*time.Second - 3*ms - 1, 3 * ms, 0, 0, 0, trial.Deviates},
		"late end explains no early end":       {5*time.Second - 3*ms, 0, 0, 3 * ms, 0, trial.Deviates},
		"both errors add up":                   {6*time.Second + 5*ms, 0, 2 * ms, 3 * ms, 0, trial.Divergent},
		"both errors add up, beyond":           {6*time.Second + 5*ms + 1, 0, 2 * ms, 3 * ms, 0, trial.Deviates},
		"documented is widened as well":        {5500*ms + 3*ms, 0, 0, 3 * ms, 0, trial.Conforms},
	} {
		t.Run(name, func(t *testing.T) {
			tl := lifeOf(c.after)
			life := tl.Life(trial.Main, 1)
			life.SIGTERMs[0].Early, life.SIGTERMs[0].Late = int64(c.termEarly), int64(c.termLate)
			life.Gone.Early, life.Gone.Late = int64(c.goneEarly), int64(c.goneLate)
			f := judgeOne(dying(narrowPromise), tl, delay.Record{})
			g := gomega.NewWithT(t)
			g.Expect(f.Verdict).To(gomega.Equal(c.want), f.Why)
			g.Expect(f.Implemented.Terms[len(f.Implemented.Terms)-1].Name).To(gomega.Equal("observer"))
		})
	}
}

func TestFindingBegins(t *testing.T) {
	lasts := predicts(0, time.Second, 0, 0)
	gone := lifeOf(5 * time.Second)
	alive := withLives(&timeline.Life{Number: 1, Started: at(time.Second)})
	for name, c := range map[string]struct {
		measure trial.Measure
		formula formula.Formula
		on      *timeline.Timeline
		want    int64 // 0 is nowhere
	}{
		"measured":           {trial.Between(trial.SIGTERM, trial.Gone), lasts, gone, at(10 * time.Second).At},
		"its end never came": {trial.Between(trial.Started, trial.Gone), lasts, alive, at(time.Second).At},
		"nor its beginning":  {trial.Between(trial.SIGTERM, trial.Gone), lasts, alive, 0},
		"counted":            {trial.FailingProbes("liveness", 1), counts(2), gone, 0},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			tr := claiming(trial.Claim{Measure: c.measure, Formula: c.formula})
			from, known := judgeOne(tr, c.on, delay.Record{}).Begins()
			g.Expect(known).To(gomega.Equal(c.want != 0))
			g.Expect(from).To(gomega.Equal(c.want))
		})
	}
}

// A trial's verdict is the most severe one of its claims. Without claims it is inconclusive.
func TestMostSevereVerdict(t *testing.T) {
	conforms := trial.Claim{Measure: trial.Between(trial.Injected, trial.Gone), Formula: predicts(0, time.Hour, 0, 0)}
	divergent := trial.Claim{Measure: trial.Between(trial.Started, trial.Gone), Formula: predicts(0, time.Hour, 0, 1)}
	deviates := trial.Claim{Measure: trial.Between(trial.SIGTERM, trial.Gone), Formula: predicts(0, 1, 0, 0)}
	missing := trial.Claim{Measure: trial.Between(trial.HookBegan, trial.Gone), Formula: predicts(0, 1, 0, 0)}
	for want, claims := range map[trial.Verdict][][]trial.Claim{
		trial.Conforms:     {{conforms}},
		trial.Divergent:    {{conforms, divergent}, {divergent, conforms}},
		trial.Inconclusive: {{}, {conforms, missing}, {missing, divergent}},
		trial.Deviates:     {{deviates}, {missing, deviates, conforms}, {divergent, deviates}},
	} {
		for _, c := range claims {
			r := Judge(claiming(c...), lifeOf(5*time.Second), delay.Record{}, newest)
			gomega.NewWithT(t).Expect(r.Verdict).To(gomega.Equal(want), fmt.Sprint(c))
			gomega.NewWithT(t).Expect(r.Findings).To(gomega.HaveLen(len(c)))
		}
	}
}

// For every window, error and value: inside conforms, outside deviates, and a doubt makes both inconclusive.
func TestJudgeIsTwoSided(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		earliest := rapid.Int64Range(0, 1e10).Draw(t, "earliest")
		latest := earliest + rapid.Int64Range(0, 1e10).Draw(t, "width")
		early, late := rapid.Int64Range(0, 1e7).Draw(t, "SIGTERM late by"),
			rapid.Int64Range(0, 1e7).Draw(t, "death late by")
		value := rapid.OneOf(
			rapid.Int64Range(0, 3e10),
			rapid.SampledFrom([]int64{earliest - early - 1, earliest - early, latest + late, latest + late + 1}),
		).Draw(t, "value")
		tl := lifeOf(time.Duration(value))
		tl.Life(trial.Main, 1).SIGTERMs[0].Early, tl.Life(trial.Main, 1).Gone.Early = early, late
		tr := dying(predicts(time.Duration(earliest), time.Duration(latest), 0, 0))
		want := trial.Deviates
		if earliest-early <= value && value <= latest+late {
			want = trial.Conforms
		}
		if got := judgeOne(tr, tl, delay.Record{}).Verdict; got != want {
			t.Fatalf("%s, want %s", got, want)
		}
		tl.Doubts = []timeline.Doubt{{Why: "doubt"}}
		if got := judgeOne(tr, tl, delay.Record{}).Verdict; got != trial.Inconclusive {
			t.Fatalf("%s in spite of a doubt", got)
		}
	})
}

// A kubelet is not judged by a claim that needs what it lacks.
func TestClaimNeedsAFeature(t *testing.T) {
	g := gomega.NewWithT(t)
	old := formula.Kubelet{Version: "v1.23.1"}
	wrong := trial.Claim{Measure: trial.StopSignals(), Formula: counts(7), Needs: []formula.Change{formula.Sidecars}}
	right := trial.Claim{
		Measure: trial.Between(trial.SIGTERM, trial.Gone),
		Formula: predicts(4*time.Second, 6*time.Second, 0, 0),
	}
	both := claiming(wrong, right)
	g.Expect(Judge(both, lifeOf(5*time.Second), delay.Record{}, old).Verdict).To(gomega.Equal(trial.Conforms))
	g.Expect(Judge(both, lifeOf(5*time.Second), delay.Record{}, newest).Verdict).To(gomega.Equal(trial.Deviates))
	g.Expect(Judge(claiming(wrong), lifeOf(5*time.Second), delay.Record{}, old).Verdict).
		To(gomega.Equal(trial.Inconclusive))
}

// A minor release that nobody read extrapolates every trial. A patch that nobody read extrapolates those trials whose
// formulas depend on a change.
func TestExtrapolated(t *testing.T) {
	asks := narrowPromise
	asks.Implemented = func(in formula.Input) formula.Window {
		in.Kubelet.Has(formula.StartupHolds)
		return narrowPromise.Implemented(in)
	}
	for version, want := range map[string][2]bool{
		"v1.21.0": {true, true}, "v1.22.9": {}, "v1.23.1": {}, "v1.30.2": {}, "v1.36.3+resultrun-one": {},
		"v1.36.99": {false, true}, "v1.99.0": {true, true},
	} {
		for i, f := range []formula.Formula{narrowPromise, asks} {
			r := Judge(dying(f), lifeOf(5*time.Second), delay.Record{}, formula.Kubelet{Version: version})
			gomega.NewWithT(t).Expect(r.Extrapolated).To(gomega.Equal(want[i]), "%s, formula %d", version, i)
		}
	}
}

// Every rule has one name, looks at the trial or at a claim, and gives a verdict that it does not replace.
func TestRules(t *testing.T) {
	g := gomega.NewWithT(t)
	names := map[string]bool{}
	for _, r := range rules {
		g.Expect(names[r.name]).To(gomega.BeFalse(), r.name)
		names[r.name] = true
		g.Expect(r.trial == nil).NotTo(gomega.Equal(r.claim == nil), r.name)
		g.Expect(len(r.from) == 0).To(gomega.Equal(r.claim == nil), r.name)
		g.Expect(r.from).NotTo(gomega.ContainElement(r.to), r.name)
	}
}
