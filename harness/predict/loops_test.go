package predict

import (
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/rules/formula"
)

// failing returns a pod whose liveness probe fails three times, a period apart.
func failing(periodSeconds int32, change func(*corev1.PodSpec, *corev1.Container)) Workload {
	return pod(func(s *corev1.PodSpec, c *corev1.Container) {
		c.LivenessProbe = &corev1.Probe{PeriodSeconds: periodSeconds, TimeoutSeconds: 1, FailureThreshold: 3}
		c.LivenessProbe.HTTPGet = &corev1.HTTPGetAction{}
		change(s, c)
	})
}

func unchanged(*corev1.PodSpec, *corev1.Container) {}

// The waits in seconds after each kill, computed by hand from the rule of doBackOff for lives of one length. There is
// no wait if no instance ended before or the one before ended longer ago than the back-off, which doubles in any case.
func TestProbeLoops(t *testing.T) {
	zero := time.Duration(0)
	for name, c := range map[string]struct {
		period int32
		exits  *time.Duration
		waits  []float64
	}{
		"lives of 3 s":                   {1, &zero, []float64{0, 0, 10, 20, 40, 80, 160, 300, 0, 300}},
		"lives of 14 s":                  {5, &zero, []float64{0, 0, 0, 20, 40, 80, 160, 300, 0, 300}},
		"lives of 29 s":                  {10, &zero, []float64{0, 0, 0, 0, 40, 80, 160, 300, 0, 300}},
		"lives of 29 s, and a delay":     {10, nil, []float64{0, 0, 0, 0, 40, 80, 160, 300, 0, 300}},
		"lives of 59 s, with SIGKILL":    {10, nil, []float64{0, 0, 0, 0, 0, 80, 160, 300, 0, 300}},
		"some end on SIGTERM, some not":  {10, nil, []float64{0, 0, 0, 0, 40, 0, 160, 300, 0, 300}},
		"each longer than every backoff": {150, &zero, []float64{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, version := range releases {
				g := NewWithT(t)
				loops := of(failing(c.period, unchanged), version, Options{ExitsAfter: c.exits}).Answers.ProbeLoops
				g.Expect(loops).To(HaveLen(1))
				g.Expect(loops[0].Probe).To(Equal("liveness"))
				g.Expect(loops[0].Restarts).To(HaveLen(RestartsShown))
				for i, r := range loops[0].Restarts {
					wait := c.waits[i]
					g.Expect(r.Wait.Earliest.Seconds()).To(BeNumerically("<=", wait), "%s, restart %d", version, i+1)
					g.Expect(r.Wait.Latest.Seconds()).To(BeNumerically(">=", wait), "%s, restart %d", version, i+1)
				}
			}
		})
	}
}

// What is sure in every loop: two free restarts, and once the back-off has its maximum, every second one is free.
func TestProbeLoopsAreNarrow(t *testing.T) {
	g := NewWithT(t)
	loop := of(failing(1, unchanged), formula.NewestKnown, Options{}).Answers.ProbeLoops[0].Restarts
	for _, n := range []int{1, 2, 9} {
		g.Expect(loop[n-1].Wait).To(Equal(Span{Latest: 2250 * time.Millisecond}), "restart %d", n)
	}
	for _, n := range []int{8, 10} {
		longest := Span{Earliest: 300 * time.Second, Latest: 333 * time.Second}
		g.Expect(loop[n-1].Wait).To(Equal(longest), "restart %d", n)
	}
	g.Expect(loop[3].Promised.Earliest).To(Equal(40*time.Second), "documented are 0, 10, 20 and 40 s")
	g.Expect(loop[0].Since.Earliest).To(Equal(2*time.Second), "the third failing probe at the earliest")
}

// A node's longest back-off bounds a probe's loop, too: once lives are longer, all restarts are free.
func TestProbeLoopOfAShortBackOff(t *testing.T) {
	g := NewWithT(t)
	k := kubelet(formula.NewestKnown)
	k.MaxContainerRestartPeriod = 5 * time.Second
	for _, r := range Of(failing(5, unchanged), k, Options{}).Containers[0].Answers.ProbeLoops[0].Restarts {
		g.Expect(r.Wait.Latest).To(Equal(2250*time.Millisecond), "restart %d", r.Number)
	}
}

// A probe's loop needs a restart. It ends with the pod: at its deadline, or at its Job's limit.
func TestProbeLoopsEnd(t *testing.T) {
	g := NewWithT(t)
	restarts := func(w Workload) (n int, ends string) {
		c := of(w, formula.NewestKnown, Options{})
		for _, t := range c.Timelines {
			if t.Cause == Looping {
				return len(c.Answers.ProbeLoops[0].Restarts), t.Ends
			}
		}
		return 0, ""
	}
	never := failing(5, func(s *corev1.PodSpec, _ *corev1.Container) { s.RestartPolicy = corev1.RestartPolicyNever })
	n, _ := restarts(never)
	g.Expect(n).To(BeZero())

	n, ends := restarts(failing(5, func(s *corev1.PodSpec, _ *corev1.Container) {
		s.ActiveDeadlineSeconds = new(int64(45))
	}))
	g.Expect(n).To(Equal(4), "every life lasts nine seconds at least")
	g.Expect(ends).To(Equal("after 45 s, the pod's deadline has ended the pod"))
	n, _ = restarts(failing(5, func(s *corev1.PodSpec, _ *corev1.Container) {
		s.ActiveDeadlineSeconds = new(int64(5))
	}))
	g.Expect(n).To(BeZero(), "the deadline comes before the first kill")

	job := failing(5, func(s *corev1.PodSpec, _ *corev1.Container) { s.RestartPolicy = corev1.RestartPolicyOnFailure })
	job.Job = failsAt(3, nil)
	n, ends = restarts(job)
	g.Expect(n).To(Equal(3))
	g.Expect(ends).To(ContainSubstring("backoffLimit of 3"))
}

// A startup probe has a loop of its own, and hides that of a liveness probe.
func TestProbeLoopOfAStartupProbe(t *testing.T) {
	g := NewWithT(t)
	w := failing(5, func(_ *corev1.PodSpec, c *corev1.Container) { c.StartupProbe = c.LivenessProbe.DeepCopy() })
	loops := of(w, formula.NewestKnown, Options{}).Answers.ProbeLoops
	g.Expect(loops).To(HaveLen(1))
	g.Expect(loops[0].Probe).To(Equal("startup"))
}

// A restart that waits depends on the exit code if the policy is OnFailure; one in the sync that kills does not.
func TestALoopAssumesFailureIfThePolicyAsksForIt(t *testing.T) {
	for policy, assumed := range map[corev1.RestartPolicy]bool{
		corev1.RestartPolicyAlways: false, corev1.RestartPolicyOnFailure: true,
	} {
		g := NewWithT(t)
		c := of(failing(10, func(s *corev1.PodSpec, _ *corev1.Container) { s.RestartPolicy = policy }),
			formula.NewestKnown, Options{})
		says := c.timeline(g, "liveness-loop").Assumes.Description
		g.Expect(strings.Contains(says, "no process exits with 0")).To(Equal(assumed), says)
	}
}
