package predict

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/rules/formula"
)

// All predicts each workload as Of does, in their order, and equal pods once.
func TestAll(t *testing.T) {
	g := NewWithT(t)
	var workloads []Workload
	for i := range 50 {
		w := pod(func(s *corev1.PodSpec, c *corev1.Container) {
			s.TerminationGracePeriodSeconds = new(int64(i % 5))
			c.Image = fmt.Sprint("app:", i) // predictions do not depend on it
		})
		w.Document, w.Name = i+1, fmt.Sprint("web-", i)
		if i%2 == 0 {
			w.Kind = "Deployment" // the images of its pods are not changed
		}
		workloads = append(workloads, w)
	}
	all := All(workloads, kubelet(formula.NewestKnown), Options{})
	for i, p := range all {
		g.Expect(p.Name).To(Equal(workloads[i].Name))
		alone := Of(workloads[i], kubelet(formula.NewestKnown), Options{})
		g.Expect(p.Containers[0].Answers).To(Equal(alone.Containers[0].Answers))
		g.Expect(p.Containers[0].Timelines).To(HaveLen(len(alone.Containers[0].Timelines)))
	}
	g.Expect(&all[0].Containers[0]).To(BeIdenticalTo(&all[10].Containers[0]), "pods that are alike are predicted once")
	g.Expect(&all[0].Containers[0]).NotTo(BeIdenticalTo(&all[5].Containers[0]), "an object of another kind makes it")
	g.Expect(&all[0].Containers[0]).NotTo(BeIdenticalTo(&all[2].Containers[0]), "another grace period")
}

// Formulas describes each formula once for all predictions that use it.
func TestFormulas(t *testing.T) {
	g := NewWithT(t)
	w := pod(func(*corev1.PodSpec, *corev1.Container) {})
	all := All([]Workload{w, w}, kubelet(formula.NewestKnown), Options{})
	formulas := Formulas(all)
	g.Expect(formulas).To(HaveKeyWithValue(formula.Remainder.ID, &formula.Remainder))
	asked := map[string]bool{}
	for _, c := range all[0].Containers {
		for p := range c.Predicted {
			if p.Rule() == nil {
				g.Expect(p.Formula).To(BeEmpty(), "it is assumed")
				continue
			}
			g.Expect(p.Rule().ID).To(Equal(p.Formula))
			asked[p.Formula] = true
		}
	}
	g.Expect(formulas).To(HaveLen(len(asked)))
	g.Expect(asked).NotTo(BeEmpty())
}

func BenchmarkOf(b *testing.B) {
	w := pod(func(_ *corev1.PodSpec, c *corev1.Container) {
		c.LivenessProbe, c.StartupProbe, c.ReadinessProbe = &corev1.Probe{}, &corev1.Probe{
			FailureThreshold: 30,
		}, &corev1.Probe{}
		c.Lifecycle = &corev1.Lifecycle{PreStop: exec()}
	})
	b.ReportAllocs()
	for b.Loop() {
		Of(w, kubelet(formula.NewestKnown), Options{})
	}
}

// Of predicts one workload.
func Of(w Workload, k formula.Kubelet, o Options) Prediction {
	p, pod := begin(w, k, o)
	p.complete(pod.predict(), pod.pod)
	return p
}
