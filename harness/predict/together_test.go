package predict

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// faults is the container's answer for a common failure of all liveness probes, or nil.
func (c Container) faults() *ProbeRestart {
	for i := range c.Answers.Restarts {
		if r := &c.Answers.Restarts[i]; r.From == FromFaults {
			return r
		}
	}
	return nil
}

// Of containers that hang together, each may be killed first, or last: after the whole kills of all others.
func TestContainersThatFailTogether(t *testing.T) {
	g := NewWithT(t)
	w := failing(10, func(s *corev1.PodSpec, c *corev1.Container) {
		s.TerminationGracePeriodSeconds = new(int64(20))
		second, third := *c.DeepCopy(), *c.DeepCopy()
		second.Name, third.Name = "second", "third"
		third.Lifecycle = &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Sleep: &corev1.SleepAction{Seconds: 5}}}
		s.Containers = append(s.Containers, second, third, corev1.Container{Name: "unprobed"})
	})
	p := Of(w, kubelet(formula.NewestKnown), Options{})
	for _, c := range p.Containers[:3] {
		alone, all := c.Answers.Restarts[0], c.faults()
		g.Expect(alone.From).To(Equal(FromFault))
		g.Expect(all.Signalled.Earliest).To(Equal(alone.Signalled.Earliest), c.Name)
		// Two grace periods. Each kill adds slack: half a second at the runtime, two for a restart, 1.3 for a relist.
		added := all.Signalled.Latest - alone.Signalled.Latest
		g.Expect(added).To(BeNumerically(">=", 40*time.Second), c.Name)
		g.Expect(added).To(BeNumerically("<=", 50*time.Second), c.Name)
		g.Expect(all.Restarted.Latest).To(BeNumerically(">=", alone.Restarted.Latest+40*time.Second), c.Name)
		last := c.timeline(g, "liveness-together/longest")
		g.Expect(last.find(lifecycle.SIGTERM).At.Earliest).
			To(BeNumerically(">", 59*time.Second), "two periods and two kills")
	}
	last := p.Containers[0].timeline(g, "liveness-together/longest")
	g.Expect(last.Variant).To(Equal("together with second, third"))
	g.Expect(last.find("sigterm-of-third").At.Earliest-last.find("turn-of-third").At.Earliest).
		To(BeNumerically("~", 5*time.Second, time.Second), "its hook is part of its turn")
	g.Expect(p.Containers[3].Answers.Restarts).To(BeEmpty())
}

// A process that exits in time shortens the turns. A container without another probed one, or one that is never
// restarted, has no such answer.
func TestWhoFailsTogether(t *testing.T) {
	two := func(s *corev1.PodSpec, c *corev1.Container) {
		second := *c.DeepCopy()
		second.Name = "second"
		s.Containers = append(s.Containers, second)
	}
	g := NewWithT(t)
	exits := 3 * time.Second
	app := of(failing(10, two), formula.NewestKnown, Options{ExitsAfter: &exits})
	added := app.faults().Signalled.Latest - app.Answers.Restarts[0].Signalled.Latest
	g.Expect(added).To(BeNumerically("~", 7*time.Second, time.Second), "three seconds and the slack of two kills")
	g.Expect(of(failing(10, unchanged), formula.NewestKnown, Options{}).faults()).To(BeNil())
	never := of(failing(10, func(s *corev1.PodSpec, c *corev1.Container) {
		two(s, c)
		s.RestartPolicy = corev1.RestartPolicyNever
	}), formula.NewestKnown, Options{})
	g.Expect(never.faults()).To(BeNil(), "one sync that finds both ends the pod, and kills both at once")
}
