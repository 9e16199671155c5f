package trial

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
)

func TestFindingEndsInTheContainerOfItsLastPoint(t *testing.T) {
	containers := []string{Main, "neighbour", "layer-neighbour", "first", "init"}
	for want, measures := range map[string][]Measure{
		Main: {
			Between(Cued, Gone), Between(Gone, Started.Life(2)), Between(Gone.Of("first"), SIGTERM), Between(Started, FirstProbe("liveness")),
			Between(Gone.Life(2), Waiting("CrashLoopBackOff").Life(2)), Between(PullAttempt(1), PullAttempt(2)), Between(Filled, PostStartEnded), Apart(Gone.Of("init"), Gone),
			Between(CueDone, ProbeAfterRestart("liveness").Number(2)),
		},
		"neighbour":       {Between(SIGTERM, SIGTERM.Of("neighbour")), Apart(Gone, HookBegan.Of("neighbour"))},
		"layer-neighbour": {Between(SIGTERM.Of("layer-neighbour"), Gone.Of("layer-neighbour")), Between(SIGTERM.Of("neighbour"), Gone.Of("layer-neighbour").Life(3))},
		"first":           {Between(Cued, Gone.Of("first")), Between(Started, FirstProbe("liveness").Of("first")), Between(Started, Event("Killing").Of("first"))},
		"init":            {Between(Gone.Of("init"), Started.Of("init").Life(2))},
		"": {
			Between(Gone, ObjectDeleted), Between(Gone, Phase("Failed")), Between(Cued, DeletionBegan), Between(Started, Condition("Ready")),
			Between(SIGTERM, NoCondition("Ready").Number(2)), Between(PostStartEnded, Event("FailedPostStartHook")), Between(Filled, NodeCondition("DiskPressure")),
			Between(Cued, NoNodeCondition("DiskPressure")), Between(Gone, Cued.Number(2)), Between(Gone, CueDone), Between(Cued, PodStartTime), Apart(Gone, ObjectDeleted),
		},
	} {
		for _, m := range measures {
			t.Run(m.String(), func(t *testing.T) {
				gomega.NewWithT(t).Expect(Finding{Claim: m.String()}.EndsIn(containers)).To(gomega.Equal(want))
			})
		}
	}
}

func TestFindingBeginsWhereItsTimeBegan(t *testing.T) {
	lasts := predicts(0, time.Second, 0, 0)
	gone := withLives(probedLife("FF"))
	alive := withLives(&timeline.Life{Number: 1, Started: at(time.Second)})
	for name, c := range map[string]struct {
		measure Measure
		formula formula.Formula
		on      *timeline.Timeline
		want    int64 // 0 is nowhere
	}{
		"measured":              {Between(SIGTERM, Gone), lasts, gone, at(18 * time.Second).At},
		"its end never came":    {Between(Started, Gone), lasts, alive, at(time.Second).At},
		"its beginning neither": {Between(SIGTERM, Gone), lasts, alive, 0},
		"counted":               {FailingProbes("liveness", 1), counts(2), gone, 0},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			from, known := judge1(
				claiming(Claim{Measure: c.measure, Formula: c.formula}),
				c.on,
				delay.Record{},
			).Begins()
			g.Expect(known).To(gomega.Equal(c.want != 0))
			g.Expect(from).To(gomega.Equal(c.want))
		})
	}
}
