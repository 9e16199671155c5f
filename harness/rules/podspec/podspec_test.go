package podspec_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/podspec"
)

const victim, other = "victim", "other"

// pod is a pod of one container that its fields change.
func pod(change func(*corev1.PodSpec, *corev1.Container)) *corev1.Pod {
	p := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: victim}}}}
	change(&p.Spec, &p.Spec.Containers[0])
	return p
}

// asked returns what formulas know of the container.
func asked(p *corev1.Pod, cause formula.Cause) formula.Input {
	return podspec.Question{
		Pod:       p,
		Container: victim,
		Cause:     cause,
	}.Input(formula.Kubelet{Version: formula.NewestKnown})
}

// TestDefaults reads fields that the API server fills in, with and without values.
func TestDefaults(t *testing.T) {
	g := NewWithT(t)
	in := asked(
		pod(func(_ *corev1.PodSpec, c *corev1.Container) { c.LivenessProbe = &corev1.Probe{} }), formula.ByLiveness,
	)
	g.Expect(in.Kill.TerminationGracePeriodSeconds).To(Equal(int64(30)))
	g.Expect(in.Probe).
		To(Equal(formula.Probe{
			Handler: "http", PeriodSeconds: 10, TimeoutSeconds: 1, FailureThreshold: 3, SuccessThreshold: 1,
		}))
	in = asked(
		pod(func(s *corev1.PodSpec, _ *corev1.Container) { s.TerminationGracePeriodSeconds = new(int64(0)) }),
		formula.ByDelete,
	)
	g.Expect(in.Kill.TerminationGracePeriodSeconds).To(BeZero(), "none is not the same as zero")
	in = asked(
		pod(func(s *corev1.PodSpec, _ *corev1.Container) { s.TerminationGracePeriodSeconds = new(int64(-5)) }),
		formula.ByDelete,
	)
	g.Expect(in.Kill.TerminationGracePeriodSeconds).
		To(Equal(int64(1)), "the API server stores one second for a negative grace period")
}

func TestHandlers(t *testing.T) {
	for want, h := range map[string]corev1.ProbeHandler{
		"exec": {
			Exec: &corev1.ExecAction{},
		}, "http": {HTTPGet: &corev1.HTTPGetAction{}}, "tcp": {TCPSocket: &corev1.TCPSocketAction{}},
		"grpc": {GRPC: &corev1.GRPCAction{}},
	} {
		NewWithT(t).Expect(podspec.Probe(&corev1.Probe{ProbeHandler: h}).Handler).To(Equal(want))
	}
	for want, h := range map[formula.HookKind]*corev1.LifecycleHandler{
		formula.ExecHook: {
			Exec: &corev1.ExecAction{},
		}, formula.HTTPHook: {HTTPGet: &corev1.HTTPGetAction{}},
		formula.SleepHook: {Sleep: &corev1.SleepAction{Seconds: 7}},
		formula.NoHook:    {TCPSocket: &corev1.TCPSocketAction{}}, // a kubelet ignores it
	} {
		kind, told := podspec.Hook(&corev1.Container{Lifecycle: &corev1.Lifecycle{PreStop: h}})
		NewWithT(t).Expect(kind).To(Equal(want))
		slept := time.Duration(0)
		if want == formula.SleepHook {
			slept = 7 * time.Second
		}
		NewWithT(t).Expect(told).
			To(Equal(formula.Range{Low: slept, High: slept}), "only a sleep action says how long it takes")
	}
}

// The probe that kills is that of the cause, unless the question is about another one. The kill's grace period
// is always that of the killing probe.
func TestProbes(t *testing.T) {
	p := pod(func(_ *corev1.PodSpec, c *corev1.Container) {
		c.LivenessProbe = &corev1.Probe{PeriodSeconds: 3, TerminationGracePeriodSeconds: new(int64(4))}
		c.StartupProbe = &corev1.Probe{PeriodSeconds: 5, TerminationGracePeriodSeconds: new(int64(6))}
		c.ReadinessProbe = &corev1.Probe{PeriodSeconds: 7}
	})
	g := NewWithT(t)
	in := asked(p, formula.ByStartup)
	g.Expect(in.Probe.PeriodSeconds).To(Equal(5))
	g.Expect(in.Probe.Kind).To(BeEmpty())
	g.Expect(in.Kill.ProbeTerminationGracePeriodSeconds).To(HaveValue(Equal(int64(6))))
	in = podspec.Question{
		Pod:       p,
		Container: victim,
		Cause:     formula.ByLiveness,
		Probe:     "readiness",
	}.Input(formula.Kubelet{})
	g.Expect(in.Probe.PeriodSeconds).To(Equal(7))
	g.Expect(in.Probe.Kind).To(Equal("readiness"))
	g.Expect(in.Startup.PeriodSeconds).To(Equal(5))
	g.Expect(in.Kill.ProbeTerminationGracePeriodSeconds).To(HaveValue(Equal(int64(4))))
	in = podspec.Question{
		Pod:       pod(func(*corev1.PodSpec, *corev1.Container) {}),
		Container: victim,
		Probe:     "readiness",
	}.Input(formula.Kubelet{})
	g.Expect(in.Probe).To(BeZero(), "it has none")
}

// Each kind of probe leads to syncs of the pod, whatever kills the container.
func TestProbed(t *testing.T) {
	for name, change := range map[string]func(*corev1.Container){
		"":          func(*corev1.Container) {},
		"liveness":  func(c *corev1.Container) { c.LivenessProbe = &corev1.Probe{} },
		"readiness": func(c *corev1.Container) { c.ReadinessProbe = &corev1.Probe{} },
		"startup":   func(c *corev1.Container) { c.StartupProbe = &corev1.Probe{} },
	} {
		p := pod(func(_ *corev1.PodSpec, c *corev1.Container) { change(c) })
		NewWithT(t).Expect(asked(p, "").Probed).To(Equal(name != ""), name)
	}
}

// A probe's kill ends the whole pod if nothing of it may run on.
func TestWholePod(t *testing.T) {
	never, always := corev1.RestartPolicyNever, corev1.ContainerRestartPolicyAlways
	beside := func(s *corev1.PodSpec, _ *corev1.Container) {
		s.RestartPolicy, s.Containers = never, append(s.Containers, corev1.Container{Name: other})
	}
	ended := func(name string) bool { return name == other }
	for name, c := range map[string]struct {
		change func(*corev1.PodSpec, *corev1.Container)
		over   func(string) bool
		want   bool
	}{
		"restarted": {func(*corev1.PodSpec, *corev1.Container) {}, nil, false},
		"alone": {
			func(s *corev1.PodSpec, _ *corev1.Container) { s.RestartPolicy = never }, nil, true,
		},
		"alone, with a policy of its own": {
			func(s *corev1.PodSpec, c *corev1.Container) { s.RestartPolicy, c.RestartPolicy = never, &always }, nil,
			false,
		},
		"beside one that lives":     {beside, nil, false},
		"beside one that has ended": {beside, ended, true},
		"beside one that has ended and is restarted": {func(s *corev1.PodSpec, c *corev1.Container) {
			beside(s, c)
			s.Containers[1].RestartPolicy = &always
		}, ended, false},
		"a sidecar": {func(s *corev1.PodSpec, c *corev1.Container) {
			s.RestartPolicy, s.InitContainers, s.Containers = never, []corev1.Container{*c}, []corev1.Container{
				{Name: other},
			}
		}, ended, false},
	} {
		p := pod(c.change)
		for _, all := range [][]corev1.Container{p.Spec.Containers, p.Spec.InitContainers} {
			for i := range all {
				all[i].LivenessProbe = &corev1.Probe{}
			}
		}
		in := podspec.Question{
			Pod:       p,
			Container: victim,
			Cause:     formula.ByLiveness,
			Over:      c.over,
		}.Input(formula.Kubelet{})
		NewWithT(t).Expect(in.Kill.WholePod).To(Equal(c.want), name)
	}
}

// The first toleration that matches a taint counts. Those of another effect, value or key do not match.
func TestTolerating(t *testing.T) {
	long, short := int64(6), int64(2)
	exists := corev1.TolerationOpExists
	p := pod(func(s *corev1.PodSpec, _ *corev1.Container) {
		s.Tolerations = []corev1.Toleration{
			{Key: "key", Operator: exists, Effect: corev1.TaintEffectNoSchedule},
			{Key: "key", Value: "v", Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &short},
			{Key: "key", Operator: exists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &long},
			{Key: "key", Operator: exists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &short},
			{Key: "for-ever", Operator: exists},
			{Key: "for-ever", Operator: exists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &short},
		}
	})
	for name, c := range map[string]struct {
		taint     *corev1.Taint
		tolerated bool
		seconds   *int64
	}{
		"another": {&corev1.Taint{Key: "another", Effect: corev1.TaintEffectNoExecute}, false, nil},
		"by its value": {
			&corev1.Taint{Key: "key", Value: "v", Effect: corev1.TaintEffectNoExecute}, true, &short,
		},
		"by another one":     {&corev1.Taint{Key: "key", Effect: corev1.TaintEffectNoExecute}, true, &long},
		"by its effect":      {&corev1.Taint{Key: "key", Effect: corev1.TaintEffectNoSchedule}, true, nil},
		"without an end":     {&corev1.Taint{Key: "for-ever", Effect: corev1.TaintEffectNoExecute}, true, nil},
		"no taint to ask of": {nil, false, nil},
	} {
		g := NewWithT(t)
		if c.taint != nil {
			g.Expect(podspec.Tolerating(&p.Spec, c.taint) != nil).To(Equal(c.tolerated), name)
		}
		in := podspec.Question{
			Pod:       p,
			Container: victim,
			Cause:     formula.ByDelete,
			Taint:     c.taint,
		}.Input(formula.Kubelet{})
		g.Expect(in.Kill.TolerationSeconds).To(Equal(c.seconds), name)
	}
}

// A sidecar waits for all main containers, and for the sidecars after it in the spec. Other init containers
// have already ended.
func TestSidecars(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	p := pod(func(s *corev1.PodSpec, _ *corev1.Container) {
		s.Containers = append(s.Containers, corev1.Container{Name: other})
		s.InitContainers = []corev1.Container{
			{Name: "first", RestartPolicy: &always},
			{Name: "once"},
			{Name: "second", RestartPolicy: &always},
		}
	})
	g := NewWithT(t)
	g.Expect(podspec.WaitsFor(p, "first")).To(Equal([]string{victim, other, "second"}))
	g.Expect(podspec.WaitsFor(p, "second")).To(Equal([]string{victim, other}))
	for name, want := range map[string]bool{"first": true, "once": false, victim: false} {
		in := podspec.Question{Pod: p, Container: name}.Input(formula.Kubelet{})
		g.Expect(in.Sidecar).To(Equal(want), name)
		g.Expect(in.Neighbours).To(Equal(4), name)
	}
}
