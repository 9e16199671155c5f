package formula

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
)

// The first probe of a pod comes a period after its first sync, which the API cuts to the second before; at
// random it comes at any time up to then, or a little later if the container did not exist yet.
func TestFirstTick(t *testing.T) {
	g := gomega.NewWithT(t)
	in := Input{Kubelet: newest, Life: 1, Probe: probe(3, 15, 0, 0)}
	near(g, "fifteen seconds", FirstTick.Implemented(in), 15*time.Second, 0, 2*time.Second)
	w, would := FirstTick.Implemented(in), FirstTickAtRandom.Would(in)
	g.Expect(would.Earliest).To(gomega.BeZero())
	g.Expect(would.Latest).To(gomega.BeNumerically(">", w.Latest))
	g.Expect(time.Duration(w.Latest-w.Earliest)).
		To(gomega.BeNumerically("<", 2*time.Second), "three draws of fifteen seconds hardly ever all fall into it")
}

// Only the tick that takes an inherited flag away can put off a restarted container's startup probe, by one period.
func TestStartupAgain(t *testing.T) {
	for version, want := range map[string]time.Duration{
		"v1.34.4": 0, "v1.35.4": 2 * time.Second, "v1.36.3": 2 * time.Second, "v1.38.0-beta.0": 0,
	} {
		in := Input{Kubelet: Kubelet{Version: version}, Life: 2, Probe: probe(3, 2, 2, 0)}
		gomega.NewWithT(t).
			Expect(time.Duration(StartupAgain.Implemented(in).Latest-StartupAgain.Documented(in).Latest)).
			To(gomega.Equal(want), version)
	}
}

// A probe that outlasts its period begins when the one before it ends, between two ticks. So the ticks of the next life
// have any phase to it. A failure more or less is 15 s beside the window.
func TestKillTicksOfProbesThatOutlastThePeriod(t *testing.T) {
	g := gomega.NewWithT(t)
	in := Input{Kubelet: newest, Life: 2, Kill: Kill{Cause: ByLiveness}, Restart: 45 * time.Second, Probe: Probe{
		Handler: "http", InitialDelaySeconds: 10, PeriodSeconds: 10, TimeoutSeconds: 15, FailureThreshold: 8,
		Takes: 15 * time.Second,
	}}
	w := KillTicks.Implemented(in)
	for between, within := range map[time.Duration]bool{
		145 * time.Second: false, 160 * time.Second: true, 165 * time.Second: true, 175 * time.Second: false,
	} {
		g.Expect(w.Contains(int64(between))).To(gomega.Equal(within), "%v: %v", between, w)
	}
	in.Probe.FailureThreshold = 1 // it came at a tick
	once := KillTicks.Implemented(in)
	g.Expect(time.Duration(once.Earliest)).To(gomega.BeNumerically("~", 60*time.Second, time.Second))
}
