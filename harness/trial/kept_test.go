package trial

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
)

// stalled is a node whose recorder did not run for a while: too short for an outage.
func stalled(from, length time.Duration) delay.Record {
	return delay.Record{LateTicks: []delay.Span{{From: zero + int64(from), To: zero + int64(from+length)}}}
}

// A life that began at 5 s and died at 15 s has none of what the code counts one of, or one less for each
// half a second that the node kept.
func TestKeptWorkMovesTicks(t *testing.T) {
	fewer := formula.Formula{
		ID:     "test/ticks",
		Says:   "a probe each tick",
		Source: "the test",
		Implemented: func(in formula.Input) formula.Window {
			return formula.Window{
				Unit: formula.Count,
			}.With(
				formula.Term{Name: "ticks", Earliest: 1 - int64(in.Kept/(500*time.Millisecond)), Latest: 1},
			)
		},
	}
	trial := claiming(Claim{Measure: StopSignals(), Formula: fewer})
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		noise delay.Record
		want  Verdict
	}{
		"a quiet node":                            {delay.Record{}, Deviates},
		"before the first mark":                   {stalled(4*time.Second, 600*ms), Inconclusive},
		"before the first mark, too little":       {stalled(4*time.Second, 400*ms), Deviates},
		"long before the first mark":              {stalled(-2*time.Second, 600*ms), Deviates},
		"before the end":                          {stalled(14*time.Second, 600*ms), Inconclusive},
		"after the first mark, long before death": {stalled(6*time.Second, 600*ms), Deviates},
		"after the end":                           {stalled(15*time.Second, 600*ms), Deviates},
	} {
		t.Run(name, func(t *testing.T) {
			tl := lifeOf(5 * time.Second)
			tl.Life(Main, 1).Started, tl.Life(Main, 1).SIGTERMs = at(5*time.Second), nil
			f := judge1(trial, tl, c.noise)
			g := gomega.NewWithT(t)
			g.Expect(f.Measured.Value).To(gomega.BeZero())
			g.Expect(f.Verdict).To(gomega.Equal(c.want), f.Why)
		})
	}
}

// A formula that counts no ticks has nothing to gain from it, and a value that lies far outside stays there.
func TestKeptWorkExcusesNothingElse(t *testing.T) {
	signals := claiming(Claim{Measure: StopSignals(), Formula: counts(3)})
	f := judge1(signals, lifeOf(5*time.Second), stalled(14*time.Second, 600*time.Millisecond))
	gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(Deviates), f.Why)
}

// What ends a life that nothing should end may be a probe whose answer the node kept for its timeout, but
// only before the kill.
func TestKeptAnswersEndALife(t *testing.T) {
	probed := claiming(Claim{Measure: EndsWithin(20 * time.Second), Formula: formula.NoKill})
	probed.KillCause = formula.ByLiveness
	probed.Pod.Spec.Containers[0].LivenessProbe = &corev1.Probe{PeriodSeconds: 2, TimeoutSeconds: 1}
	for name, c := range map[string]struct {
		noise delay.Record
		want  Verdict
	}{
		"a quiet node":                   {delay.Record{}, Deviates},
		"before the kill":                {stalled(8*time.Second, 1100*time.Millisecond), Inconclusive},
		"before the kill, for too short": {stalled(8*time.Second, 900*time.Millisecond), Deviates},
		"after the kill":                 {stalled(11*time.Second, 1100*time.Millisecond), Deviates},
		"long before":                    {stalled(time.Second, 1100*time.Millisecond), Deviates},
	} {
		f := judge1(probed, lifeOf(2*time.Second), c.noise)
		gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), "%s: %s", name, f.Why)
	}
}

// A hook of 1.5 s leaves four of five seconds, unless its request waited so long that the kubelet counts two.
func TestKeptWorkMakesAHookLonger(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		noise   delay.Record
		deleted time.Duration
		want    Verdict
	}{
		"a quiet node":                               {delay.Record{}, 9 * time.Second, Deviates},
		"before the first mark":                      {stalled(10500*ms, 500*ms), 9 * time.Second, Inconclusive},
		"before the first mark, too little":          {stalled(10600*ms, 400*ms), 9 * time.Second, Deviates},
		"before the first mark and the kill, partly": {stalled(10500*ms, 500*ms), 10900 * ms, Deviates},
		"long before the first mark":                 {stalled(5*time.Second, 500*ms), 9 * time.Second, Deviates},
		"while the hook ran":                         {stalled(11200*ms, 500*ms), 9 * time.Second, Deviates},
	} {
		t.Run(name, func(t *testing.T) {
			trial := dying(formula.Remainder)
			trial.Pod.Spec.Containers[0].Lifecycle = &corev1.Lifecycle{
				PreStop: &corev1.LifecycleHandler{HTTPGet: &corev1.HTTPGetAction{}},
			}
			tl := withLives(&timeline.Life{
				Number:   1,
				Started:  at(time.Second),
				Hooks:    []timeline.Hook{{Began: *at(11 * time.Second), Ended: at(12500 * ms)}},
				SIGTERMs: []timeline.Instant{*at(12500 * ms)},
				Gone:     at(15500 * ms),
			})
			tl.Cues[0].At = *at(c.deleted)
			f := judge1(trial, tl, c.noise)
			gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), f.Why)
		})
	}
}
