package predict

import (
	"math"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/rules/formula"
)

// A kill of the pod lasts from the first container's signal to the last one's death. Init containers do not count.
func TestKillsOfThePod(t *testing.T) {
	g, always := NewWithT(t), corev1.ContainerRestartPolicyAlways
	p := Of(pod(func(s *corev1.PodSpec, _ *corev1.Container) {
		second := corev1.Container{Name: "second", Lifecycle: &corev1.Lifecycle{PreStop: exec()}}
		s.Containers = append(s.Containers, second)
		s.InitContainers = []corev1.Container{{Name: "init"}, {Name: "sidecar", RestartPolicy: &always}}
	}), kubelet(formula.NewestKnown), Options{})
	own := func(i int) *Kill { return p.Containers[i].Answers.Kills.Of(formula.ByDelete, "") }
	mains, all := p.MainKills.Of(formula.ByDelete, ""), p.Kills.Of(formula.ByDelete, "")
	g.Expect(mains.SIGTERM).To(Equal(own(0).SIGTERM.or(own(1).SIGTERM)))
	g.Expect(mains.Dead).To(Equal(own(0).Dead.or(own(1).Dead)))
	g.Expect(mains.HookRuns).To(BeTrue())
	g.Expect(p.Containers[2].Name).To(Equal("sidecar"))
	g.Expect(all.Dead).To(Equal(mains.Dead.or(own(2).Dead)))
	g.Expect(all.Dead.Latest).To(BeNumerically(">", mains.Dead.Latest))
	g.Expect(p.Kills.Of(formula.ByDeadline, "")).To(BeNil())
	g.Expect(own(0).HookRuns).To(BeFalse(), "the containers keep their own kills")
}

// Each row is the limits of a Job, and how often and after which waits it replaces failed pods.
func TestRetries(t *testing.T) {
	const second = time.Second
	waits := []time.Duration{10 * second, 20 * second, 40 * second, 80 * second, 160 * second, 320 * second}
	for name, c := range map[string]struct {
		backoff  int32
		perIndex *int32
		waits    int
		limit    *int32
	}{
		"none":       {0, nil, 0, new(int32(0))},
		"few":        {2, nil, 2, new(int32(2))},
		"many":       {100, nil, 6, new(int32(100))},
		"by index":   {math.MaxInt32, new(int32(1)), 6, nil},
		"by index 2": {3, new(int32(1)), 6, new(int32(3))},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := pod(func(s *corev1.PodSpec, _ *corev1.Container) { s.RestartPolicy = corev1.RestartPolicyNever })
			w.Kind, w.Job = "Job", failsAt(c.backoff, nil)
			w.Job.BackoffLimitPerIndex = c.perIndex
			r := Of(w, kubelet(formula.NewestKnown), Options{}).Retries
			g.Expect(r.Waits).To(HaveExactElements(waits[:c.waits]))
			g.Expect(r.Longest).To(Equal(10 * time.Minute))
			g.Expect(r.Limit).To(Equal(c.limit))
			g.Expect(r.PerIndex).To(Equal(c.perIndex))
			w.Pod.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
			g.Expect(Of(w, kubelet(formula.NewestKnown), Options{}).Retries).To(BeNil(), "its containers are restarted")
		})
	}
}
