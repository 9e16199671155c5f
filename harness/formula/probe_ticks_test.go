package formula

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
)

// The first probe of a pod comes a period after its first sync, which the API cuts to the second before; at random it comes at any time up to then, or a little later
// where the container was not there yet.
func TestFirstTick(t *testing.T) {
	g := gomega.NewWithT(t)
	in := Input{Kubelet: newest, Life: 1, Probe: probe(3, 15, 0, 0)}
	near(g, "fifteen seconds", FirstTick.Implemented(in), 15*time.Second, 0, 2*time.Second)
	w, would := FirstTick.Implemented(in), FirstTickAtRandom.Would(in)
	g.Expect(would.Earliest).To(gomega.BeZero())
	g.Expect(would.Latest).To(gomega.BeNumerically(">", w.Latest))
	g.Expect(time.Duration(w.Latest-w.Earliest)).To(gomega.BeNumerically("<", 2*time.Second), "three draws of fifteen seconds hardly ever all fall into it")
}
