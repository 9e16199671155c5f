package trial

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/rules/formula"
)

// probedLife returns a life from 1 s to 20 s with SIGTERM at 18 s. It has liveness probes every second from 2 s on,
// answered by a script, and one startup probe.
func probedLife(script string) *timeline.Life {
	code := int32(137)
	l := &timeline.Life{
		Number:   1,
		Signal:   "SIGTERM",
		Started:  at(time.Second),
		SIGTERMs: []timeline.Instant{*at(18 * time.Second)},
		Gone:     at(20 * time.Second),
		ExitCode: &code,
		Hooks:    []timeline.Hook{{Began: *at(15 * time.Second), Ended: at(17 * time.Second)}},
	}
	for i, answer := range script {
		seen := *at(time.Duration(i+2) * time.Second)
		l.Probes = append(l.Probes, timeline.Probe{At: seen, For: "liveness", Answer: string(answer)})
	}
	last := *at(time.Duration(len(script)+2) * time.Second)
	l.Probes = append(l.Probes, timeline.Probe{At: last, For: "startup", Answer: "S"})
	return l
}

func TestMeasures(t *testing.T) {
	for name, c := range map[string]struct {
		measure Measure
		want    int64
	}{
		"fault to death":                   {Between(Injected, Gone), int64(11 * time.Second)},
		"start to first probe":             {Between(Started, FirstProbe("liveness")), int64(time.Second)},
		"last probe to signal":             {Between(LastProbe("liveness"), SIGTERM), int64(12 * time.Second)},
		"last probe of another kind":       {Between(LastProbe("startup"), SIGTERM), int64(11 * time.Second)},
		"hook":                             {Between(HookBegan, HookEnded), int64(2 * time.Second)},
		"hook to signal":                   {Between(HookEnded, SIGTERM), int64(time.Second)},
		"death to the object's end":        {Between(Gone, ObjectDeleted), int64(5 * time.Second)},
		"backwards":                        {Between(Gone, SIGTERM), -int64(2 * time.Second)},
		"failing probes since the success": {FailingProbes("liveness", 1), 2},
		"failing probes of another kind":   {FailingProbes("startup", 1), 0},
		"probes":                           {Probes("liveness", 1), 5},
		"probes in a span":                 {ProbesWithin("liveness", 3*time.Second), 3},
		"probes in a span 1 ns shorter":    {ProbesWithin("liveness", 3*time.Second-1), 2},
		"signals":                          {StopSignals(), 1},
		"signals in a span":                {EndsWithin(17 * time.Second), 1},
		"signals in a shorter span":        {EndsWithin(17*time.Second - 1), 0},
		"hook runs":                        {HookRuns(), 1},
		"exit code":                        {DeathCode(), 137},
		"apart":                            {Apart(SIGTERM, Gone), int64(2 * time.Second)},
		"apart, whichever comes first":     {Apart(Gone, SIGTERM), int64(2 * time.Second)},
		"stop signal":                      {StopSignal(), 15},
	} {
		t.Run(name, func(t *testing.T) {
			tl := withLives(probedLife("FFSFF"))
			tl.ObjectDeleted = at(25 * time.Second)
			m, missing := c.measure.Read(tl)
			g := gomega.NewWithT(t)
			g.Expect(missing).To(gomega.BeEmpty())
			g.Expect(m.Value).To(gomega.Equal(c.want))
		})
	}
}

// liveAgain adds a second life, which is known for so long.
func liveAgain(tl *timeline.Timeline, known time.Duration) {
	tl.Known = zero + int64(30*time.Second+known)
	c := tl.Containers[Main]
	c.Lives = append(c.Lives, &timeline.Life{Number: 2, Started: at(30 * time.Second)})
}

func TestMissing(t *testing.T) {
	for name, c := range map[string]struct {
		measure Measure
		distort func(*timeline.Timeline)
		want    string
	}{
		"nothing": {Between(SIGTERM, Gone), func(*timeline.Timeline) {}, ""},
		"the signal": {
			Between(SIGTERM, Gone), func(tl *timeline.Timeline) { tl.Life(Main, 1).SIGTERMs = nil }, "sigterm",
		},
		"the death": {Between(SIGTERM, Gone), func(tl *timeline.Timeline) { tl.Life(Main, 1).Gone = nil }, "death"},
		"a probe's kill": {
			FailingProbes("liveness", 1), func(tl *timeline.Timeline) { tl.Life(Main, 1).SIGTERMs = nil }, "sigterm",
		},
		"a life":           {FailingProbes("liveness", 2), func(*timeline.Timeline) {}, "death-2"},
		"the fault":        {Between(Injected, Gone), func(tl *timeline.Timeline) { tl.Faults = nil }, "fault"},
		"the object's end": {Between(Gone, ObjectDeleted), func(*timeline.Timeline) {}, "object-deleted"},
		"the hook": {
			Between(HookBegan, SIGTERM), func(tl *timeline.Timeline) { tl.Life(Main, 1).Hooks = nil }, "hook-begin",
		},
		"the hook's end": {
			Between(HookEnded, SIGTERM), func(tl *timeline.Timeline) { tl.Life(Main, 1).Hooks[0].Ended = nil },
			"hook-end",
		},
		"probes": {Between(Started, FirstProbe("readiness")), func(*timeline.Timeline) {}, "readiness-first-probe"},
		"a kill for the last probe": {
			Between(LastProbe("liveness"), Gone), func(tl *timeline.Timeline) { tl.Life(Main, 1).SIGTERMs = nil },
			"liveness-last-probe",
		},
		"a waiting state": {
			Between(Gone, Waiting("CrashLoopBackOff")), func(tl *timeline.Timeline) { liveAgain(tl, time.Second) },
			"crashloopbackoff-waiting",
		},
		"not: a waiting state that is over": {
			Between(Gone, Waiting("CrashLoopBackOff")),
			func(tl *timeline.Timeline) { liveAgain(tl, 2*time.Second) },
			"",
		},
		"the exit code": {
			DeathCode(), func(tl *timeline.Timeline) { tl.Life(Main, 1).ExitCode = nil }, "exit code in the API",
		},
		"the end of a watched span": {EndsWithin(40 * time.Second), func(tl *timeline.Timeline) {
			tl.Life(Main, 1).Gone = nil
			tl.Known = zero + int64(41*time.Second) - 1
		}, "40s after start"},
		"not: a watched span, known": {EndsWithin(40 * time.Second), func(tl *timeline.Timeline) {
			tl.Life(Main, 1).Gone = nil
			tl.Known = zero + int64(41*time.Second)
		}, ""},
		"not: a watched span, dead": {
			EndsWithin(40 * time.Second), func(tl *timeline.Timeline) { tl.Known = zero + int64(21*time.Second) }, "",
		},
		"the start of a watched span": {
			EndsWithin(40 * time.Second), func(tl *timeline.Timeline) { tl.Life(Main, 1).Started = nil }, "start",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tl := withLives(probedLife("FF"))
			c.distort(tl)
			trial := claiming(Claim{Measure: c.measure, Formula: counts(1)})
			gomega.NewWithT(t).Expect(Missing(trial, tl, newest)).To(gomega.Equal(c.want))
		})
	}
}

func TestInput(t *testing.T) {
	failing := func(life int) Claim { return Claim{Measure: FailingProbes("liveness", life)} }
	t.Run("a delete's option", func(t *testing.T) {
		trial := claiming()
		trial.Faults = []Fault{DeleteWithin(4)}
		in := trial.Input(Claim{Measure: Between(SIGTERM, Gone)}, lifeOf(0), delay.Record{}, newest)
		g := gomega.NewWithT(t)
		g.Expect(in.Kill.Cause).To(gomega.Equal(formula.ByDelete))
		g.Expect(*in.Kill.GracePeriodSeconds).To(gomega.Equal(int64(4)))
		g.Expect(in.Kill.TerminationGracePeriodSeconds).To(gomega.Equal(int64(5)))
	})
	t.Run("a probe with the API's defaults", func(t *testing.T) {
		trial, own := claiming(), int64(9)
		trial.Faults, trial.KillCause = nil, formula.ByStartup
		trial.Pod.Spec.Containers[0].StartupProbe = &corev1.Probe{
			TerminationGracePeriodSeconds: &own,
			ProbeHandler:                  corev1.ProbeHandler{GRPC: &corev1.GRPCAction{}},
		}
		trial.Pod.Spec.Containers[0].LivenessProbe = &corev1.Probe{PeriodSeconds: 3}
		in := trial.Input(Claim{Measure: FailingProbes("startup", 1)}, lifeOf(0), delay.Record{}, newest)
		g := gomega.NewWithT(t)
		g.Expect(in.Probe).To(gomega.Equal(formula.Probe{
			Handler: "grpc", Kind: "startup", PeriodSeconds: 10, TimeoutSeconds: 1, FailureThreshold: 3,
			SuccessThreshold: 1,
		}))
		g.Expect(*in.Kill.ProbeTerminationGracePeriodSeconds).To(gomega.Equal(int64(9)))
		trial.KillCause = formula.ByLiveness
		in = trial.Input(Claim{Measure: FailingProbes("liveness", 1)}, lifeOf(0), delay.Record{}, newest)
		g.Expect(in.Probe.PeriodSeconds).To(gomega.Equal(3))
		g.Expect(in.Kill.ProbeTerminationGracePeriodSeconds).To(gomega.BeNil())
	})
	t.Run("a probe's kill that takes the whole pod", func(t *testing.T) {
		const other = "other"
		never, always := corev1.RestartPolicyNever, corev1.ContainerRestartPolicyAlways
		for name, c := range map[string]struct {
			pod   func(*corev1.PodSpec)
			lives []*timeline.Life // of another container
			want  bool
		}{
			"restarted": {func(*corev1.PodSpec) {}, nil, false},
			"alone":     {func(s *corev1.PodSpec) { s.RestartPolicy = never }, nil, true},
			"alone, with a policy of its own": {func(s *corev1.PodSpec) {
				s.RestartPolicy, s.Containers[0].RestartPolicy = never, &always
			}, nil, false},
			"beside one that lives": {func(s *corev1.PodSpec) {
				s.RestartPolicy, s.Containers = never, append(s.Containers, corev1.Container{Name: other})
			}, []*timeline.Life{{Number: 1}}, false},
			"beside one that has ended": {func(s *corev1.PodSpec) {
				s.RestartPolicy, s.Containers = never, append(s.Containers, corev1.Container{Name: other})
			}, []*timeline.Life{{Number: 1, Gone: at(2 * time.Second)}}, true},
			"beside one that is killed later": {func(s *corev1.PodSpec) {
				s.RestartPolicy, s.Containers = never, append(s.Containers, corev1.Container{Name: other})
			}, []*timeline.Life{{Number: 1, Gone: at(20 * time.Second)}}, false},
		} {
			trial, tl := claiming(), lifeOf(0)
			trial.Faults, trial.KillCause = nil, formula.ByLiveness
			trial.Pod.Spec.Containers[0].LivenessProbe = &corev1.Probe{PeriodSeconds: 3}
			c.pod(&trial.Pod.Spec)
			if c.lives != nil {
				tl.Containers[other] = &timeline.Container{Name: other, Lives: c.lives}
			}
			in := trial.Input(Claim{Measure: Between(SIGTERM, Gone)}, tl, delay.Record{}, newest)
			gomega.NewWithT(t).Expect(in.Kill.WholePod).To(gomega.Equal(c.want), name)
		}
	})
	t.Run("a claim of the pod is about its first container", func(t *testing.T) {
		trial := claiming()
		trial.Pod.Spec.Containers[0].LivenessProbe = &corev1.Probe{PeriodSeconds: 7}
		in := trial.Input(Claim{Measure: Between(Injected, ObjectDeleted)}, lifeOf(0), delay.Record{}, newest)
		gomega.NewWithT(t).Expect(in.Probe.PeriodSeconds).To(gomega.Equal(7))
	})
	t.Run("a probe that hangs takes its timeout", func(t *testing.T) {
		trial := claiming()
		trial.Faults, trial.KillCause = nil, formula.ByLiveness
		trial.Pod.Spec.Containers[0].LivenessProbe = &corev1.Probe{TimeoutSeconds: 2}
		in := trial.Input(failing(1), withLives(probedLife("FFH")), delay.Record{}, newest)
		gomega.NewWithT(t).Expect(in.Probe.Takes).To(gomega.Equal(2 * time.Second))
	})
	t.Run("probes of a life that was killed meanwhile", func(t *testing.T) {
		trial, life := claiming(), probedLife("SFF")
		trial.Faults, trial.KillCause = nil, formula.ByLiveness
		trial.Pod.Spec.Containers[0].LivenessProbe = &corev1.Probe{}
		lived := time.Duration(life.SIGTERM().At - life.Started.At)
		g := gomega.NewWithT(t)
		for _, watched := range []time.Duration{lived - 1, lived + time.Minute} {
			in := trial.Input(Claim{Measure: ProbesWithin("liveness", watched)}, withLives(life),
				delay.Record{}, newest)
			g.Expect(in.Watched).To(gomega.Equal(min(lived, watched)))
			in = trial.Input(Claim{Measure: EndsWithin(watched)}, withLives(life), delay.Record{}, newest)
			g.Expect(in.Watched).To(gomega.Equal(watched))
		}
	})
	t.Run("the life before", func(t *testing.T) {
		trial := claiming()
		trial.Faults, trial.KillCause = nil, formula.ByLiveness
		trial.Pod.Spec.Containers[0].LivenessProbe = &corev1.Probe{}
		killed, crashed := probedLife("SFF"), probedLife("SFF")
		crashed.SIGTERMs = nil
		second := &timeline.Life{Number: 2, Started: at(21 * time.Second)}
		g := gomega.NewWithT(t)
		in := trial.Input(failing(2), withLives(killed, second), delay.Record{}, newest)
		g.Expect(in.Restart).To(gomega.Equal(17*time.Second), "from the last probe's arrival to the new start")
		g.Expect(in.CarriedFailures).To(gomega.BeZero(), "a kill resets the count")
		in = trial.Input(failing(2), withLives(crashed, second), delay.Record{}, newest)
		g.Expect(in.CarriedFailures).To(gomega.Equal(2), "a crash does not")
		in = trial.Input(failing(1), withLives(crashed, second), delay.Record{}, newest)
		g.Expect(in.CarriedFailures).To(gomega.BeZero())
	})
}

// A hook can't begin before the delete request or the probe's failure that causes it.
func TestHookBeganAfterItsReason(t *testing.T) {
	life := probedLife("")
	life.Hooks = []timeline.Hook{{Began: *at(15 * time.Second), Ended: at(17 * time.Second)}}
	term := life.SIGTERM().At
	deleted := withLives(life)
	deleted.Faults = []timeline.Fault{{What: "delete", At: *at(14900 * time.Millisecond)}}
	c := &corev1.Container{
		Name:      Main,
		Lifecycle: &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Exec: &corev1.ExecAction{}}},
	}
	g := gomega.NewWithT(t)
	_, byDelete := hook(c, deleted, formula.ByDelete, 1, delayMeanwhile(delay.Record{}))
	g.Expect(byDelete.High).To(gomega.Equal(time.Duration(term - at(14900*time.Millisecond).At)))
	life.Probes = append(life.Probes, timeline.Probe{At: *at(14800 * time.Millisecond), For: "liveness", Answer: "F"})
	_, byProbe := hook(c, withLives(life), formula.ByLiveness, 1, delayMeanwhile(delay.Record{}))
	g.Expect(byProbe.High).To(gomega.Equal(time.Duration(term - at(14800*time.Millisecond).At)))

	// The mark of a delayed probe comes last, although an earlier mark's probe was the reason.
	const pause = 3 * time.Second
	came := at(14800 * time.Millisecond).At
	late := delay.Record{LateTicks: []delay.Span{{From: came - int64(pause), To: came}}}
	_, byOther := hook(c, withLives(life), formula.ByLiveness, 1, delayMeanwhile(late))
	g.Expect(byOther.High).To(gomega.Equal(byProbe.High + formula.ExecStart))

	// A probe that fails while the hook runs is not the reason of the kill.
	life.Probes = append(life.Probes, timeline.Probe{At: *at(16 * time.Second), For: "liveness", Answer: "F"})
	_, later := hook(c, withLives(life), formula.ByLiveness, 1, delayMeanwhile(delay.Record{}))
	g.Expect(later.Low).To(gomega.BeNumerically("<=", later.High))
	g.Expect(later.High).To(gomega.BeNumerically(">", byProbe.High))
}

// The marks bound a hook's duration from below, its earliest beginning and SIGTERM from above.
func TestHookElapsed(t *testing.T) {
	exec := corev1.LifecycleHandler{Exec: &corev1.ExecAction{}}
	http := corev1.LifecycleHandler{HTTPGet: &corev1.HTTPGetAction{}}
	sleep := corev1.LifecycleHandler{Sleep: &corev1.SleepAction{Seconds: 4}}
	completes := &timeline.Hook{Began: *at(15 * time.Second), Ended: at(17 * time.Second)}
	hangs := &timeline.Hook{Began: *at(15 * time.Second)}
	outlasts := &timeline.Hook{Began: *at(15 * time.Second), Ended: at(40 * time.Second)}
	for name, c := range map[string]struct {
		handler *corev1.LifecycleHandler
		hook    *timeline.Hook
		late    time.Duration
		kind    formula.HookKind
		want    formula.Range
	}{
		"no hook": {nil, nil, 0, formula.NoHook, formula.Range{}},
		"exec": {
			&exec, completes, 0, formula.ExecHook,
			formula.Range{Low: 2 * time.Second, High: 3*time.Second + formula.ExecStart},
		},
		"exec, delayed": {
			&exec, completes, 50 * time.Millisecond, formula.ExecHook,
			formula.Range{Low: 2 * time.Second, High: 3*time.Second + formula.ExecStart + 50*time.Millisecond},
		},
		"exec, hangs": {
			&exec, hangs, 0, formula.ExecHook,
			formula.Range{Low: 3*time.Second + formula.ExecStart, High: 3*time.Second + formula.ExecStart},
		},
		"exec, ends later": {
			&exec, outlasts, 0, formula.ExecHook,
			formula.Range{Low: 3*time.Second + formula.ExecStart, High: 3*time.Second + formula.ExecStart},
		},
		"exec, never began": {&exec, nil, 0, formula.ExecHook, formula.Range{High: formula.ExecStart}},
		"HTTP": {
			&http, completes, 0, formula.HTTPHook,
			formula.Range{Low: 2 * time.Second, High: 3*time.Second + formula.HTTPStart},
		},
		"sleep": {&sleep, nil, 0, formula.SleepHook, formula.Range{Low: 4 * time.Second, High: 4 * time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			life := probedLife("")
			life.Hooks = nil
			if c.hook != nil {
				life.Hooks = []timeline.Hook{*c.hook}
			}
			trial := claiming()
			if c.handler != nil {
				trial.Pod.Spec.Containers[0].Lifecycle = &corev1.Lifecycle{PreStop: c.handler}
			}
			n := delay.Record{
				LateTicks: []delay.Span{
					{From: zero + int64(15*time.Second-c.late), To: zero + int64(15*time.Second)},
				},
			}
			in := trial.Input(Claim{Measure: Between(SIGTERM, Gone)}, withLives(life), n, newest)
			g := gomega.NewWithT(t)
			g.Expect(in.Kill.Hook).To(gomega.Equal(c.kind))
			g.Expect(in.Kill.HookElapsed).To(gomega.Equal(c.want))
		})
	}
}
