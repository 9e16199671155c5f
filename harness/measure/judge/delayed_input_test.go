package judge

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// The life begins at 5 s and dies at 15 s. The formula expects one tick less for each half second of delay.
func TestDelayChangesTicks(t *testing.T) {
	fewer := formula.Formula{
		ID:          "test/ticks",
		Description: "a probe each tick",
		Source:      "the test",
		Implemented: func(in formula.Input) formula.Window {
			earliest := 1 - int64(in.Delay/(500*time.Millisecond))
			return formula.Window{Unit: formula.Count}.With(formula.Term{Name: "ticks", Earliest: earliest, Latest: 1})
		},
	}
	tr := claiming(trial.Claim{Measure: trial.Probes("liveness", 1), Formula: fewer})
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		delays delay.Record
		want   trial.Verdict
	}{
		"an idle node":                            {delay.Record{}, trial.Deviates},
		"before the first mark":                   {lateTick(4*time.Second, 600*ms), trial.Inconclusive},
		"before the first mark, too little":       {lateTick(4*time.Second, 400*ms), trial.Deviates},
		"long before the first mark":              {lateTick(-2*time.Second, 600*ms), trial.Deviates},
		"before the end":                          {lateTick(14*time.Second, 600*ms), trial.Inconclusive},
		"after the first mark, long before death": {lateTick(6*time.Second, 600*ms), trial.Deviates},
		"after the end":                           {lateTick(15*time.Second, 600*ms), trial.Deviates},
	} {
		t.Run(name, func(t *testing.T) {
			tl := lifeOf(5 * time.Second)
			tl.Life(trial.Main, 1).Started, tl.Life(trial.Main, 1).SIGTERMs = at(5*time.Second), nil
			f := judgeOne(tr, tl, c.delays)
			g := gomega.NewWithT(t)
			g.Expect(f.Measured.Value).To(gomega.BeZero())
			g.Expect(f.Verdict).To(gomega.Equal(c.want), f.Why)
		})
	}
}

func TestDelayedInputNeedsTicks(t *testing.T) {
	signals := claiming(trial.Claim{Measure: trial.StopSignals(), Formula: counts(3)})
	f := judgeOne(signals, lifeOf(5*time.Second), lateTick(14*time.Second, 600*time.Millisecond))
	gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(trial.Deviates), f.Why)
}

// A process that starts late misses its stop signal, if it dies within its grace period of 5 s after its first mark.
func TestDelayedStartMissesTheSignal(t *testing.T) {
	late := busyBetween(6*time.Second, 9*time.Second, 1)
	for name, c := range map[string]struct {
		delays delay.Record
		lived  time.Duration
		want   trial.Verdict
	}{
		"killed before it started":       {late, 4 * time.Second, trial.Inconclusive},
		"killed before, on an idle node": {delay.Record{}, 4 * time.Second, trial.Deviates},
		"killed after it started":        {late, 6 * time.Second, trial.Deviates},
	} {
		t.Run(name, func(t *testing.T) {
			signals := claiming(trial.Claim{Measure: trial.StopSignals(), Formula: formula.StopSignals})
			f := judgeOne(signals, withLives(&timeline.Life{
				Number: 1, Started: at(9 * time.Second), Gone: at(9*time.Second + c.lived),
			}), c.delays)
			gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), f.Why)
		})
	}
}

// Delay before a kill can make a probe fail.
func TestDelayedAnswerEndsALife(t *testing.T) {
	probed := claiming(trial.Claim{Measure: trial.EndsWithin(20 * time.Second), Formula: formula.NoKill})
	probed.KillCause = formula.ByLiveness
	probed.Pod.Spec.Containers[0].LivenessProbe = &corev1.Probe{
		PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 1,
	}
	for name, c := range map[string]struct {
		delays delay.Record
		want   trial.Verdict
	}{
		"an idle node":                {delay.Record{}, trial.Deviates},
		"before the kill":             {lateTick(8*time.Second, 1100*time.Millisecond), trial.Inconclusive},
		"before the kill, too little": {lateTick(8*time.Second, 900*time.Millisecond), trial.Deviates},
		"after the kill":              {lateTick(11*time.Second, 1100*time.Millisecond), trial.Deviates},
		"long before":                 {lateTick(time.Second, 1100*time.Millisecond), trial.Deviates},
	} {
		f := judgeOne(probed, lifeOf(2*time.Second), c.delays)
		gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), "%s: %s", name, f.Why)
	}
	probed.Pod.Spec.Containers[0].LivenessProbe.FailureThreshold = 3
	tl := lifeOf(2 * time.Second)
	tl.Life(trial.Main, 1).Probes = []timeline.Probe{{At: *at(2100 * time.Millisecond), For: "liveness", Answer: "S"}}
	f := judgeOne(probed, tl, lateTick(time.Second, 1100*time.Millisecond))
	gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(trial.Inconclusive), "the first of three failures: "+f.Why)
}

// A hook of 1.5 s leaves four of five seconds, unless delay of its request makes the kubelet count two.
func TestDelayLengthensAHook(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		delays  delay.Record
		deleted time.Duration
		want    trial.Verdict
	}{
		"an idle node":                              {delay.Record{}, 9 * time.Second, trial.Deviates},
		"before the first mark":                     {lateTick(10500*ms, 500*ms), 9 * time.Second, trial.Inconclusive},
		"before the first mark, too little":         {lateTick(10600*ms, 400*ms), 9 * time.Second, trial.Deviates},
		"partly before the first mark and the kill": {lateTick(10500*ms, 500*ms), 10900 * ms, trial.Deviates},
		"long before the mark":                      {lateTick(5*time.Second, 500*ms), 9 * time.Second, trial.Deviates},
		"while the hook ran":                        {lateTick(11200*ms, 500*ms), 9 * time.Second, trial.Deviates},
	} {
		t.Run(name, func(t *testing.T) {
			tr := dying(formula.Remainder)
			tr.Pod.Spec.Containers[0].Lifecycle = &corev1.Lifecycle{
				PreStop: &corev1.LifecycleHandler{HTTPGet: &corev1.HTTPGetAction{}},
			}
			tl := withLives(&timeline.Life{
				Number:   1,
				Started:  at(time.Second),
				Hooks:    []timeline.Hook{{Began: *at(11 * time.Second), Ended: at(12500 * ms)}},
				SIGTERMs: []timeline.Instant{*at(12500 * ms)},
				Gone:     at(15500 * ms),
			})
			tl.Faults[0].At = *at(c.deleted)
			f := judgeOne(tr, tl, c.delays)
			gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), f.Why)
		})
	}
}

// A hook of 8.5 s outlasts a grace period of ten if its process starts 1.5 s late. Then SIGTERM comes before its end.
func TestDelayLetsAHookOutlastTheGracePeriod(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		delays delay.Record
		term   time.Duration
		want   trial.Verdict
	}{
		"an idle node":                      {delay.Record{}, 12500 * ms, trial.Deviates},
		"before the first mark":             {lateTick(2800*ms, 1900*ms), 12500 * ms, trial.Inconclusive},
		"before the first mark, too little": {lateTick(3300*ms, 1400*ms), 12500 * ms, trial.Deviates},
		"while the hook ran":                {lateTick(6000*ms, 1900*ms), 12500 * ms, trial.Deviates},
		"before the first mark, but SIGTERM comes long before the end of the grace period": {
			lateTick(2800*ms, 1900*ms), 12 * time.Second, trial.Deviates,
		},
	} {
		t.Run(name, func(t *testing.T) {
			tr := claiming(trial.Claim{
				Measure: trial.Between(trial.HookEnded, trial.SIGTERM), Formula: formula.HookThenSignal,
			})
			tr.KillCause = formula.ByDelete
			tr.Pod.Spec.TerminationGracePeriodSeconds = new(int64(10))
			tr.Pod.Spec.Containers[0].Lifecycle = &corev1.Lifecycle{
				PreStop: &corev1.LifecycleHandler{Exec: &corev1.ExecAction{}},
			}
			tl := withLives(&timeline.Life{
				Number:   1,
				Started:  at(time.Second),
				Hooks:    []timeline.Hook{{Began: *at(4700 * ms), Ended: at(13200 * ms)}},
				SIGTERMs: []timeline.Instant{*at(c.term)},
				Gone:     at(c.term + 2*time.Second),
			})
			tl.Faults[0].At = *at(2300 * ms)
			f := judgeOne(tr, tl, c.delays)
			gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), f.Why)
		})
	}
}

// A container crashes twice after one failing probe of three. Its next life sees one, unless a probe met the dead
// container: with it, the failures reach the threshold, and the count begins again.
func TestDelayLetsAProbeMeetADeadContainer(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		delays delay.Record
		want   trial.Verdict
	}{
		"an idle node":                    {delay.Record{}, trial.Deviates},
		"after the crash, a little":       {lateTick(13*time.Second, 79*ms), trial.Deviates},
		"after the crash, long enough":    {lateTick(13*time.Second, 2*time.Second), trial.Inconclusive},
		"long before and after the crash": {lateTick(18*time.Second, 2*time.Second), trial.Deviates},
	} {
		t.Run(name, func(t *testing.T) {
			tr := claiming(trial.Claim{Measure: trial.FailingProbes("liveness", 3), Formula: formula.StreakSurvives})
			tr.KillCause = formula.ByLiveness
			tr.Pod.Spec.Containers[0].LivenessProbe = &corev1.Probe{
				PeriodSeconds: 3, TimeoutSeconds: 2, FailureThreshold: 3,
				ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{}},
			}
			failing := func(seconds ...time.Duration) (all []timeline.Probe) {
				for _, s := range seconds {
					all = append(all, timeline.Probe{At: *at(s * time.Second), For: "liveness", Answer: "F"})
				}
				return all
			}
			f := judgeOne(tr, withLives(
				&timeline.Life{Number: 1, Started: at(7 * time.Second), Probes: failing(10), Gone: at(10050 * ms)},
				&timeline.Life{Number: 2, Started: at(11 * time.Second), Probes: failing(13), Gone: at(13050 * ms)},
				&timeline.Life{
					Number: 3, Started: at(26 * time.Second), Probes: failing(28, 31, 34),
					SIGTERMs: []timeline.Instant{*at(34050 * ms)}, Gone: at(34100 * ms),
				},
			), c.delays)
			gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), f.Why)
		})
	}
}

// A node delayed by 5.9 s stops life 4 18.2 s after the end of life 3, or later by its own clock. So the back-off of
// 20 s may be over, and the restart free.
func TestDelayDecidesWhetherABackOffApplies(t *testing.T) {
	const ms = time.Millisecond
	lives := func(started time.Duration) *timeline.Timeline {
		tl := &timeline.Timeline{Pod: "ns/pod", Known: zero + int64(2*time.Minute),
			Containers: map[string]*timeline.Container{trial.Main: {Name: trial.Main}}}
		for i, l := range [][2]time.Duration{
			{1000 * ms, 5400 * ms}, {6400 * ms, 9700 * ms}, {18000 * ms, 21430 * ms}, {35000 * ms, 39600 * ms},
			{started, 0},
		} {
			life := &timeline.Life{Number: i + 1, Started: at(l[0])}
			if l[1] > 0 {
				life.SIGTERMs, life.Gone = []timeline.Instant{*at(l[1] - 20*ms)}, at(l[1])
			}
			tl.Containers[trial.Main].Lives = append(tl.Containers[trial.Main].Lives, life)
		}
		return tl
	}
	tr := claiming(trial.Claim{
		Measure: trial.Between(trial.Gone.Life(4), trial.Started.Life(5)), Formula: formula.RestartDelayAfterProbe,
	})
	tr.Faults, tr.KillCause = nil, formula.ByLiveness
	tr.Pod.Spec.Containers[0].LivenessProbe = &corev1.Probe{PeriodSeconds: 3, TimeoutSeconds: 1, FailureThreshold: 1}
	for name, c := range map[string]struct {
		delays  delay.Record
		started time.Duration
		want    trial.Verdict
	}{
		"an idle node":                 {delay.Record{}, 44500 * ms, trial.Deviates},
		"the kubelet saw the end late": {busyBetween(39600*ms, 44500*ms, 1), 44500 * ms, trial.Inconclusive},
		"it was delayed too little":    {busyBetween(39600*ms, 40300*ms, 1), 44500 * ms, trial.Deviates},
		"it was delayed long before":   {busyBetween(27000*ms, 32900*ms, 1), 44500 * ms, trial.Deviates},
		"later than both":              {busyBetween(39600*ms, 44500*ms, 1), 80000 * ms, trial.Deviates},
		"it waited, as computed":       {busyBetween(39600*ms, 44500*ms, 1), 62000 * ms, trial.Divergent},
	} {
		f := judgeOne(tr, lives(c.started), c.delays)
		gomega.NewWithT(t).Expect(f.Verdict).To(gomega.Equal(c.want), "%s: %s", name, f.Why)
	}
}
