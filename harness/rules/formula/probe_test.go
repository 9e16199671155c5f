package formula

import (
	"fmt"
	"testing"
	"time"

	"github.com/onsi/gomega"
)

// probeFormulas and probeMistakes belong to the files that this file tests.
var probeMistakes = []Mistake{
	ResultRunOne, DelayIgnored, NeverReset, FirstTickAtRandom,
}

func probe(n, p, d int, takes time.Duration) Probe {
	return Probe{
		Handler:             "http",
		FailureThreshold:    n,
		PeriodSeconds:       p,
		InitialDelaySeconds: d,
		TimeoutSeconds:      1,
		Takes:               takes,
	}
}

func exact(w Window) int64 {
	if w.Earliest != w.Latest {
		panic(fmt.Sprintf("%v is no single number", w))
	}
	return w.Latest
}

// The rows are the failing probes that kubelets of different times let a life see if every probe fails.
func TestFailingProbesPerLife(t *testing.T) {
	for _, c := range []struct {
		n, life                      int
		correct, resultRunOne, never int64
	}{
		{1, 1, 1, 1, 1},
		{1, 2, 1, 1, 1}, // one failure is enough anyway, so kubelets look alike
		{2, 1, 2, 2, 2},
		{2, 2, 2, 1, 1}, // the two bugs look alike
		{3, 1, 3, 3, 3},
		{3, 2, 3, 2, 1},
		{3, 3, 3, 2, 1},
		{5, 2, 5, 4, 1},
	} {
		t.Run(fmt.Sprintf("threshold %d, life %d", c.n, c.life), func(t *testing.T) {
			in := Input{Kubelet: newest, Life: c.life, Probe: probe(c.n, 5, 0, 0)}
			g := gomega.NewWithT(t)
			g.Expect(exact(FailingProbes.Implemented(in))).To(gomega.Equal(c.correct))
			g.Expect(exact(*FailingProbes.Documented(in))).To(gomega.Equal(c.correct))
			g.Expect(exact(ResultRunOne.Of(FailingProbes, in))).To(gomega.Equal(c.resultRunOne))
			g.Expect(exact(NeverReset.Of(FailingProbes, in))).To(gomega.Equal(c.never))
		})
	}
}

// Failures before a crash count on in the next life. The documentation promises failureThreshold in every life.
func TestFailingProbesAfterACrash(t *testing.T) {
	for carried, want := range map[int]int64{0: 3, 1: 2, 2: 1, 3: 1, 9: 1} {
		in := Input{Kubelet: newest, Life: 2, Probe: probe(3, 5, 0, 0), CarriedFailures: carried}
		g := gomega.NewWithT(t)
		g.Expect(exact(FailingProbes.Implemented(in))).To(gomega.Equal(want), "carried %d", carried)
		g.Expect(exact(StreakSurvives.Implemented(in))).To(gomega.Equal(want), "carried %d", carried)
		g.Expect(exact(*StreakSurvives.Documented(in))).To(gomega.Equal(int64(3)), "carried %d", carried)
		for _, f := range []Formula{FailingProbes, ProbeKills} {
			g.Expect(f.Documented(in) == nil).To(gomega.Equal(carried > 0), "%s, carried %d", f.ID, carried)
		}
	}
}

// A container is killed within [max(0, D-1) + (N-1)·max(P, d) + d, max(1.2, D) + P + (N-1)·max(P, d) + d + 1.5].
func TestProbeKills(t *testing.T) {
	for name, c := range map[string]struct {
		probe            Probe
		earliest, latest time.Duration
	}{
		"three fives":              {probe(3, 5, 0, 0), 10 * time.Second, 17700 * time.Millisecond},
		"one one":                  {probe(1, 1, 0, 0), 0, 3700 * time.Millisecond},
		"initial delay 8":          {probe(2, 3, 8, 0), 9750 * time.Millisecond, 15500 * time.Millisecond},
		"initial delay 1":          {probe(2, 3, 1, 0), 3 * time.Second, 8700 * time.Millisecond},
		"timeouts of 2, period 5":  {probe(2, 5, 0, 2*time.Second), 7 * time.Second, 14700 * time.Millisecond},
		"timeouts beyond a period": {probe(3, 2, 0, 4*time.Second), 12 * time.Second, 16800 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			w := ProbeKills.Implemented(Input{Kubelet: newest, Life: 1, Probe: c.probe})
			g := gomega.NewWithT(t)
			g.Expect(time.Duration(w.Earliest)).To(gomega.Equal(c.earliest))
			g.Expect(time.Duration(w.Latest)).To(gomega.Equal(c.latest))
		})
	}
}

// The API's start time is cut to whole seconds and comes before the first mark, so the initial delay may end that
// much early.
func TestFirstProbe(t *testing.T) {
	g := gomega.NewWithT(t)
	in := Input{Kubelet: newest, Life: 1, Probe: probe(3, 3, 15, 0)}
	w := FirstProbe.Implemented(in)
	g.Expect(time.Duration(w.Earliest)).To(gomega.Equal(13750 * time.Millisecond))
	g.Expect(time.Duration(w.Latest)).To(gomega.BeNumerically("<=", 19500*time.Millisecond))
	g.Expect(time.Duration(FirstProbe.Documented(in).Earliest)).
		To(gomega.Equal(13750*time.Millisecond), "whatever the tick, the verdict is the same")
	g.Expect(DelayIgnored.Of(FirstProbe, in).Latest).
		To(gomega.BeNumerically("<", w.Earliest), "an ignored delay of 15 s shows at once")
	none := FirstProbe.Implemented(Input{Kubelet: newest, Life: 1, Probe: probe(3, 3, 0, 0)})
	g.Expect(none.Earliest).To(gomega.BeZero())
}

// A probe without an answer fails after its timeout. The start of its process may hide a part of the timeout.
func TestLastProbeToKill(t *testing.T) {
	g := gomega.NewWithT(t)
	answered := LastProbeToKill.Implemented(Input{Kubelet: newest, Probe: probe(3, 5, 0, 0)})
	g.Expect(answered.Earliest).To(gomega.BeZero())
	g.Expect(time.Duration(answered.Latest)).To(gomega.Equal(1500 * time.Millisecond))
	hanging := probe(2, 5, 0, 2*time.Second)
	hanging.Handler = "exec"
	w := LastProbeToKill.Implemented(Input{Kubelet: newest, Probe: hanging})
	g.Expect(time.Duration(w.Earliest)).To(gomega.BeNumerically("~", 1750*time.Millisecond, 250*time.Millisecond))
	g.Expect(time.Duration(w.Latest)).To(gomega.Equal(3500 * time.Millisecond))
}

// Kills are threshold·period apart if a restart is shorter than a period. Each of the two bugs takes whole periods
// away.
func TestKillSpacing(t *testing.T) {
	in := Input{Kubelet: newest, Life: 2, Probe: probe(3, 5, 0, 0), Restart: 700 * time.Millisecond}
	for name, c := range map[string]struct {
		w    Window
		want time.Duration
	}{
		"correct":       {KillSpacing.Implemented(in), 15 * time.Second},
		"documented":    {*KillSpacing.Documented(in), 15 * time.Second},
		"resultRun = 1": {ResultRunOne.Of(KillSpacing, in), 10 * time.Second},
		"never reset":   {NeverReset.Of(KillSpacing, in), 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			g.Expect(time.Duration(c.w.Earliest)).To(gomega.Equal(c.want - 1500*time.Millisecond))
			g.Expect(time.Duration(c.w.Latest)).To(gomega.Equal(c.want + 1500*time.Millisecond))
		})
	}
	t.Run("tick to tick", func(t *testing.T) {
		w := KillTicks.Implemented(in)
		g := gomega.NewWithT(t)
		g.Expect(time.Duration(w.Earliest)).To(gomega.BeNumerically(">=", 14600*time.Millisecond))
		g.Expect(time.Duration(w.Latest)).To(gomega.BeNumerically("<=", 15400*time.Millisecond))
	})
	t.Run("the bugs, tick to tick", func(t *testing.T) {
		g := gomega.NewWithT(t)
		for mistake, want := range map[*Mistake]time.Duration{
			&ResultRunOne: 10 * time.Second, &NeverReset: 5 * time.Second,
		} {
			near(g, mistake.Name, mistake.Of(KillTicks, in), want, 300*time.Millisecond, 300*time.Millisecond)
		}
	})
	t.Run("a restart over several ticks", func(t *testing.T) {
		late := in
		// a grace period of ten seconds and the start: it can answer the third tick first
		late.Restart = 11 * time.Second
		w := KillSpacing.Implemented(late)
		gomega.NewWithT(t).Expect(w.Contains(int64(25*time.Second))).To(gomega.BeTrue(), "%v", w)
		gomega.NewWithT(t).Expect(w.Contains(int64(20*time.Second))).To(gomega.BeFalse(), "%v", w)
	})
}

// A span that is too short for the first probe contains none, or perhaps one.
func TestCadence(t *testing.T) {
	for name, c := range map[string]struct {
		probe            Probe
		watched          time.Duration
		earliest, latest int64
	}{
		"forty seconds of two":        {probe(3, 2, 0, 0), 40 * time.Second, 19, 21},
		"shorter than a period":       {probe(3, 10, 0, 0), 5 * time.Second, 0, 1},
		"over before it begins":       {probe(3, 1, 30, 0), 5 * time.Second, 0, 0},
		"over before, period of 10":   {probe(3, 10, 30, 0), 5 * time.Second, 0, 0},
		"not watched at all":          {probe(3, 1, 0, 0), 0, 0, 1},
		"just long enough for one":    {probe(3, 5, 0, 0), 6800 * time.Millisecond, 1, 2},
		"initial delay is taken away": {probe(3, 2, 10, 0), 20 * time.Second, 4, 6},
	} {
		t.Run(name, func(t *testing.T) {
			w := Cadence.Implemented(Input{Kubelet: newest, Life: 1, Probe: c.probe, Watched: c.watched})
			gomega.NewWithT(t).Expect([]int64{w.Earliest, w.Latest}).To(gomega.Equal([]int64{c.earliest, c.latest}))
		})
	}
}

// A gRPC probe of a closed port waits for nine seconds up to 1.37.
func TestClosedGRPC(t *testing.T) {
	for version, takes := range map[string]time.Duration{"v1.37.2": 9 * time.Second, "v1.38.0-beta.0": 0} {
		in := Input{Kubelet: Kubelet{Version: version}, Life: 1, Probe: probe(1, 3, 0, 0)}
		at := ProbeKills.Implemented(in)
		in.Probe.TimeoutSeconds = 9
		w := ClosedGRPCKills.Implemented(in)
		gomega.NewWithT(t).Expect(time.Duration(w.Earliest-at.Earliest)).To(gomega.Equal(takes), version)
	}
}
