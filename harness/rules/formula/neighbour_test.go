package formula

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
)

// A neighbour answers one change differently. Its window is that of a release that does.
func TestNeighbour(t *testing.T) {
	g := gomega.NewWithT(t)
	in := Input{Probe: probe(3, 5, 0, 0), Startup: probe(3, 5, 0, 0), SinceStartup: time.Second}
	window := func(k Kubelet) Window {
		in.Kubelet = k
		return StartupAgain.Implemented(in)
	}
	has, lacks := Kubelet{Version: "v1.36.3"}, Kubelet{Version: "v1.34.12"}
	g.Expect(window(has)).NotTo(gomega.Equal(window(lacks)))
	older, says := has.Neighbour(StartedInherited)
	g.Expect(window(older)).To(gomega.Equal(window(lacks)))
	g.Expect(says).To(gomega.Equal("the kubelet lacks this change of v1.35.0, removed in v1.38.0-beta.0: " +
		StartedInherited.Name))
	newer, says := lacks.Neighbour(StartedInherited)
	g.Expect(window(newer)).To(gomega.Equal(window(has)))
	g.Expect(says).To(gomega.Equal("the kubelet has this change of v1.35.0, removed in v1.38.0-beta.0: " +
		StartedInherited.Name))
	g.Expect(older.Has(StartedKept)).To(gomega.BeTrue(), "nothing else changes")

	_, says = has.Neighbour(execReadinessCancelled)
	g.Expect(says).To(gomega.HavePrefix("the kubelet lacks this change of v1.35.0, v1.36.3, removed in v1.36.0: "))
	gate := Kubelet{Version: "v1.36.3", Gates: map[string]bool{"PodDisruptionConditions": true}}
	flipped, _ := gate.Neighbour(DisruptionConditions)
	g.Expect(flipped.Has(DisruptionConditions)).To(gomega.BeFalse(), "a gate's answer is reversed as well")
}

// Each change that the window depends on is named once.
func TestChanges(t *testing.T) {
	g := gomega.NewWithT(t)
	in := Input{Kubelet: newest, Kill: Kill{Cause: ByPreemption}}
	g.Expect(DisruptionTarget.Changes(in)).To(gomega.Equal([]Change{DisruptionConditions, PreemptionCondition}))
	in.Kill.Cause = ByHardEviction
	g.Expect(DisruptionTarget.Changes(in)).To(gomega.Equal([]Change{DisruptionConditions}))
	g.Expect(TickToTick.Changes(in)).To(gomega.BeEmpty())
}

// A formula is extrapolated if a change of one of its windows is.
func TestFormulaExtrapolated(t *testing.T) {
	g := gomega.NewWithT(t)
	in := Input{Kubelet: Kubelet{Version: "v1.36.99"}}
	g.Expect(TickToTick.Extrapolated(in)).To(gomega.BeFalse(), "it depends on no change")
	g.Expect(StartupOnce.Extrapolated(in)).To(gomega.BeTrue())
	promises := TickToTick
	promises.Documented = func(in Input) *Window {
		in.Kubelet.Has(StartupHolds)
		return nil
	}
	g.Expect(promises.Extrapolated(in)).To(gomega.BeTrue(), "its promise does")
	in.Kubelet.Version = "v1.99.0"
	g.Expect(TickToTick.Extrapolated(in)).To(gomega.BeTrue(), "nobody read the minor release")
}
