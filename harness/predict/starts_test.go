package predict

import (
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// Probes whose timeout exceeds their period come a timeout apart while they get no answer. The delay of another probe
// counts from the container's start, also if the startup probe succeeds at once.
func TestReadyBehindAStartupProbe(t *testing.T) {
	g := NewWithT(t)
	probe := func(delay, period, timeout, failures int32) *corev1.Probe {
		return &corev1.Probe{
			ProbeHandler:        corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{}},
			InitialDelaySeconds: delay, PeriodSeconds: period, TimeoutSeconds: timeout,
			SuccessThreshold: 1, FailureThreshold: failures,
		}
	}
	c := of(pod(func(_ *corev1.PodSpec, c *corev1.Container) {
		c.StartupProbe, c.ReadinessProbe = probe(0, 1, 5, 20), probe(60, 10, 1, 3)
	}), formula.NewestKnown, Options{})
	ready := func(id string) Span { return c.timeline(g, id).find(lifecycle.Ready).At }

	early := ready("start/shortest")
	g.Expect(early.Earliest).To(BeNumerically("~", 59*time.Second, time.Second), "at most a second before the delay")
	g.Expect(early.Latest).To(BeNumerically("~", 72*time.Second, 2*time.Second), "a period after it, and the status")

	late := ready("start/longest")
	g.Expect(late.Earliest).To(BeNumerically("~", 95*time.Second, time.Second), "19 timeouts of 5 s")
	g.Expect(late.Latest).To(BeNumerically("~", 111*time.Second, 3*time.Second), "two periods later, and the status")
}

// A container that ends at once is started again when the sync is over that started it. That waits for the postStart
// hooks of the containers after it, and for its own only if the kubelet itself sleeps.
func TestStartsHeldByHooks(t *testing.T) {
	exec := &corev1.LifecycleHandler{Exec: &corev1.ExecAction{Command: []string{"sh", "-c", "sleep 30; tell"}}}
	sleep := &corev1.LifecycleHandler{Sleep: &corev1.SleepAction{Seconds: 30}}
	for name, c := range map[string]struct {
		own, next, stop  *corev1.LifecycleHandler
		ran              time.Duration
		earliest, latest time.Duration
	}{
		"no hooks":        {latest: 4 * time.Second},
		"its own command": {own: exec, latest: 4 * time.Second},
		"its own command, killed with a sleep": {own: exec, stop: sleep, earliest: 28 * time.Second,
			latest: 39 * time.Second},
		"its own sleep":            {own: sleep, earliest: 28 * time.Second, latest: 39 * time.Second},
		"that of the next one":     {next: exec, earliest: 28 * time.Second, latest: 39 * time.Second},
		"which ends during a life": {next: exec, ran: 20 * time.Second, earliest: 8 * time.Second, latest: 19 * time.Second},
		"before its end":           {next: exec, ran: time.Minute, latest: 4 * time.Second},
	} {
		g := NewWithT(t)
		w := pod(func(s *corev1.PodSpec, app *corev1.Container) {
			app.Lifecycle = &corev1.Lifecycle{PostStart: c.own, PreStop: c.stop}
			s.Containers = append(s.Containers, corev1.Container{
				Name: "next", Lifecycle: &corev1.Lifecycle{PostStart: c.next},
			})
		})
		first := of(w, formula.NewestKnown, Options{RunsFor: c.ran}).Answers.CrashLoop[0]
		g.Expect(first.Since.Earliest).To(Equal(c.earliest), name)
		g.Expect(first.Since.Latest).To(BeNumerically("<=", c.latest), name)
		g.Expect(first.Wait).To(Equal(first.Since), name)
	}
}

// A container's own restart policy decides whether it starts again. A pod whose main containers all end for good ends.
func TestEndsByContainersOwnPolicies(t *testing.T) {
	never, onFailure, always := corev1.ContainerRestartPolicyNever, corev1.ContainerRestartPolicyOnFailure,
		corev1.ContainerRestartPolicyAlways
	rules := []corev1.ContainerRestartRule{{Action: corev1.ContainerRestartRuleActionRestart}}
	for _, c := range []struct {
		pod              corev1.RestartPolicy
		one, other       *corev1.ContainerRestartPolicy
		rules            []corev1.ContainerRestartRule
		oneEnds, podEnds bool
	}{
		{corev1.RestartPolicyAlways, nil, nil, nil, false, false},
		{corev1.RestartPolicyOnFailure, nil, nil, nil, true, true},
		{corev1.RestartPolicyAlways, &never, nil, nil, true, false},
		{corev1.RestartPolicyAlways, &never, &onFailure, nil, true, true},
		{corev1.RestartPolicyNever, &always, nil, nil, false, false},
		{corev1.RestartPolicyAlways, &never, &onFailure, rules, false, true},
	} {
		g := NewWithT(t)
		w := pod(func(s *corev1.PodSpec, app *corev1.Container) {
			s.RestartPolicy, app.RestartPolicy, app.RestartPolicyRules = c.pod, c.one, c.rules
			s.Containers = append(s.Containers, corev1.Container{Name: "other", RestartPolicy: c.other})
			s.InitContainers = []corev1.Container{{Name: "sidecar", RestartPolicy: &always}}
		})
		caused := func(container int, cause formula.Cause) bool {
			all := Of(w, kubelet(formula.NewestKnown), Options{}).Containers[container].Timelines
			return slices.ContainsFunc(all, func(t Timeline) bool { return t.Cause == cause })
		}
		g.Expect(caused(0, Completing)).To(Equal(c.oneEnds), "%+v", c)
		g.Expect(caused(2, formula.ByCompletion)).To(Equal(c.podEnds), "%+v", c)
	}
}
