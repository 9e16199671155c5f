package trial

import (
	"testing"

	"github.com/onsi/gomega"
)

func TestFindingEndsInTheContainerOfItsLastPoint(t *testing.T) {
	containers := []string{Main, "neighbour", "layer-neighbour", "first", "init"}
	for want, measures := range map[string][]Measure{
		Main: {
			Between(Cued, Gone), Between(Gone, Started.Life(2)), Between(Gone.Of("first"), SIGTERM),
			Between(Started, FirstProbe("liveness")), Between(Gone.Life(2), Waiting("CrashLoopBackOff").Life(2)),
			Between(PullAttempt(1), PullAttempt(2)), Between(Filled, PostStartEnded), Apart(Gone.Of("init"), Gone),
			Between(CueDone, ProbeAfterRestart("liveness").Number(2)),
		},
		"neighbour": {Between(SIGTERM, SIGTERM.Of("neighbour")), Apart(Gone, HookBegan.Of("neighbour"))},
		"layer-neighbour": {
			Between(SIGTERM.Of("layer-neighbour"), Gone.Of("layer-neighbour")),
			Between(SIGTERM.Of("neighbour"), Gone.Of("layer-neighbour").Life(3)),
		},
		"first": {
			Between(Cued, Gone.Of("first")), Between(Started, FirstProbe("liveness").Of("first")),
			Between(Started, Event("Killing").Of("first")),
		},
		"init": {Between(Gone.Of("init"), Started.Of("init").Life(2))},
		"": {
			Between(Gone, ObjectDeleted), Between(Gone, Phase("Failed")), Between(Cued, DeletionBegan),
			Between(Started, Condition("Ready")), Between(SIGTERM, NoCondition("Ready").Number(2)),
			Between(PostStartEnded, Event("FailedPostStartHook")), Between(Filled, NodeCondition("DiskPressure")),
			Between(Cued, NoNodeCondition("DiskPressure")), Between(Gone, Cued.Number(2)), Between(Gone, CueDone),
			Between(Cued, PodStartTime), Apart(Gone, ObjectDeleted),
		},
	} {
		for _, m := range measures {
			t.Run(m.String(), func(t *testing.T) {
				gomega.NewWithT(t).Expect(Finding{Claim: m.String()}.EndsIn(containers)).To(gomega.Equal(want))
			})
		}
	}
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
