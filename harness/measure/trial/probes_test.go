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

func probesAt(kind, answers string) []timeline.Probe {
	var all []timeline.Probe
	for i, a := range answers {
		seen := timeline.Instant{At: int64(i+1) * int64(time.Second)}
		all = append(all, timeline.Probe{At: seen, For: kind, Answer: string(a)})
	}
	return all
}

func secondAt(s int64) *timeline.Instant { return &timeline.Instant{At: s * int64(time.Second)} }

// probed returns a victim whose life saw one readiness probe a second, and became ready, unready and ready again.
func probed(answers string) *timeline.Timeline {
	status := func(s int64, conditions ...string) timeline.Change {
		return timeline.Change{At: *secondAt(s), Conditions: conditions}
	}
	return &timeline.Timeline{
		Known: 60 * int64(time.Second),
		Containers: map[string]*timeline.Container{Main: {Name: Main, Lives: []*timeline.Life{
			{Number: 1, Started: secondAt(0), Gone: secondAt(30), Probes: probesAt("readiness", answers)},
		}}},
		API: []timeline.Change{status(0), status(4, "Ready"), status(8), status(11, "Ready")},
	}
}

func TestProbesInARow(t *testing.T) {
	for name, c := range map[string]struct {
		until Point
		want  int64
	}{
		"successes until it is ready": {Condition("Ready"), 3},
		"failures until it is not":    {NoCondition("Ready"), 2},
		"successes until ready again": {Condition("Ready").Number(2), 2},
	} {
		t.Run(name, func(t *testing.T) {
			m, missing := ProbesInARowUntil("readiness", 1, c.until).Read(probed("SSSSSFFFSSSS"))
			g := gomega.NewWithT(t)
			g.Expect(missing).To(gomega.BeEmpty())
			g.Expect(m.Value).To(gomega.Equal(c.want))
		})
	}
	_, missing := ProbesInARowUntil("readiness", 1, Condition("Ready").Number(3)).Read(probed("S"))
	gomega.NewWithT(t).Expect(missing).To(gomega.Equal("condition-ready-no3"))
}

// The watch may show the result of a probe before the probe's mark comes. The probe counts.
func TestAProbeWhoseMarkComesLate(t *testing.T) {
	g := gomega.NewWithT(t)
	tl := probed("SSSSSFFFSSSS")
	until := Condition("Ready").In(tl).At
	probes := tl.Life(Main, 1).Probes
	before, _ := ProbesInARowUntil("readiness", 1, Condition("Ready")).Read(tl)
	next := &probes[before.Value].At
	next.Early = next.At - until + int64(10*time.Millisecond)
	next.At = until + int64(4*time.Millisecond)
	m, _ := ProbesInARowUntil("readiness", 1, Condition("Ready")).Read(tl)
	g.Expect(m.Value).To(gomega.Equal(before.Value + 1))
}

func TestProbesSince(t *testing.T) {
	g := gomega.NewWithT(t)
	tl := probed("SSSSSS")
	_, missing := ProbesSince("readiness", SIGTERM).Read(tl)
	g.Expect(missing).To(gomega.Equal("sigterm"))
	tl.Life(Main, 1).SIGTERMs = []timeline.Instant{*secondAt(4)}
	m, _ := ProbesSince("readiness", SIGTERM).Read(tl)
	g.Expect(m.Value).To(gomega.Equal(int64(2)), "those of seconds 5 and 6")
	g.Expect(ProbesSince("readiness", SIGTERM).Of("side").String()).
		To(gomega.Equal("side-readiness-probes-since-sigterm"))
}

func TestLosses(t *testing.T) {
	g := gomega.NewWithT(t)
	tl := probed("S")
	m, _ := Losses("Ready", Started, 20*time.Second).Read(tl)
	g.Expect(m.Value).To(gomega.Equal(int64(1)))
	m, _ = Losses("Ready", Started, 5*time.Second).Read(tl)
	g.Expect(m.Value).To(gomega.BeZero(), "it is lost later")

	running := timeline.ContainerStatus{Name: Main, State: "running"}
	ended := timeline.ContainerStatus{Name: Main, State: "terminated"}
	done := timeline.ContainerStatus{Name: "init", State: "terminated"}
	for _, c := range []struct {
		after timeline.ContainerStatus
		lost  int64
	}{{running, 1}, {ended, 0}} {
		tl.API = []timeline.Change{
			{At: *secondAt(1), Conditions: []string{"Ready"}, Containers: []timeline.ContainerStatus{done, running}},
			{At: *secondAt(2), Containers: []timeline.ContainerStatus{done, c.after}},
		}
		m, _ = Losses("Ready", Started, 5*time.Second).Read(tl)
		g.Expect(m.Value).To(gomega.Equal(c.lost), "its container is %s", c.after.State)
	}
}

func TestProbeAfterRestart(t *testing.T) {
	g := gomega.NewWithT(t)
	tl := probed("SSSSSS")
	g.Expect(ProbeAfterRestart("readiness").In(tl)).To(gomega.BeNil(), "no restart")
	tl.Faults = []timeline.Fault{
		{What: string(DeletePod), At: *secondAt(1)},
		{What: string(RestartKubelet), At: *secondAt(3)},
	}
	g.Expect(ProbeAfterRestart("readiness").In(tl).At).To(gomega.Equal(4 * int64(time.Second)))
	g.Expect(ProbeAfterRestart("readiness").Number(2).In(tl).At).To(gomega.Equal(5 * int64(time.Second)))
	g.Expect(ProbeAfterRestart("liveness").In(tl)).To(gomega.BeNil())
}

// A formula's input has the probe that the measure is about, and what the lives before left.
func TestProbesOf(t *testing.T) {
	g := gomega.NewWithT(t)
	tr := claiming()
	c := &tr.Pod.Spec.Containers[0]
	c.ReadinessProbe, c.LivenessProbe = &corev1.Probe{
		PeriodSeconds:    5,
		SuccessThreshold: 4,
	}, &corev1.Probe{PeriodSeconds: 3}
	c.StartupProbe = &corev1.Probe{PeriodSeconds: 7}
	tl := probed("SFSS")
	first := tl.Life(Main, 1)
	first.Probes = append(first.Probes, timeline.Probe{At: *secondAt(20), For: "startup", Answer: "S"})
	second := &timeline.Life{Number: 2, Started: secondAt(32), Probes: []timeline.Probe{
		{At: *secondAt(34), For: "startup", Answer: "F"}, {At: *secondAt(39), For: "startup", Answer: "S"},
	}}
	tl.Containers[Main].Lives = append(tl.Containers[Main].Lives, second)
	in := tr.Input(Claim{Measure: ProbesInARowUntil("readiness", 2, Condition("Ready"))}, tl, delay.Record{}, newest)
	g.Expect(in.Probe.Kind).To(gomega.Equal("readiness"))
	g.Expect(in.Probe.SuccessThreshold).To(gomega.Equal(4))
	g.Expect(in.CarriedSuccesses).To(gomega.Equal(2))
	g.Expect(in.Startup.PeriodSeconds).To(gomega.Equal(7))
	g.Expect(in.StartedUp).To(gomega.Equal(7 * time.Second))
	g.Expect(in.SinceStartup).To(gomega.Equal(12 * time.Second))
	for _, m := range []Measure{
		Between(Answered("readiness", letter('F')), NoCondition("Ready")),
		Between(Started, Condition("Ready")), ProbesSince("readiness", SIGTERM),
	} {
		g.Expect(m.probeKind()).To(gomega.Equal("readiness"), m.String())
	}
	g.Expect(Between(SIGTERM, Gone).probeKind()).To(gomega.BeEmpty())
}

type letter rune

func (l letter) String() string { return string(l) }

// A sidecar's input has the time since its pod's kill began, its turn, and its hook's longest duration.
func TestSidecarInput(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	tr := claiming()
	tr.Pod.Spec.InitContainers = []corev1.Container{
		{
			Name:          "first",
			RestartPolicy: &always,
			Lifecycle:     &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{HTTPGet: &corev1.HTTPGetAction{}}},
		},
		{Name: "prepare"},
		{Name: "second", RestartPolicy: &always},
	}
	life := func(l timeline.Life) *timeline.Container {
		l.Number, l.Started = 1, secondAt(0)
		return &timeline.Container{Lives: []*timeline.Life{&l}}
	}
	tl := &timeline.Timeline{Known: 60 * int64(time.Second), Containers: map[string]*timeline.Container{
		Main:     life(timeline.Life{SIGTERMs: []timeline.Instant{*secondAt(10)}, Gone: secondAt(12)}),
		"second": life(timeline.Life{SIGTERMs: []timeline.Instant{*secondAt(12)}, Gone: secondAt(15)}),
		"first": life(timeline.Life{
			Hooks:    []timeline.Hook{{Began: *secondAt(10), Ended: secondAt(11)}},
			SIGTERMs: []timeline.Instant{*secondAt(15)},
			Gone:     secondAt(19),
		}),
	}}
	claim := Claim{Measure: Between(SIGTERM, Gone).Of("first")}
	in := tr.Input(claim, tl, delay.Record{}, newest)
	g := gomega.NewWithT(t)
	g.Expect(in.Sidecar).To(gomega.BeTrue())
	g.Expect([]time.Duration{in.SinceKill, in.Turn, in.MainsTurn, in.Survived}).To(
		gomega.Equal([]time.Duration{5 * time.Second, 5 * time.Second, 2 * time.Second, 9 * time.Second}))
	g.Expect(in.Kill.HookElapsed).
		To(gomega.Equal(formula.Range{Low: time.Second, High: time.Second + formula.HTTPStart + formula.HookReturn}))
	tl.Life("second", 1).Gone = nil
	g.Expect(tr.Input(claim, tl, delay.Record{}, newest).Turn).
		To(gomega.BeNumerically("<", 0), "the container that it waits for lives on")
	g.Expect(tr.Input(Claim{Measure: Between(SIGTERM, Gone)}, tl, delay.Record{}, newest).Sidecar).To(gomega.BeFalse())
}
