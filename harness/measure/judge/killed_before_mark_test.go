package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
)

// A process that a pause keeps from running until SIGKILL sends no mark of its signal. A kubelet that sends none on a
// node that did not pause deviates.
func TestKilledBeforeItsMark(t *testing.T) {
	tr := claiming(trial.Claim{Measure: trial.Between(trial.Injected, trial.SIGTERM), Formula: narrowPromise})
	for name, c := range map[string]struct {
		delays delay.Record
		died   time.Duration
		want   trial.Verdict
	}{
		"an idle node":            {delay.Record{}, 11 * time.Second, trial.Deviates},
		"a pause before":          {lateTick(9500*time.Millisecond, time.Second), 11 * time.Second, trial.Inconclusive},
		"a pause that is short":   {lateTick(10*time.Second, 400*time.Millisecond), 11 * time.Second, trial.Deviates},
		"a pause long before":     {lateTick(5*time.Second, time.Second), 11 * time.Second, trial.Deviates},
		"a pause after the death": {lateTick(12*time.Second, time.Second), 11 * time.Second, trial.Deviates},
		"the process lives":       {lateTick(9500*time.Millisecond, time.Second), 0, trial.Deviates},
	} {
		tl := lifeOf(0)
		life := tl.Life(trial.Main, 1)
		life.SIGTERMs, life.Gone = nil, nil
		if c.died > 0 {
			life.Gone = at(c.died)
		}
		f := judgeOne(tr, tl, c.delays)
		gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), "%s: %s", name, f.Why)
	}
}

// A hook that a busy node has no time to start sends no mark before its container dies. The fault came at nine seconds.
// A kubelet that runs no hook at all deviates, also if the node was busy for a part of the time.
func TestHookKilledBeforeItsMark(t *testing.T) {
	const fault, soon = 9 * time.Second, 1500 * time.Millisecond
	busy := func(share float64) delay.Record { return busyBetween(fault, fault+2*time.Second, share) }
	tr := claiming(trial.Claim{Measure: trial.Between(trial.Injected, trial.HookBegan), Formula: narrowPromise})
	for name, c := range map[string]struct {
		delays delay.Record
		died   time.Duration
		want   trial.Verdict
	}{
		"an idle node":           {delay.Record{}, soon, trial.Deviates},
		"a container dies soon":  {delay.Record{}, 100 * time.Millisecond, trial.Deviates},
		"a busy node":            {busy(0.9), soon, trial.Inconclusive},
		"a node that is half so": {busy(0.5), soon, trial.Deviates},
		"busy before":            {busyBetween(0, fault, 0.9), soon, trial.Deviates},
		"busy, but for long":     {busyBetween(0, time.Minute, 0.9), 6 * time.Second, trial.Deviates},
		"the container lives":    {busy(0.9), 0, trial.Deviates},
	} {
		tl := lifeOf(0)
		if life := tl.Life(trial.Main, 1); c.died > 0 {
			life.Gone = at(fault + c.died)
		} else {
			life.SIGTERMs, life.Gone = nil, nil
		}
		f := judgeOne(tr, tl, c.delays)
		gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), "%s: %s", name, f.Why)
	}
}

// A container that is killed before its first mark has started, as its end in the API shows. One that never started
// deviates, and so does one that lived long without a mark.
func TestKilledBeforeItsFirstMark(t *testing.T) {
	tr := claiming(trial.Claim{Measure: trial.Between(trial.Injected, trial.Started.Of("neighbour")),
		Formula: narrowPromise})
	for name, c := range map[string]struct {
		end  *timeline.End
		want trial.Verdict
	}{
		"it never started":    {nil, trial.Deviates},
		"it could not start":  {&timeline.End{Life: 1, FinishedAt: 12}, trial.Deviates},
		"it ended at once":    {&timeline.End{Life: 1, StartedAt: 12, FinishedAt: 13}, trial.Inconclusive},
		"its next life did":   {&timeline.End{Life: 2, StartedAt: 12, FinishedAt: 13}, trial.Deviates},
		"it lived for longer": {&timeline.End{Life: 1, StartedAt: 12, FinishedAt: 14}, trial.Deviates},
	} {
		tl := lifeOf(0)
		tl.API = append(tl.API, timeline.Change{At: *at(14 * time.Second), Containers: []timeline.ContainerStatus{
			{Name: "neighbour", State: "terminated", Ended: c.end},
		}})
		f := judgeOne(tr, tl, delay.Record{})
		gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), "%s: %s", name, f.Why)
	}
}
