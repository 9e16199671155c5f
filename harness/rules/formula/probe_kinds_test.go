package formula

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
)

// probeKindFormulas and probeKindMistakes belong to the files that this file tests.
var probeKindMistakes = []Mistake{
	ForgetsSuccesses, StartupGoesOn, ExecTimeoutLost, GoesOnWhileTerminating, StartupWorkerEnds, InTurn,
}

// The rows count a terminating container's probes by kind, handler and release: eleven seconds with a period of
// three.
func TestProbesOfTerminating(t *testing.T) {
	type window [2]int64
	goesOn, one := window{3, 4}, window{0, 1}
	for name, c := range map[string]struct {
		kind, handler                             string
		sidecar                                   bool
		v1_23, v1_34, v1_35, v1_36, v1_36z, v1_38 window
	}{
		"liveness":               {"liveness", "http", false, one, one, one, one, one, one},
		"startup":                {"startup", "http", false, one, one, one, one, one, one},
		"readiness":              {"readiness", "http", false, one, goesOn, goesOn, goesOn, goesOn, goesOn},
		"readiness over exec":    {"readiness", "exec", false, one, goesOn, one, one, goesOn, goesOn},
		"a sidecar's liveness":   {"liveness", "http", true, one, goesOn, goesOn, goesOn, goesOn, one},
		"a sidecar's exec ready": {"readiness", "exec", true, one, goesOn, one, one, goesOn, goesOn},
	} {
		t.Run(name, func(t *testing.T) {
			for version, want := range map[string]window{
				"v1.23.1": c.v1_23, "v1.24.1": c.v1_23, "v1.24.2": c.v1_34, "v1.34.4": c.v1_34, "v1.35.4": c.v1_35,
				"v1.36.2": c.v1_36z, "v1.36.3": c.v1_36, "v1.36.5": c.v1_36, "v1.37.0": c.v1_36z,
				"v1.38.0-beta.0": c.v1_38,
			} {
				in := Input{
					Kubelet:  Kubelet{Version: version},
					Life:     1,
					Sidecar:  c.sidecar,
					Survived: 11 * time.Second,
					Probe: Probe{
						Kind:             c.kind,
						Handler:          c.handler,
						PeriodSeconds:    3,
						TimeoutSeconds:   1,
						FailureThreshold: 3,
					},
				}
				w := ProbesOfTerminating.Implemented(in)
				gomega.NewWithT(t).Expect(window{w.Earliest, w.Latest}).To(gomega.Equal(want), version)
			}
		})
	}
}

// The counts that depend on what a restarted kubelet, or a worker that ends, knows of a container.
func TestCountsByRelease(t *testing.T) {
	type window [2]int64
	for name, c := range map[string]struct {
		counts Formula
		want   map[string]window
	}{
		"a sidecar that fails after the kubelet's restart": {SidecarHeeded, map[string]window{
			"v1.34.12": {2, 2}, "v1.35.0": {1, 1}, "v1.35.3": {1, 1}, "v1.35.4": {2, 2}, "v1.37.2": {2, 2},
		}},
		"a main container beside a sidecar that crashed": {StartsBesideCrashed, map[string]window{
			"v1.33.5": {0, 0}, "v1.33.6": {1, 1}, "v1.34.1": {0, 0}, "v1.34.2": {1, 1}, "v1.37.2": {1, 1},
		}},
		"a container that was replaced unreported": {UnreadyReplacement, map[string]window{
			"v1.34.12": {0, 1}, "v1.35.0": {3, 4}, "v1.37.2": {3, 4}, "v1.38.0-beta.0": {0, 1},
		}},
		"two pulls without their Secret": {PullSecretEvents(2), map[string]window{
			"v1.36.5": {2, 10}, "v1.37.0": {2, 2},
		}},
		"no pull without its Secret": {PullSecretEvents(0), map[string]window{"v1.36.5": {1, 5}, "v1.37.0": {0, 0}}},
	} {
		for version, want := range c.want {
			in := Input{
				Kubelet: Kubelet{Version: version}, Life: 1, Watched: 12 * time.Second,
				Probe: Probe{Kind: "readiness", Handler: "http", PeriodSeconds: 5, FailureThreshold: 3},
			}
			w := c.counts.Implemented(in)
			gomega.NewWithT(t).Expect(window{w.Earliest, w.Latest}).To(gomega.Equal(want), "%s: %s", name, version)
		}
	}
}

// Up to 1.36, the sandbox's start, both lives' starts and the end between them cause a sync and an event each.
func TestEventsAboutAMissingSecretAfterARestart(t *testing.T) {
	in := Input{Kubelet: Kubelet{Version: "v1.36.5"}, Life: 2, Watched: 5 * time.Second}
	w := PullSecretEvents(0).Implemented(in)
	gomega.NewWithT(t).Expect([]int64{w.Earliest, w.Latest}).To(gomega.Equal([]int64{1, 5}))
}

// The startup probe ticks every seven seconds. Its last tick came a second before the restart, so the next one
// comes six seconds after it.
func TestUnreadyAtStartupTick(t *testing.T) {
	in := Input{
		Kubelet: newest, Life: 2, SinceStartup: time.Second,
		Startup: Probe{Kind: "startup", Handler: "http", PeriodSeconds: 7},
	}
	g := gomega.NewWithT(t)
	g.Expect(UnreadyAtStartupTick.Implemented(in).String()).To(gomega.Equal("[5.750 s, 9.750 s]"))
	g.Expect(UnreadyAtStartupTick.Documented(in).String()).To(gomega.Equal("[-0.250 s, 4.800 s]"))
	in.SinceStartup = 6500 * time.Millisecond
	g.Expect(UnreadyAtStartupTick.Implemented(in).String()).To(gomega.Equal("[0.250 s, 11.250 s]"),
		"the next tick may be too early to see the new container")
	in.Kubelet.Version = "v1.34.12"
	g.Expect(UnreadyAtStartupTick.Implemented(in)).To(gomega.Equal(UnreadyWithRestart.Implemented(in)))
}

// Successes of earlier lives count on. The documentation promises successThreshold in every life.
func TestReadyAfter(t *testing.T) {
	for carried, want := range map[int]int64{0: 5, 2: 3, 4: 1, 7: 1} {
		in := Input{
			Kubelet:          newest,
			Life:             2,
			Probe:            Probe{Kind: "readiness", PeriodSeconds: 5, SuccessThreshold: 5},
			CarriedSuccesses: carried,
		}
		g := gomega.NewWithT(t)
		g.Expect(ReadyAfter.Implemented(in).Earliest).To(gomega.Equal(want), "carried %d", carried)
		g.Expect(StreakSurvives.Implemented(in)).To(gomega.Equal(ReadyAfter.Implemented(in)), "carried %d", carried)
		g.Expect(StreakSurvives.Documented(in).Earliest).To(gomega.Equal(int64(5)), "carried %d", carried)
		g.Expect(ReadyAfter.Documented(in) == nil).To(gomega.Equal(carried > 0), "one divergence, carried %d", carried)
	}
	met := Input{Kubelet: newest, Life: 2, Probe: Probe{Kind: "readiness", SuccessThreshold: 5}, CarriedSuccesses: 2}
	g, alone := gomega.NewWithT(t), ReadyAfter.Implemented(met).Latest
	met.MetDead = 1
	g.Expect(ReadyAfter.Implemented(met).Earliest).To(gomega.Equal(int64(3)), "the kubelet may have noticed in time")
	g.Expect(ReadyAfter.Implemented(met).Latest).To(gomega.Equal(alone+2), "the failure ended the streak")
}

// The lag is N - 1 periods after the first failing probe, and the way to the API.
func TestUnreadyLag(t *testing.T) {
	w := UnreadyLag.Implemented(Input{Kubelet: newest, Life: 1, Probe: probe(3, 3, 0, 0)})
	near(gomega.NewWithT(t), "three threes", w, 6*time.Second, 250*time.Millisecond, 2250*time.Millisecond)
}

// The initial delay counts from the container's start: seven of twelve seconds are over when the startup probe
// succeeds.
func TestReleased(t *testing.T) {
	g := gomega.NewWithT(t)
	in := Input{Kubelet: newest, Life: 1, Probe: probe(3, 3, 12, 0), StartedUp: 7 * time.Second}
	w := Released.Implemented(in)
	g.Expect(time.Duration(w.Earliest)).To(gomega.BeNumerically("~", 4*time.Second, 400*time.Millisecond))
	g.Expect(time.Duration(w.Latest)).To(gomega.BeNumerically("~", 8*time.Second, 100*time.Millisecond))
	g.Expect(Released.Documented(in).Earliest).
		To(gomega.BeNumerically(">", w.Latest), "the divergence does not depend on the tick")
	in.Probe.InitialDelaySeconds = 0
	g.Expect(time.Duration(Released.Implemented(in).Latest)).To(gomega.BeNumerically("<", 4500*time.Millisecond))
}

// A container with an inherited started flag sees liveness probes until the startup worker's next tick. The period is
// 3, the kill 2 s after the startup probe's success, whose period is 10, and the restart takes 1 s: of the ticks,
// those 2 s and 5 s after the start come before the one at 7 s.
func TestStartupFirst(t *testing.T) {
	in := Input{
		Life:         2,
		Probe:        probe(1, 3, 0, 0),
		Startup:      probe(3, 10, 0, 0),
		Restart:      time.Second,
		SinceStartup: 3 * time.Second,
	}
	for version, want := range map[string][2]int64{
		"v1.23.1": {0, 0}, "v1.34.4": {0, 0}, "v1.35.4": {2, 2}, "v1.36.3": {2, 2}, "v1.38.0-beta.0": {0, 0},
	} {
		in.Kubelet = Kubelet{Version: version}
		w := StartupFirst.Implemented(in)
		gomega.NewWithT(t).Expect([2]int64{w.Earliest, w.Latest}).To(gomega.Equal(want), version)
	}
	g := gomega.NewWithT(t)
	in.Kubelet, in.Restart, in.SinceStartup = newest, 2*time.Second, 4*time.Second
	w := StartupFirst.Implemented(in)
	g.Expect([2]int64{w.Earliest, w.Latest}).
		To(gomega.Equal([2]int64{1, 2}), "a tick 1 s after the start comes before or after the container is seen")
	in.Restart, in.SinceStartup, in.Probe.InitialDelaySeconds = time.Second, 3*time.Second, 4
	w = StartupFirst.Implemented(in)
	g.Expect([2]int64{w.Earliest, w.Latest}).
		To(gomega.Equal([2]int64{1, 1}), "the tick 2 s after the start is within the initial delay")
	in.Probe.InitialDelaySeconds = 9
	w = StartupFirst.Implemented(in)
	g.Expect([2]int64{w.Earliest, w.Latest}).
		To(gomega.Equal([2]int64{0, 0}), "the gate closes before the initial delay is over")
}

// A startup probe succeeds once before it releases the others, on old kubelets perhaps twice.
func TestStartupOnce(t *testing.T) {
	for version, most := range map[string]int64{
		"v1.23.1": 2, "v1.29.0": 2, "v1.30.14": 2, "v1.31.14": 2, "v1.32.0": 1, "v1.34.4": 1, "v1.36.3": 1,
	} {
		w := StartupOnce.Implemented(Input{Kubelet: Kubelet{Version: version}})
		gomega.NewWithT(t).Expect([2]int64{w.Earliest, w.Latest}).To(gomega.Equal([2]int64{1, most}), version)
	}
}

// The kubelet restarts 15 s after the start of a container that is watched for 60 s. Liveness probes with a period of
// 5 come in some of the last 45 s.
func TestGateKept(t *testing.T) {
	for version, want := range map[string][2]int64{
		"v1.23.1": {0, 1}, "v1.34.4": {0, 1}, "v1.35.4": {6, 10}, "v1.36.3": {6, 10},
	} {
		in := Input{Kubelet: Kubelet{Version: version}, Life: 1, Probe: probe(3, 5, 0, 0), Watched: time.Minute,
			Lives: []Life{{Started: time.Hour}}, Restarts: []time.Duration{time.Hour + 15*time.Second}}
		w := GateKept.Implemented(in)
		gomega.NewWithT(t).Expect([2]int64{w.Earliest, w.Latest}).To(gomega.Equal(want), version)
		in.Probe.InitialDelaySeconds = 36
		want = map[bool][2]int64{true: {4, 5}}[in.Kubelet.Has(StartedKept)]
		w = GateKept.Implemented(in)
		gomega.NewWithT(t).
			Expect([2]int64{w.Earliest, w.Latest}).
			To(gomega.Equal(want), "%s, a delay that outlasts the kubelet's restart", version)
	}
	w := GateKept.Implemented(
		Input{Kubelet: newest, Probe: probe(3, 5, 0, 0), Watched: time.Minute, Lives: []Life{{Started: time.Hour}}},
	)
	gomega.NewWithT(t).Expect(exact(w)).To(gomega.BeZero(), "no restart, no gate")
}

// A later life lasts N·P - (g + c). Grace and start take 3.6 s of three periods of five seconds. The two bugs
// take whole periods away.
func TestLaterProbeKills(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	in := Input{Kubelet: newest, Life: 2, Probe: probe(3, 5, 0, 0), Restart: 3600 * ms}
	g := gomega.NewWithT(t)
	near(g, "correct", LaterProbeKills.Implemented(in), 11400*ms, 300*ms, 1800*ms)
	near(g, "resultRun = 1", ResultRunOne.Of(LaterProbeKills, in), 6400*ms, 300*ms, 1800*ms)
	near(g, "never reset", NeverReset.Of(LaterProbeKills, in), 1400*ms, 300*ms, 1800*ms)
	delayed := Input{Kubelet: newest, Life: 2, Probe: probe(1, 8, 7, 0), Restart: 3 * s}
	near(g, "a delay below the period costs another period", LaterFirstProbe.Implemented(delayed), 13*s, 300*ms, 300*ms)
	g.Expect(LaterFirstProbe.Documented(delayed).Contains(int64(13*s))).To(gomega.BeFalse(),
		"if the delay were ignored")
	g.Expect(LaterProbe.Documented(delayed).Contains(int64(13*s))).To(gomega.BeTrue(), "were it not")
}

// Three tries take a second each in a period of five: the next cycle begins three seconds after the third.
func TestErroredProbes(t *testing.T) {
	g := gomega.NewWithT(t)
	in := Input{Kubelet: newest, Life: 1, Probe: probe(1, 5, 0, 0)}
	near(g, "again", TriedAgain.Implemented(in), time.Second, 60*time.Millisecond, 310*time.Millisecond)
	near(g, "next", NextCycle.Implemented(in), 3*time.Second, 810*time.Millisecond, 310*time.Millisecond)
	g.Expect(exact(NeverCounts.Implemented(in))).To(gomega.BeZero())
	g.Expect(exact(*NeverCounts.Documented(in))).To(gomega.Equal(int64(1)))
	g.Expect(exact(MissingPortNeverCounts.Implemented(in))).To(gomega.BeZero())
}
