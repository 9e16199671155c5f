package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
)

// Delay explains a late value from a second before its beginning on. It explains an early value only if the
// beginning was late.
func TestDelayedWork(t *testing.T) {
	const half = 500 * time.Millisecond
	for name, c := range map[string]struct {
		after  time.Duration
		delays delay.Record
		want   trial.Verdict
	}{
		"late by the delay":            {6*time.Second + half, lateTick(12*time.Second, half), trial.Inconclusive},
		"late by 1 ns more":            {6*time.Second + half + 1, lateTick(12*time.Second, half), trial.Deviates},
		"late, delayed before":         {6*time.Second + half, lateTick(9*time.Second, half), trial.Inconclusive},
		"late, delayed long before":    {6*time.Second + half, lateTick(8*time.Second, half), trial.Deviates},
		"late, delayed afterwards":     {6*time.Second + half, lateTick(17*time.Second, time.Second), trial.Deviates},
		"early, beginning was late":    {5*time.Second - half, lateTick(9*time.Second, half), trial.Inconclusive},
		"early by 1 ns more":           {5*time.Second - half - 1, lateTick(9*time.Second, half), trial.Deviates},
		"early, delayed in between":    {5*time.Second - half, lateTick(12*time.Second, time.Second-1), trial.Deviates},
		"inside, delayed at both ends": {5 * time.Second, lateTick(14*time.Second+half, time.Second-1), trial.Conforms},
	} {
		t.Run(name, func(t *testing.T) {
			f := judgeOne(dying(narrowPromise), lifeOf(c.after), c.delays)
			gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), f.Why)
			gomega.NewWithT(t).Expect(f.Diagnosis).To(gomega.BeNil())
		})
	}
}

// A busy node delays work but no timer. The window leaves one second for work.
func TestDelayedWorkIsBounded(t *testing.T) {
	const latest = 6 * time.Second
	for name, c := range map[string]struct {
		busy float64
		late time.Duration
		want trial.Verdict
	}{
		"delayed by as much as the work": {0.5, 990 * time.Millisecond, trial.Inconclusive},
		"late by more than the delay":    {0.5, 1300 * time.Millisecond, trial.Deviates},
		"one second takes four":          {0.75, 2900 * time.Millisecond, trial.Inconclusive},
		"one second takes no five":       {0.75, 3500 * time.Millisecond, trial.Deviates},
		"cores are never free":           {1, 20 * time.Second, trial.Inconclusive},
	} {
		f := judgeOne(dying(narrowPromise), lifeOf(latest+c.late), busyBetween(0, time.Minute, c.busy))
		gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), "%s: %s", name, f.Why)
	}
}

// A busy node can delay the first mark of a process, but not the mark of a signal.
func TestDelayedStart(t *testing.T) {
	busy := busyFor(time.Minute)
	hooked := func(early time.Duration) *timeline.Timeline {
		tl := lifeOf(5*time.Second - early)
		tl.Life(trial.Main, 1).Hooks = []timeline.Hook{{Began: *at(10 * time.Second)}}
		return tl
	}
	fromHook := claiming(trial.Claim{Measure: trial.Between(trial.HookBegan, trial.Gone), Formula: narrowPromise})
	g := gomega.NewWithT(t)
	g.Expect(judgeOne(fromHook, hooked(3*time.Second), busy).Verdict).To(gomega.Equal(trial.Inconclusive))
	g.Expect(judgeOne(fromHook, hooked(3*time.Second), delay.Record{}).Verdict).
		To(gomega.Equal(trial.Deviates), "an idle node has no delay")
	g.Expect(judgeOne(dying(narrowPromise), hooked(3*time.Second), busy).Verdict).
		To(gomega.Equal(trial.Deviates), "a signal starts no process")

	probed := func(handler string) *timeline.Timeline {
		tl := lifeOf(2 * time.Second)
		tl.Life(trial.Main, 1).Probes = []timeline.Probe{
			{At: *at(10 * time.Second), For: "liveness", Handler: handler, Answer: "F"},
		}
		return tl
	}
	fromLast := trial.Between(trial.LastProbe("liveness"), trial.Gone)
	fromProbe := claiming(trial.Claim{Measure: fromLast, Formula: narrowPromise})
	g.Expect(judgeOne(fromProbe, probed("exec"), busy).Verdict).
		To(gomega.Equal(trial.Inconclusive), "an exec probe starts a process")
	g.Expect(judgeOne(fromProbe, probed("http"), busy).Verdict).
		To(gomega.Equal(trial.Deviates), "a request starts none")
}

func TestDelayExplainsNoCount(t *testing.T) {
	tr := claiming(trial.Claim{Measure: trial.StopSignals(), Formula: counts(2)})
	f := judgeOne(tr, lifeOf(5*time.Second), busyFor(time.Minute))
	gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(trial.Deviates))
}
