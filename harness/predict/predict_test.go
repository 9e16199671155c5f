package predict

import (
	"fmt"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

func kubelet(version string) formula.Kubelet { return formula.Kubelet{Version: version} }

// pod is a pod of one container, "app", that a test changes.
func pod(change func(*corev1.PodSpec, *corev1.Container)) Workload {
	p := &corev1.Pod{
		Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyAlways, Containers: []corev1.Container{{Name: "app"}}},
	}
	change(&p.Spec, &p.Spec.Containers[0])
	return Workload{Object: manifest.Object{Document: 1, Kind: "Pod", Name: "web", Pod: p}}
}

func exec() *corev1.LifecycleHandler {
	return &corev1.LifecycleHandler{Exec: &corev1.ExecAction{Command: []string{"true"}}}
}

// of is the prediction of the pod's first container.
func of(w Workload, version string, o Options) Container {
	return Of(w, kubelet(version), o).Containers[0]
}

// timeline is a container's timeline of an ID.
func (c Container) timeline(g *WithT, id string) Timeline {
	i := slices.IndexFunc(c.Timelines, func(t Timeline) bool { return t.ID == id })
	g.Expect(i).NotTo(Equal(-1), "%s has no timeline %s", c.Name, id)
	return c.Timelines[i]
}

// A liveness probe may fail for a known time until it restarts the container.
func TestHowLongAProbeMayFail(t *testing.T) {
	g := NewWithT(t)
	w := pod(func(_ *corev1.PodSpec, c *corev1.Container) {
		c.LivenessProbe = &corev1.Probe{
			ProbeHandler:        corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{}},
			InitialDelaySeconds: 15,
			PeriodSeconds:       10,
			TimeoutSeconds:      3,
			FailureThreshold:    3,
		}
	})
	c := of(w, formula.NewestKnown, Options{})
	g.Expect(c.Answers.Restarts).To(HaveLen(2))

	fault := c.Answers.Restarts[0]
	g.Expect(fault.Probe).To(Equal("liveness"))
	g.Expect(fault.From).To(Equal(FromFault))
	// Two periods at least. At most one more before the first probe, and the third one's timeout.
	g.Expect(fault.Signalled.Earliest).To(BeNumerically("~", 20*time.Second, 300*time.Millisecond))
	g.Expect(fault.Signalled.Latest).To(And(BeNumerically(">=", 33*time.Second), BeNumerically("<", 35*time.Second)))
	// A process that ignores SIGTERM adds the grace period.
	g.Expect(fault.Restarted.Earliest).To(BeNumerically("~", 20*time.Second, 300*time.Millisecond))
	g.Expect(fault.Restarted.Latest).To(And(BeNumerically(">=", 63*time.Second), BeNumerically("<", 68*time.Second)))

	// SIGKILL comes one grace period after SIGTERM, whether the probe is answered late or never.
	killed := c.Answers.Kills[0].SIGKILL
	g.Expect(killed.Earliest).To(BeNumerically("~", 50*time.Second, 500*time.Millisecond))
	g.Expect(killed.Latest).To(And(BeNumerically(">=", 63*time.Second), BeNumerically("<", 66*time.Second)))

	start := c.Answers.Restarts[1]
	g.Expect(start.From).To(Equal(FromStart))
	g.Expect(start.Signalled.Earliest).
		To(And(BeNumerically(">=", 33*time.Second), BeNumerically("<=", 35*time.Second)),
			"the delay, less the second that the start time loses, and two periods")
	g.Expect(start.Signalled.Latest).To(And(BeNumerically(">=", 48*time.Second), BeNumerically("<", 50*time.Second)))
}

// A hook's time is part of the grace period or not, by release, and shifts SIGKILL.
func TestHooksAndGrace(t *testing.T) {
	w := pod(func(_ *corev1.PodSpec, c *corev1.Container) { c.Lifecycle = &corev1.Lifecycle{PreStop: exec()} })
	for _, c := range []struct {
		version string
		inside  bool
		hangs   float64 // when SIGKILL comes at the earliest after a hook that hangs
	}{
		{formula.NewestKnown, true, 32},
		{formula.OldestKnown, false, 60}, // kubernetes#115817: the whole grace period begins again
	} {
		t.Run(c.version, func(t *testing.T) {
			g := NewWithT(t)
			app := of(w, c.version, Options{})
			i := slices.IndexFunc(app.Answers.Kills,
				func(k Kill) bool { return k.Cause == formula.ByDelete && k.Variant == "" })
			kill := app.Answers.Kills[i]
			g.Expect(kill.Grace).To(Equal(30 * time.Second))
			g.Expect(kill.HookRuns).To(BeTrue())
			g.Expect(kill.HookInside).To(Equal(c.inside))
			g.Expect(kill.Dead.Earliest).To(BeNumerically("<", time.Second), "the hook is short, and the process obeys")
			longest := app.timeline(g, "delete/longest")
			g.Expect(longest.find(lifecycle.SIGTERM).At.Earliest).To(BeNumerically("~", 30*time.Second, time.Second))
			g.Expect(longest.find(lifecycle.Gone).At.Earliest.Seconds()).To(BeNumerically("~", c.hangs, 1))
			g.Expect(kill.SIGKILL.Latest).To(Equal(longest.find(lifecycle.Gone).At.Latest))
			g.Expect(app.timeline(g, "delete/grace-used").find(lifecycle.Gone).At.Earliest.Seconds()).
				To(BeNumerically("~", 30, 1.5))
		})
	}
}

// A hook of a given duration counts in whole seconds. One longer than the grace period is stopped.
func TestAHookOfGivenDuration(t *testing.T) {
	g := NewWithT(t)
	w := pod(func(_ *corev1.PodSpec, c *corev1.Container) { c.Lifecycle = &corev1.Lifecycle{PreStop: exec()} })
	takes, exits := 4*time.Second, 2*time.Second
	app := of(w, formula.NewestKnown, Options{HookTakes: &takes, ExitsAfter: &exits})
	told := app.timeline(g, "delete/told")
	g.Expect(told.Assumes.Description).To(Equal("the preStop hook takes 4 s; the process exits 2 s after SIGTERM"))
	g.Expect(told.find(lifecycle.HookEnded).After).To(Equal(lifecycle.HookBegan))
	g.Expect(told.find(lifecycle.Gone).At.Earliest).To(BeNumerically("~", 6*time.Second, 500*time.Millisecond))
	takes, exits = 40*time.Second, 20*time.Second
	told = of(w, formula.NewestKnown, Options{HookTakes: &takes, ExitsAfter: &exits}).timeline(g, "delete/told")
	g.Expect(told.find(lifecycle.HookEnded)).To(BeNil())
	g.Expect(told.find(lifecycle.SIGTERM).Formula).To(Equal(formula.HookBound.ID))
	g.Expect(told.find(lifecycle.Gone).What).To(HavePrefix("SIGKILL"), "two seconds are left, not twenty")
}

// The duration of a command that only sleeps is known; nothing is assumed about it.
func TestAHookThatSleeps(t *testing.T) {
	g := NewWithT(t)
	w := pod(func(_ *corev1.PodSpec, c *corev1.Container) {
		c.Lifecycle = &corev1.Lifecycle{
			PreStop: &corev1.LifecycleHandler{Exec: &corev1.ExecAction{Command: []string{"sleep", "12"}}},
		}
	})
	app := of(w, formula.NewestKnown, Options{})
	longest := app.timeline(g, "delete/longest")
	g.Expect(longest.Assumes.Description).To(Equal("the preStop hook takes 12 s; the process ignores SIGTERM"))
	g.Expect(longest.find(lifecycle.SIGTERM).At.Earliest).To(BeNumerically("~", 12*time.Second, time.Second))
	g.Expect(longest.find(lifecycle.Gone).At.Earliest).To(BeNumerically("~", 30*time.Second, 1200*time.Millisecond))
	g.Expect(app.timeline(g, "delete/shortest").find(lifecycle.Gone).At.Earliest).
		To(BeNumerically("~", 12*time.Second, time.Second))
	told := 3 * time.Second
	told3 := of(w, formula.NewestKnown, Options{HookTakes: &told}).timeline(g, "delete/longest")
	g.Expect(told3.Assumes.HookTakes).To(Equal(told), "the option overrides the command")
}

// A sleep action takes what its spec says, and is cut if the grace period is shorter.
func TestSleepActions(t *testing.T) {
	g := NewWithT(t)
	w := pod(func(s *corev1.PodSpec, c *corev1.Container) {
		s.TerminationGracePeriodSeconds = new(int64(20))
		c.Lifecycle = &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Sleep: &corev1.SleepAction{Seconds: 8}}}
	})
	p := Of(w, kubelet(formula.NewestKnown), Options{GracePeriodSeconds: []int64{5}})
	app := p.Containers[0]
	g.Expect(effective.Of(kubelet(formula.NewestKnown), w.Pod).Ignored).To(BeEmpty())
	g.Expect(app.timeline(g, "delete/longest").find(lifecycle.SIGTERM).At.Earliest).To(Equal(8 * time.Second))
	g.Expect(app.timeline(g, "delete/longest").find(lifecycle.Gone).At.Earliest).
		To(BeNumerically("~", 20*time.Second, 200*time.Millisecond))
	cut := app.timeline(g, "delete-5/longest")
	g.Expect(cut.find(lifecycle.SIGTERM).At.Earliest).To(Equal(5 * time.Second))
	g.Expect(cut.find(lifecycle.HookEnded).What).To(ContainSubstring("cut"))
	g.Expect(cut.find(lifecycle.Gone).At.Earliest).
		To(BeNumerically("~", 7*time.Second, 200*time.Millisecond), "and the minimum of two seconds")

	old := Of(w, kubelet(formula.OldestKnown), Options{})
	g.Expect(effective.Of(kubelet(formula.OldestKnown), w.Pod).Ignored).To(HaveExactElements(
		And(HaveField("Container", "app"), HaveField("Description", ContainSubstring("KEP-3960")))))
	g.Expect(old.Containers[0].Hook).To(BeEmpty())
	g.Expect(w.Pod.Spec.Containers[0].Lifecycle.PreStop).NotTo(BeNil(), "the workload's own pod is left alone")
}

// The next ten restarts of a crash loop.
func TestCrashLoop(t *testing.T) {
	waits := func(c Container) (earliest []float64) {
		for _, r := range c.Answers.CrashLoop {
			earliest = append(earliest, r.Wait.Earliest.Seconds())
		}
		return earliest
	}
	plain := pod(func(*corev1.PodSpec, *corev1.Container) {})
	g := NewWithT(t)
	loop := of(plain, formula.NewestKnown, Options{})
	g.Expect(waits(loop)).To(Equal([]float64{0, 10, 20, 40, 80, 160, 300, 300, 300, 300}))
	last := loop.Answers.CrashLoop[9]
	g.Expect(last.Number).To(Equal(10))
	g.Expect(last.Since.Earliest).To(Equal(1510 * time.Second))
	g.Expect(last.Promised.Earliest).To(Equal(300 * time.Second))

	node := kubelet(formula.NewestKnown)
	node.MaxContainerRestartPeriod = 25 * time.Second
	g.Expect(waits(Of(plain, node, Options{}).Containers[0])[:5]).To(Equal([]float64{0, 10, 20, 25, 25}))

	slow := of(plain, formula.NewestKnown, Options{RunsFor: 11 * time.Minute})
	g.Expect(waits(slow)).To(HaveEach(0.0), "forgotten while it runs")
	g.Expect(slow.timeline(g, "crash").find(lifecycle.CrashLooping)).To(BeNil(), "it is started again at once")
	g.Expect(loop.timeline(g, "crash").find(lifecycle.CrashLooping)).NotTo(BeNil())

	never := of(pod(func(s *corev1.PodSpec, _ *corev1.Container) { s.RestartPolicy = corev1.RestartPolicyNever }),
		formula.NewestKnown, Options{})
	g.Expect(never.Answers.CrashLoop).To(BeEmpty())
	g.Expect(never.timeline(g, "crash").find(lifecycle.Failed)).NotTo(BeNil())
}

// Which grace period an eviction leaves, by release.
func TestEvictions(t *testing.T) {
	w := pod(func(s *corev1.PodSpec, _ *corev1.Container) { s.TerminationGracePeriodSeconds = new(int64(50)) })
	for version, lives := range map[string]time.Duration{formula.NewestKnown: 2 * time.Second,
		formula.OldestKnown: 50 * time.Second} {
		g := NewWithT(t)
		t := of(w, version, Options{}).timeline(g, "hard-eviction/longest")
		left := t.find(lifecycle.Gone).Implemented
		g.Expect(time.Duration(left.Latest)).To(BeNumerically("~", lives, 300*time.Millisecond), version)
	}
	g := NewWithT(t)
	k := kubelet(formula.NewestKnown)
	k.EvictionMaxPodGracePeriod, k.EvictionSoftGracePeriod = 20, 90*time.Second
	soft := Of(w, k, Options{}).Containers[0].timeline(g, "soft-eviction/longest")
	g.Expect(soft.Grace).To(Equal(20 * time.Second))
	g.Expect(soft.find(lifecycle.SIGTERM).At.Earliest).To(BeNumerically(">=", 90*time.Second))
}

// A sidecar waits for the main container, and shares its grace period.
func TestSidecars(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	w := pod(func(s *corev1.PodSpec, _ *corev1.Container) {
		s.InitContainers = []corev1.Container{
			{Name: "first", RestartPolicy: &always},
			{Name: "setup"},
			{Name: "second", RestartPolicy: &always},
		}
	})
	g := NewWithT(t)
	p := Of(w, kubelet(formula.NewestKnown), Options{})
	var names []string
	for _, c := range p.Containers {
		names = append(names, fmt.Sprint(c.Role, " ", c.Name))
	}
	g.Expect(names).To(Equal([]string{"main app", "sidecar first", "sidecar second", "init setup"}))
	longest := p.Containers[1].timeline(g, "delete/longest")
	g.Expect(longest.find(lifecycle.SIGTERM).At.Earliest).
		To(BeNumerically("~", 30*time.Second, time.Second), "the main container takes all of it")
	g.Expect(longest.find(lifecycle.Gone).At.Earliest).
		To(BeNumerically("~", 32*time.Second, time.Second), "and two seconds are left")
	shortest := p.Containers[1].timeline(g, "delete/shortest")
	g.Expect(shortest.find(lifecycle.SIGTERM).At.Latest).To(BeNumerically("<", 6*time.Second))
	alone := p.Containers[2].timeline(g, "delete/others-obey")
	g.Expect(alone.find(lifecycle.SIGTERM).At.Latest).To(BeNumerically("<", 6*time.Second))
	g.Expect(alone.find(lifecycle.Gone).At.Earliest).
		To(BeNumerically("~", 30*time.Second, 2*time.Second), "it has what the main container left")
	g.Expect(alone.Assumes.Description).
		To(Equal("the process ignores SIGTERM; the containers that it waits for exit on SIGTERM at once"))

	old := Of(w, kubelet(formula.OldestKnown), Options{})
	g.Expect(old.Containers[1].Role).To(Equal(effective.Init))
	g.Expect(effective.Of(kubelet(formula.OldestKnown), w.Pod).Ignored).To(HaveLen(2))
}
