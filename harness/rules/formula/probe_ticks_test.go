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
