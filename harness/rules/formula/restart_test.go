package formula

import (
	"slices"
	"testing"
	"time"

	"github.com/onsi/gomega"
	"pgregory.net/rapid"
)

// restartFormulas and restartMistakes belong to the files that this file tests.
var restartMistakes = []Mistake{
	NoBackOff, FirstBackedOff, NeverForgotten, AlwaysForgotten, PollsBackOff, LooksWithoutBound, CountsThisKill,
	PullsWithoutGrowth, KeepsBackOff, KeepsCollected, ConfigErrorBacksOff, TriedAtResync, TriedBesideBackOff,
	ReportedAtEachPoll, AlwaysRestarts, RetriedAtTicks, KillsAgain,
}

// The numbers in this file are written by hand from the rules in Kubernetes' source; none is taken from the
// code under test.

const s = time.Second

// zero is when the first life of these tests starts. 0 would mean that nothing was measured.
const zero = 1000 * s

// step is one life and the wait of the restart after it.
type step struct{ lasted, waited time.Duration }

// lived returns lives that ended by themselves, or, if signalled, were killed.
func lived(signalled bool, steps ...step) []Life {
	var lives []Life
	at := zero
	for _, x := range steps {
		lives = append(lives, Life{Started: at, Gone: at + x.lasted, Signalled: signalled, ExitCode: 1})
		at += x.lasted + x.waited
	}
	return append(lives, Life{Started: at})
}

// kubelets are those whose sources were read.
var (
	v123 = Kubelet{Version: "v1.23.1"}
	v134 = Kubelet{Version: "v1.34.4"}
	v135 = Kubelet{Version: "v1.35.4"}
)

func tuned(k Kubelet, period time.Duration, gates ...string) Kubelet {
	k.MaxContainerRestartPeriod, k.Gates = period, map[string]bool{}
	for _, g := range gates {
		k.Gates[g] = true
	}
	return k
}

const (
	maxGate     = "KubeletCrashLoopBackOffMax"
	reducedGate = "ReduceDefaultCrashLoopBackOffDecay"
)

// A kubelet's syncFrequency bounds how late a pod in back-off is synced: by half of it, or of a minute if it is
// unknown. Kubelets that check every ten to fifteen seconds do not use it.
func TestSyncFrequency(t *testing.T) {
	latest := func(k Kubelet, b time.Duration) time.Duration {
		total := time.Duration(0)
		for _, term := range k.lateness(b, false) {
			total += time.Duration(term.Latest)
		}
		return total
	}
	g := gomega.NewWithT(t)
	for frequency, want := range map[time.Duration]time.Duration{
		0: 31 * s, 60 * s: 31 * s, 20 * s: 11 * s, 600 * s: 81 * s,
	} {
		k := v135
		k.SyncFrequency = frequency
		g.Expect(latest(k, 160*s)).To(gomega.Equal(want), "%v", frequency)
	}
	quick := v135
	quick.SyncFrequency = 20 * s
	g.Expect(quick.requeue(160 * s)).To(gomega.Equal(31 * s))
	g.Expect(v135.requeue(160 * s)).To(gomega.Equal(91 * s))
	old := v134
	old.SyncFrequency = 4 * s
	g.Expect(old.requeue(160 * s)).To(gomega.Equal(16 * s))
}

// A long back-off ends at most half a minute late, because the next sync is never further away. The known mistake has
// no such bound.
func TestLooksWithoutBound(t *testing.T) {
	g, in := gomega.NewWithT(t), Input{Kubelet: v135, Life: 7}
	g.Expect(RestartDelay.Implemented(in).Latest).To(gomega.BeEquivalentTo(160*s + 30*s + syncTick + containerStart))
	g.Expect(LooksWithoutBound.Of(RestartDelay, in).Latest).
		To(gomega.BeEquivalentTo(160*s + 80*s + syncTick + containerStart))
	g.Expect(LooksWithoutBound.Of(RestartDelay, in).Earliest).To(gomega.Equal(RestartDelay.Implemented(in).Earliest))
}

// The rows are the values of the series by version, gates and configuration, and the documented ones.
func TestSeries(t *testing.T) {
	ordinary := []time.Duration{0, 10 * s, 20 * s, 40 * s, 80 * s, 160 * s, 300 * s, 300 * s}
	reduced := []time.Duration{0, 1 * s, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 60 * s, 60 * s}
	for name, c := range map[string]struct {
		kubelet              Kubelet
		computes, documented []time.Duration
	}{
		"v1.23.1":                  {v123, ordinary, ordinary},
		"v1.34.4":                  {v134, ordinary, ordinary},
		"v1.35.4":                  {v135, ordinary, ordinary},
		"v1.36.3":                  {newest, ordinary, ordinary},
		"v1.36.3, 300 s filled in": {tuned(newest, 300*s), ordinary, ordinary},
		"v1.36.3, 1 s": {
			tuned(newest, s), []time.Duration{0, s, s, s}, []time.Duration{0, s, s, s},
		},
		"v1.36.3, 5 s": {
			tuned(newest, 5*s), []time.Duration{0, 5 * s, 5 * s}, []time.Duration{0, 5 * s, 5 * s},
		},
		"v1.36.3, 20 s": {
			tuned(newest, 20*s), []time.Duration{0, 10 * s, 20 * s, 20 * s}, []time.Duration{0, 10 * s, 20 * s, 20 * s},
		},
		"v1.34.4, gate on, 20 s": {
			tuned(v134, 20*s, maxGate), []time.Duration{0, 10 * s, 20 * s, 20 * s},
			[]time.Duration{0, 10 * s, 20 * s, 20 * s},
		},
		"v1.34.4, reduced": {tuned(v134, 0, reducedGate), reduced, reduced},
		"v1.36.3, reduced": {
			tuned(newest, 300*s, reducedGate), append(reduced[:7:7], 64*s, 128*s, 256*s, 300*s),
			append(reduced[:9:9], 60*s, 60*s),
		},
		"v1.36.3, reduced, of one's own": {tuned(newest, 60*s, reducedGate), reduced, reduced},
		"v1.36.3, reduced, a longer one": {
			tuned(newest, 100*s, reducedGate), append(reduced[:7:7], 64*s, 100*s), append(reduced[:7:7], 64*s, 100*s),
		},
		"v1.34.4, reduced and gate, 300 s": {
			tuned(v134, 300*s, reducedGate, maxGate), append(reduced[:7:7], 64*s), append(reduced[:7:7], 60*s),
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			var steps []step
			for i, want := range c.computes {
				steps = append(steps, step{s, want + s})
				in := Input{Kubelet: c.kubelet, Life: i + 2, Lives: lived(false, steps...)}
				g.Expect(in.backOffs(i+1)).To(gomega.Equal([]time.Duration{want}), "restart %d", i+1)
				documented, said := in.documentedBackOff(i + 1)
				g.Expect(said).To(gomega.BeTrue())
				g.Expect(documented).To(gomega.Equal(c.documented[i]), "restart %d", i+1)
			}
		})
	}
}

// The windows begin with the back-off. They end after half of it, at most half a minute, or a check every ten to
// fifteen seconds, then a tick and two seconds for the start.
func TestCrashLoop(t *testing.T) {
	for name, c := range map[string]struct {
		kubelet Kubelet
		latest  []float64
	}{
		"v1.23.1": {v123, []float64{3.3, 19.3, 35.3, 58, 98, 178, 318, 318}},
		"v1.34.4": {v134, []float64{3.3, 19.3, 35.3, 58, 98, 178, 318, 318}},
		"v1.35.4": {v135, []float64{3.3, 18, 33, 63, 113, 193, 333, 333}},
		"v1.36.3": {newest, []float64{3.3, 18, 33, 63, 113, 193, 333, 333}},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			var steps []step
			for i, earliest := range []time.Duration{0, 10 * s, 20 * s, 40 * s, 80 * s, 160 * s, 300 * s, 300 * s} {
				steps = append(steps, step{s, earliest + s})
				w := RestartDelay.Implemented(Input{Kubelet: c.kubelet, Life: i + 2, Lives: lived(false, steps...)})
				g.Expect([]int64{w.Earliest, w.Latest}).
					To(gomega.Equal([]int64{int64(earliest), int64(c.latest[i] * float64(s))}), "restart %d", i+1)
				g.Expect(*RestartDelay.Documented(Input{
					Kubelet: c.kubelet, Life: i + 2, Lives: lived(false, steps...),
				})).
					To(gomega.Equal(w))
			}
		})
	}
}

// Old kubelets sync a pod of several containers at any time, so a sync may just miss the end of the back-off.
func TestNeighboursDisturb(t *testing.T) {
	g := gomega.NewWithT(t)
	lives := lived(false, step{s, s}, step{s, 12 * s})
	alone := RestartDelay.Implemented(Input{Kubelet: v134, Life: 3, Lives: lives})
	among := RestartDelay.Implemented(Input{Kubelet: v134, Life: 3, Lives: lives, Neighbours: 1})
	g.Expect(time.Duration(alone.Latest)).To(gomega.Equal(19300 * time.Millisecond))
	g.Expect(time.Duration(among.Latest)).To(gomega.Equal(28 * s))
}

// A pod of one container is synced when its back-off is over. A probe's result comes earlier: the worker of a readiness
// probe sets a failure as soon as it finds the dead container.
func TestProbesLeadToSyncs(t *testing.T) {
	g := gomega.NewWithT(t)
	in := Input{Kubelet: newest, Life: 2, Lives: lived(false, step{s, s}, step{s, 0})}
	alone := ShownAsCrashLoop.Implemented(in)
	in.Probed = true
	probed := ShownAsCrashLoop.Implemented(in)
	g.Expect(time.Duration(alone.Earliest)).To(gomega.Equal(10 * s))
	g.Expect(probed.Earliest).To(gomega.BeZero())
	g.Expect(probed.Latest).To(gomega.Equal(alone.Latest))
}

// The sync of a probe's kill reads the instance before the killed one.
func TestProbeLoop(t *testing.T) {
	free := 2250 * time.Millisecond
	for name, c := range map[string]struct {
		steps    []step
		earliest []time.Duration
	}{
		"every 3 s": {
			[]step{{3 * s, s}, {2 * s, s}, {2 * s, 13 * s}, {3 * s, 26 * s}, {3 * s, 50 * s}},
			[]time.Duration{0, 0, 10 * s, 20 * s, 40 * s},
		},
		"every 15 s": {
			[]step{{14 * s, s}, {14 * s, s}, {14 * s, s}, {14 * s, 25 * s}, {14 * s, 50 * s}},
			[]time.Duration{0, 0, 0, 20 * s, 40 * s},
		},
		"every 46 s": {
			[]step{{45 * s, s}, {45 * s, s}, {45 * s, s}, {45 * s, s}, {45 * s, s}, {45 * s, 85 * s}},
			[]time.Duration{0, 0, 0, 0, 0, 80 * s},
		},
		// A late start of the third life makes its successor free.
		"late": {
			[]step{{6 * s, s}, {6 * s, s}, {6 * s, 17 * s}, {6 * s, s}, {6 * s, 50 * s}},
			[]time.Duration{0, 0, 10 * s, 0, 40 * s},
		},
		// Saturated, every second kill is free.
		"saturated": {
			[]step{{3 * s, s}, {2 * s, s}, {2 * s, 13 * s}, {3 * s, 26 * s}, {3 * s, 50 * s}, {3 * s, 90 * s},
				{3 * s, 170 * s}, {3 * s, 310 * s}, {3 * s, s}, {3 * s, 315 * s}},
			[]time.Duration{0, 0, 10 * s, 20 * s, 40 * s, 80 * s, 160 * s, 300 * s, 0, 300 * s}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, k := range []Kubelet{v123, v134, v135, newest} {
				g := gomega.NewWithT(t)
				for i, earliest := range c.earliest {
					in := Input{
						Kubelet: k,
						Life:    i + 2,
						Lives:   lived(true, c.steps...),
						Kill:    Kill{Cause: ByLiveness},
						Probe:   Probe{Handler: "http"},
					}
					w := RestartDelayAfterProbe.Implemented(in)
					g.Expect(time.Duration(w.Earliest)).To(gomega.Equal(earliest), "%s, restart %d", k.Version, i+1)
					if earliest == 0 {
						g.Expect(time.Duration(w.Latest)).To(gomega.Equal(free), "%s, restart %d", k.Version, i+1)
					}
					g.Expect(w.Contains(int64(c.steps[i].waited))).
						To(gomega.BeTrue(), "%s, restart %d: %v", k.Version, i+1, w)
				}
			}
		})
	}
}

// A start takes 65 s. If it outlasts the garbage collection's period, each kill is free. Otherwise the instance before
// decides: it ended 69 s ago, so only a back-off of 80 s still holds.
func TestAfterCollection(t *testing.T) {
	var steps []step
	for i, documented := range []time.Duration{0, 10 * s, 20 * s, 40 * s, 80 * s, 160 * s} {
		steps = append(steps, step{4 * s, 65 * s})
		in := Input{
			Kubelet: newest, Life: i + 2, Lives: lived(true, steps...), Kill: Kill{Cause: ByLiveness},
			Probe: Probe{Handler: "http"}, ContainerStart: 65 * s,
		}
		g := gomega.NewWithT(t)
		w := AfterCollection.Implemented(in)
		g.Expect([]time.Duration{time.Duration(w.Earliest), time.Duration(w.Latest)}).
			To(gomega.Equal([]time.Duration{65 * s, 67250 * time.Millisecond}), "restart %d", i+1)
		g.Expect(time.Duration(AfterCollection.Documented(in).Earliest)).To(gomega.Equal(65*s + documented))
		kept := map[bool]time.Duration{true: 145 * s, false: 65 * s}[i == 5]
		g.Expect(time.Duration(KeepsCollected.Would(in).Earliest)).To(gomega.Equal(kept), "restart %d", i+1)
		g.Expect(CountsThisKill.Would(in)).To(gomega.Equal(*AfterCollection.Documented(in)))
		in.ContainerStart = 55 * s
		within := AfterCollection.Implemented(in)
		g.Expect(time.Duration(within.Earliest)).To(gomega.Equal(kept-10*s), "a start within a period")
	}
}

// If the time since the last end equals the back-off, either outcome may come.
func TestProbeKillOnTheEdge(t *testing.T) {
	g := gomega.NewWithT(t)
	in := Input{
		Kubelet: newest,
		Life:    4,
		Lives:   lived(true, step{9 * s, s}, step{9 * s, s}, step{9100 * time.Millisecond, s}),
		Kill:    Kill{Cause: ByStartup},
	}
	w := RestartDelayAfterProbe.Implemented(in)
	g.Expect([]time.Duration{time.Duration(w.Earliest), time.Duration(w.Latest)}).
		To(gomega.Equal([]time.Duration{0, 18 * s}))
	g.Expect(w.Explain()).To(gomega.ContainSubstring("either"))
}

// A kill by a postStart hook is no probe's kill: the kubelet sees the ended instance.
func TestOtherKillsAreCrashes(t *testing.T) {
	in := Input{
		Kubelet: newest,
		Life:    3,
		Lives:   lived(true, step{3 * s, s}, step{3 * s, 12 * s}),
		Kill:    Kill{Cause: ByPostStart},
	}
	gomega.NewWithT(t).Expect(time.Duration(RestartDelay.Implemented(in).Earliest)).To(gomega.Equal(10 * s))
}

// Ten minutes after the last start the back-off is gone. The rows are its effect on this restart and the next, and
// the documented one.
func TestForgotten(t *testing.T) {
	crashes := []step{{s, s}, {s, 12 * s}, {s, 25 * s}, {s, 50 * s}, {s, 85 * s}} // the next waits 160 s
	for name, c := range map[string]struct {
		steps            []step
		earliest, latest time.Duration // of the restart after the last step
		next             []time.Duration
		documented       time.Duration // the back-off, not its slack
	}{
		"a life of 610 s": {
			[]step{{s, s}, {s, 12 * s}, {610 * s, s}}, 0, 3300 * time.Millisecond, []time.Duration{10 * s}, 0,
		},
		"a life of 550 s, 20 s": {
			[]step{{s, s}, {s, 12 * s}, {550 * s, 25 * s}}, 20 * s, 33 * s, []time.Duration{40 * s}, 20 * s,
		},
		"a life of 545 s, 160 s": {
			append(crashes[:5:5], step{545 * s, 75 * s}), 60 * s, 148*s + housekeeping, []time.Duration{10 * s},
			160 * s,
		},
		"the same, started while on the edge": {
			append(crashes[:5:5], step{545 * s, 62 * s}), 60 * s, 148*s + housekeeping, []time.Duration{10 * s},
			160 * s,
		},
		"a life of 599 s, 20 s": {
			[]step{{s, s}, {s, 12 * s}, {599 * s, s}}, 0, 33 * s, []time.Duration{10 * s}, 20 * s,
		},
		"a life of 579 s, 20 s, on the edge": {
			[]step{{s, s}, {s, 12 * s}, {579 * s, 22 * s}}, 20 * s, 33 * s, []time.Duration{10 * s, 40 * s}, 20 * s,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			last := len(c.steps)
			in := Input{Kubelet: newest, Life: last + 1, Lives: lived(false, c.steps...)}
			w := RestartDelayForgotten.Implemented(in)
			g.Expect([]time.Duration{time.Duration(w.Earliest), time.Duration(w.Latest)}).
				To(gomega.Equal([]time.Duration{c.earliest, c.latest}), w.Explain())
			g.Expect(in.backOffs(last + 1)).To(gomega.Equal(c.next))
			documented, _ := in.documentedBackOff(last)
			g.Expect(documented).To(gomega.Equal(c.documented))
		})
	}
}

// A back-off of ten seconds that is forgotten after five still lasts until the pod's next sync, whatever the release.
// Without a neighbour nothing else causes one. Half a second before the end, the first sync may see either.
func TestForgottenBetweenSyncs(t *testing.T) {
	for name, c := range map[string]struct {
		lasted           time.Duration
		neighbours       int
		earliest, latest time.Duration
	}{
		"595 s":                   {595 * s, 0, 10 * s, 18 * s},
		"595 s, with a neighbour": {595 * s, 1, 3 * s, 18 * s},
		"599.5 s":                 {599*s + s/2, 0, 0, 18 * s},
		"601 s":                   {601 * s, 0, 0, 3300 * time.Millisecond},
	} {
		g := gomega.NewWithT(t)
		in := Input{
			Kubelet: tuned(newest, 10*s), Life: 4, Neighbours: c.neighbours,
			Lives: lived(false, step{s, s}, step{s, 12 * s}, step{c.lasted, c.earliest + s}),
		}
		w := RestartDelayForgotten.Implemented(in)
		g.Expect([]time.Duration{time.Duration(w.Earliest), time.Duration(w.Latest)}).
			To(gomega.Equal([]time.Duration{c.earliest, c.latest}), "%s: %s", name, w.Explain())
	}
}

// Each sync in a back-off is an event: since 1.35 the one that sees the end, and one a minute later in a back-off of
// 80 s unless that sync is late; up to 1.34 one each ten to sixteen seconds.
// Up to 1.35, the sync of the start of a life of one second may come after its end, and the sync of the end a relist
// later.
func TestBackOffEvents(t *testing.T) {
	for _, c := range []struct {
		lasts   time.Duration
		kubelet Kubelet
		want    [][2]int64
	}{
		{2 * s, v134, [][2]int64{{0, 0}, {0, 0}, {1, 1}, {3, 3}, {6, 7}}},
		{2 * s, v135, [][2]int64{{0, 0}, {0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 5}}},
		{s, v135, [][2]int64{{0, 0}, {0, 0}, {1, 2}, {2, 4}, {3, 6}, {4, 9}}},
		{s, newest, [][2]int64{{0, 0}, {0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 5}}},
	} {
		var steps []step
		for _, wait := range []time.Duration{s, 12 * s, 25 * s, 50 * s, 85 * s} {
			steps = append(steps, step{c.lasts, wait})
		}
		for i, count := range c.want {
			w := BackOffEvents.Implemented(Input{Kubelet: c.kubelet, Life: i + 1, Lives: lived(false, steps...)})
			gomega.NewWithT(t).Expect([2]int64{w.Earliest, w.Latest}).
				To(gomega.Equal(count), "life %d of %v on %s", i+1, c.lasts, c.kubelet.Version)
		}
	}
}

// A container without its ConfigMap is tried every ten to fifteen seconds, and a tick later. Since 1.35 it also waits
// for the back-off of its neighbour.
func TestConfigErrors(t *testing.T) {
	g, beside := gomega.NewWithT(t), ConfigErrorBeside(40*s)
	for _, c := range []struct {
		kubelet          Kubelet
		formula          Formula
		earliest, latest time.Duration
	}{
		{v123, ConfigErrorRetry, 9500 * time.Millisecond, 16500 * time.Millisecond},
		{newest, ConfigErrorRetry, 9500 * time.Millisecond, 16500 * time.Millisecond},
		{newest, ConfiguredStart, 9500 * time.Millisecond, 18 * s},
		{v134, beside, 10 * s, 19300 * time.Millisecond},
		{v135, beside, 40 * s, 63 * s},
	} {
		w := c.formula.Implemented(Input{Kubelet: c.kubelet, Life: 1})
		g.Expect([]time.Duration{time.Duration(w.Earliest), time.Duration(w.Latest)}).
			To(gomega.Equal([]time.Duration{c.earliest, c.latest}), "%s on %s", c.formula.ID, c.kubelet.Version)
	}
}

// These events make a kubelet lose a back-off. The documentation does not cover them.
func TestFreshStarts(t *testing.T) {
	lives := lived(false, step{s, s}, step{s, 12 * s}, step{s, 9 * s}, step{s, 12 * s})
	waiting := lives[2].Gone + 4*s
	for name, c := range map[string]struct {
		in   Input
		next time.Duration
		said bool
	}{
		"nothing":                          {Input{}, 40 * s, true},
		"a new image":                      {Input{Changes: []time.Duration{waiting}}, 10 * s, false},
		"a restarted kubelet":              {Input{Restarts: []time.Duration{waiting}}, 10 * s, false},
		"another pod":                      {Input{Recreations: []time.Duration{waiting}}, 0, true},
		"a kubelet restarted while it ran": {Input{Restarts: []time.Duration{lives[3].Started + s/2}}, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			c.in.Kubelet, c.in.Life, c.in.Lives = newest, 5, lives
			g.Expect(c.in.backOffs(4)).To(gomega.Equal([]time.Duration{c.next}))
			g.Expect(RestartDelay.Documented(c.in) != nil).To(gomega.Equal(c.said))
		})
	}
}

// A life of unknown length counts as a short one: the series is that of a crash loop.
func TestUnmeasuredLives(t *testing.T) {
	w := RestartDelay.Implemented(Input{Kubelet: newest, Life: 5})
	gomega.NewWithT(t).Expect(time.Duration(w.Earliest)).To(gomega.Equal(40 * s))
}

func TestPullDelay(t *testing.T) {
	for attempt, c := range map[int][2]time.Duration{
		2: {
			10 * s, 16750 * time.Millisecond,
		}, 3: {20 * s, 32750 * time.Millisecond}, 4: {40 * s, 56750 * time.Millisecond},
		5: {
			80 * s, 96750 * time.Millisecond,
		}, 6: {160 * s, 176750 * time.Millisecond},
		7: {300 * s, 316750 * time.Millisecond}, 8: {300 * s, 316750 * time.Millisecond},
	} {
		g := gomega.NewWithT(t)
		for _, k := range []Kubelet{v123, v134, v135, newest} {
			in := Input{Kubelet: k, Attempt: attempt}
			w := PullDelay.Implemented(in)
			g.Expect([2]time.Duration{time.Duration(w.Earliest), time.Duration(w.Latest)}).
				To(gomega.Equal(c), "attempt %d", attempt)
			g.Expect(PullDelay.Documented(in).Contains(w.Latest)).To(gomega.BeTrue())
		}
	}
}

func TestShownAsCrashLoop(t *testing.T) {
	g := gomega.NewWithT(t)
	in := Input{
		Kubelet: newest,
		Life:    4,
		Lives:   lived(false, step{s, s}, step{s, 12 * s}, step{s, 25 * s}, step{s, 50 * s}),
	}
	w := ShownAsCrashLoop.Implemented(in)
	g.Expect(time.Duration(w.Latest)).To(gomega.Equal(1300*time.Millisecond + 61*s + 2*s))
	g.Expect(time.Duration(w.Earliest)).To(gomega.BeNumerically("~", 40*s, 2*s), "the first sync shows the end")
	in.Neighbours = 1
	g.Expect(ShownAsCrashLoop.Implemented(in).Earliest).To(gomega.BeZero(), "a neighbour leads to syncs, too")
	in.Kubelet, in.Neighbours = v134, 0
	g.Expect(ShownAsCrashLoop.Implemented(in).Earliest).To(gomega.BeZero())
	g.Expect(time.Duration(ShownAsCrashLoop.Implemented(in).Latest)).
		To(gomega.Equal(1300*time.Millisecond + 16*s + 2*s))

	short := in
	short.Kubelet, short.Neighbours, short.Lives = newest, 0, slices.Clone(in.Lives)
	for i := range short.Lives {
		short.Lives[i].Gone = short.Lives[i].Started + time.Second
	}
	least := func(delay time.Duration) time.Duration {
		short.Delay = delay
		return time.Duration(ShownAsCrashLoop.Implemented(short).Earliest)
	}
	undelayed := least(0)
	g.Expect(undelayed).To(gomega.BeNumerically(">", 5*time.Second))
	g.Expect(least(100 * time.Millisecond)).To(gomega.Equal(undelayed - 100*time.Millisecond))
	g.Expect(least(2*time.Second)).To(gomega.BeZero(), "the start of a life of 1 s may be noticed after its end")
	for i := range short.Lives {
		short.Lives[i].Gone = short.Lives[i].Started + 5*time.Second
	}
	g.Expect(least(2*time.Second)).To(gomega.BeNumerically(">", time.Second), "but not that of a long one")
	short.Kubelet = v135
	g.Expect(least(0)).To(gomega.BeNumerically(">", 5*time.Second))
	short.Lives[3].Gone = short.Lives[3].Started + time.Second
	g.Expect(least(0)).To(gomega.BeZero(), "up to 1.35, the sync of a start may wait for the relist that finds the end")
}

// No window begins before the end, or after the longest possible back-off. None ends later than half a minute, a tick
// and a start after that.
func TestRestartWindows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SampledFrom([]Kubelet{
			v123, v134, v135, newest, tuned(newest, 5*s), tuned(newest, 300*s, reducedGate),
		}).
			Draw(t, "kubelet")
		in := Input{Kubelet: k, Kill: Kill{Cause: ByLiveness}, Neighbours: rapid.IntRange(0, 1).Draw(t, "neighbours")}
		at := zero
		for range rapid.IntRange(1, 10).Draw(t, "lives") {
			l := Life{Started: at, Signalled: rapid.Bool().Draw(t, "killed")}
			l.Gone = at + time.Duration(rapid.Int64Range(int64(s), int64(700*s)).Draw(t, "lasted"))
			at = l.Gone + time.Duration(rapid.Int64Range(int64(s/2), int64(340*s)).Draw(t, "waited"))
			in.Lives = append(in.Lives, l)
		}
		in.Life = len(in.Lives) + 1
		w := RestartDelay.Implemented(in)
		var most time.Duration
		for _, b := range in.backOffs(in.Life - 1) {
			most = max(most, b)
		}
		if w.Earliest < 0 || time.Duration(w.Earliest) > most || time.Duration(w.Latest) > most+33*s {
			t.Fatalf("%v for back-offs %v: %s", w, in.backOffs(in.Life-1), w.Explain())
		}
		sum := Window{}
		for _, term := range w.Terms {
			sum = sum.With(term)
		}
		if sum.Earliest != w.Earliest || sum.Latest != w.Latest || w.Earliest > w.Latest {
			t.Fatalf("%v is not the sum of its terms: %s", w, w.Explain())
		}
	})
}

// containerd may learn of the kernel's kill after the end, and so miss the reason of one end. It does not miss all of
// them. CRI-O and virtual nodes miss none.
func TestOutOfMemory(t *testing.T) {
	lost, told := Life{EndReason: failed, ExitCode: unknownCode}, Life{EndReason: oomKilled, ExitCode: unknownCode}
	itself := Life{EndReason: failed, ExitCode: 1}
	for name, c := range map[string]struct {
		kubelet Kubelet
		lives   []Life
		want    int64
	}{
		"one of two":              {newest, []Life{told, lost}, 0},
		"both":                    {newest, []Life{lost, lost}, 1},
		"it was told":             {newest, []Life{told, told}, 1},
		"an exit code of its own": {newest, []Life{told, itself}, 1},
		"with CRI-O":              {Kubelet{Version: newest.Version, Runtime: crio + "1.34.0"}, []Life{told, lost}, 1},
		"on a virtual node":       {Kubelet{Version: newest.Version, OwnServer: true}, []Life{told, lost}, 1},
	} {
		in := Input{Kubelet: c.kubelet, Life: 2, Lives: c.lives}
		g := gomega.NewWithT(t)
		g.Expect(OutOfMemory.Implemented(in).Earliest).To(gomega.Equal(c.want), name)
		g.Expect(OutOfMemory.Documented(in).Earliest).To(gomega.Equal(int64(1)), name)
	}
}
