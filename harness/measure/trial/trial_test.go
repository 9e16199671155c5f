package trial

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/rules/formula"
)

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

func withLives(lives ...*timeline.Life) *timeline.Timeline {
	return &timeline.Timeline{
		Pod: "ns/pod", Known: zero + int64(time.Minute),
		Faults:     []timeline.Fault{{What: "delete", At: *at(9 * time.Second)}},
		Containers: map[string]*timeline.Container{Main: {Name: Main, Lives: lives}},
	}
}

// predicts returns a formula with fixed windows. A documented window of (0, 0) is none.
func predicts(earliest, latest, docEarliest, docLatest time.Duration) formula.Formula {
	w := func(a, b time.Duration) formula.Window {
		return formula.Window{
			Unit: formula.Nanoseconds,
		}.With(formula.Term{Name: "fixed", Earliest: int64(a), Latest: int64(b)})
	}
	f := formula.Formula{
		ID:          "test/fixed",
		Description: "as the test says",
		Source:      "the test",
		Implemented: func(formula.Input) formula.Window { return w(earliest, latest) },
	}
	if docLatest != 0 {
		f.Documented = func(formula.Input) *formula.Window { d := w(docEarliest, docLatest); return &d }
		f.Promise, f.DocumentedAt = "a promise", "a page"
	}
	return f
}

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
func claiming(claims ...Claim) Trial {
	grace := int64(5)
	return Trial{
		ID:     "test/one",
		About:  "A test.",
		Lasts:  time.Second,
		Claims: claims,
		Pod: &corev1.Pod{
			Spec: corev1.PodSpec{TerminationGracePeriodSeconds: &grace, Containers: []corev1.Container{{Name: Main}}},
		},
		Faults: []Fault{Delete()},
	}
}

// dying returns a trial that claims the time from SIGTERM to death.
func dying(f formula.Formula, mistakes ...formula.Mistake) Trial {
	return claiming(Claim{Measure: Between(SIGTERM, Gone), Formula: f, Mistakes: mistakes})
}

func TestCheck(t *testing.T) {
	good := dying(predicts(0, time.Second, 0, 0))
	gomega.NewWithT(t).Expect(good.Check()).To(gomega.Succeed())
	good.Faults = []Fault{Resize(resources(Main))}
	gomega.NewWithT(t).Expect(good.Check()).To(gomega.Succeed())
	for name, distort := range map[string]func(*Trial){
		"no area":               func(t *Trial) { t.ID = "one" },
		"capitals":              func(t *Trial) { t.ID = "test/One" },
		"a space":               func(t *Trial) { t.ID = "test/one two" },
		"an underscore":         func(t *Trial) { t.ID = "test/one_two" },
		"about nothing":         func(t *Trial) { t.About = "" },
		"no pod":                func(t *Trial) { t.Pod = nil },
		"no container":          func(t *Trial) { t.Pod.Spec.Containers = nil },
		"no length":             func(t *Trial) { t.Lasts = 0 },
		"no claims":             func(t *Trial) { t.Claims = nil },
		"no formula":            func(t *Trial) { t.Claims[0].Formula = formula.Formula{} },
		"two of the same":       func(t *Trial) { t.Claims = append(t.Claims, t.Claims[0]) },
		"an end elsewhere":      func(t *Trial) { t.Claims[0].Measure.To = Gone.Of("stranger") },
		"a beginning elsewhere": func(t *Trial) { t.Claims[0].Measure.From = SIGTERM.Of("stranger") },
		"a second binding":      func(t *Trial) { t.Faults = []Fault{{Action: BindPod}} },
		"cut off for no time":   func(t *Trial) { t.Faults = []Fault{{Action: CutOff}} },
		"a resize of nothing":   func(t *Trial) { t.Faults = []Fault{Resize(nil)} },
		"a resize elsewhere":    func(t *Trial) { t.Faults = []Fault{Resize(resources("stranger"))} },
		"a resize of no companion": func(t *Trial) {
			t.Faults = []Fault{Resize(resources(Main))}
			t.Faults[0].Pod = "stranger"
		},
		"a count elsewhere": func(t *Trial) { t.Claims[0].Measure = StopSignals().Of("stranger") },
	} {
		bad := dying(predicts(0, time.Second, 0, 0))
		bad.Pod = bad.Pod.DeepCopy()
		distort(&bad)
		gomega.NewWithT(t).Expect(bad.Check()).NotTo(gomega.Succeed(), name)
	}
}

func resources(container string) map[string]corev1.ResourceRequirements {
	return map[string]corev1.ResourceRequirements{container: {}}
}

func TestKubeletIsTunedOnce(t *testing.T) {
	g := gomega.NewWithT(t)
	tr := dying(predicts(0, time.Second, 0, 0))
	tr.Worker = &Worker{Name: "own", Alone: true}
	tune := Fault{Action: TuneKubelet, Patch: map[string]any{"field": 1}}
	tr.Faults = []Fault{tune, {Action: RestartKubelet}}
	g.Expect(tr.Check()).To(gomega.Succeed())
	tr.Faults = append(tr.Faults, tune)
	g.Expect(tr.Check()).
		To(gomega.MatchError(gomega.ContainSubstring("fault 3 (tune-kubelet) tunes the kubelet a second time")))
}

func TestNames(t *testing.T) {
	for want, m := range map[string]Measure{
		"sigterm-to-death":                     Between(SIGTERM, Gone),
		"neighbour-sigterm-to-neighbour-death": Between(SIGTERM, Gone).Of("neighbour"),
		"fault-to-death":                       Between(Injected, Gone),
		"death-to-object-deleted":              Between(Gone, ObjectDeleted),
		"sigterm-to-sigterm-2":                 Between(SIGTERM, SIGTERM.Life(2)),
		"liveness-last-probe-3-to-sigterm-3":   Between(LastProbe("liveness").Life(3), SIGTERM.Life(3)),
		"startup-failing-probes":               FailingProbes("startup", 1),
		"liveness-failing-probes-2":            FailingProbes("liveness", 2),
		"liveness-probes-within-40s":           ProbesWithin("liveness", 40*time.Second),
		"neighbour-sigterms":                   StopSignals().Of("neighbour"),
		"hook-runs":                            HookRuns(),
		"exit-code":                            DeathCode(),
	} {
		gomega.NewWithT(t).Expect(Claim{Measure: m}.ID()).To(gomega.Equal(want))
	}
	g := gomega.NewWithT(t)
	g.Expect(Trial{ID: "probes/liveness"}.Area()).To(gomega.Equal("probes"))
	g.Expect(Trial{Lasts: 10 * time.Second}.Bound()).To(gomega.Equal(50 * time.Second))
	// Of returns a copy.
	_ = Between(SIGTERM, Gone).Of("neighbour")
	g.Expect(SIGTERM.String()).To(gomega.Equal("sigterm"))
	g.Expect(Between(Injected, Gone).Of("neighbour").From).To(gomega.Equal(Injected),
		"a fault is the pod's, not a container's")
}

func TestReason(t *testing.T) {
	findings := []Finding{
		{Claim: "a", Verdict: Conforms},
		{Claim: "b", Verdict: Divergent, Why: "early"},
		{Claim: "c", Verdict: Deviates, Why: "late"},
		{Claim: "d", Verdict: Deviates, Why: "later"},
	}
	for want, o := range map[string]Outcome{
		"":         {Verdict: Conforms, Attempts: []Attempt{{Result: Result{Findings: findings}}}},
		"b: early": {Verdict: Divergent, Attempts: []Attempt{{Result: Result{Findings: findings}}}},
		"c: late":  {Verdict: Deviates, Attempts: []Attempt{{}, {Result: Result{Findings: findings}}}},
	} {
		gomega.NewWithT(t).Expect(o.Reason()).To(gomega.Equal(want))
	}
	gomega.NewWithT(t).Expect(Outcome{Verdict: Inconclusive}.Reason()).To(gomega.BeEmpty())
}

func TestOutcome(t *testing.T) {
	g := gomega.NewWithT(t)
	g.Expect(Outcome{}.Last()).To(gomega.BeNil())
	g.Expect(Outcome{}.Took()).To(gomega.BeZero())
	begun := time.Unix(0, zero)
	o := Outcome{
		Attempts: []Attempt{
			{Started: begun, Took: 5 * time.Second},
			{Started: begun.Add(8 * time.Second), Took: 4 * time.Second},
		},
	}
	g.Expect(o.Last().Took).To(gomega.Equal(4 * time.Second))
	g.Expect(o.Took()).To(gomega.Equal(12*time.Second), "from the first attempt's start to the last one's end")
}

// Only a virtual node's API server can lack what the newest one has.
func TestServerNeeds(t *testing.T) {
	g := gomega.NewWithT(t)
	tr := Trial{ServerNeeds: []formula.Change{formula.ZeroSleep}}
	old := formula.Kubelet{Version: "v1.32.13"}
	g.Expect(tr.Unsupported(old)).To(gomega.BeEmpty())
	old.OwnServer = true
	g.Expect(tr.Unsupported(old)).To(gomega.ContainSubstring("zero seconds"))
	g.Expect(tr.Unsupported(formula.Kubelet{Version: "v1.33.0", OwnServer: true})).To(gomega.BeEmpty())
}
