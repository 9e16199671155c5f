package lab

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// unprobed is a trial without a fault, which claims that no signal comes in the first seconds.
func unprobed() trial.Trial {
	tr := deletion("no-fault", 2)
	tr.Faults, tr.KillCause = nil, formula.ByLiveness
	tr.Pod.Spec.Containers[0].LivenessProbe = &corev1.Probe{PeriodSeconds: 5, FailureThreshold: 3}
	tr.Claims = []trial.Claim{{Measure: trial.EndsWithin(3 * time.Second), Formula: formula.Formula{
		Implemented: func(formula.Input) formula.Window { return formula.Window{Unit: formula.Count} },
	}}}
	return tr
}

func TestKubeletsCountersAreASecondSource(t *testing.T) {
	count := func(uid, result string) string {
		const sample = `prober_probe_total{container="victim",pod_uid=%q,probe_type="Liveness",result=%q} 3` + "\n"
		return fmt.Sprintf(sample, uid, result)
	}
	ofThePod := count("uid-1", "failed")
	for name, c := range map[string]struct {
		metrics string
		verdict trial.Verdict
		read    bool
	}{
		"a kubelet that does not answer":   {metrics: "", verdict: trial.Conforms},
		"an answer that is not understood": {metrics: "<html>", verdict: trial.Conforms},
		"another pod's failures, and successes": {
			metrics: count("else", "failed") + count("uid-1", "successful"), verdict: trial.Conforms, read: true,
		},
		"failures that the container never saw": {metrics: ofThePod, verdict: trial.Deviates, read: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				w := newWorld(t)
				w.api.metrics = c.metrics
				if c.metrics != "" && c.read {
					w.api.metrics = "# TYPE prober_probe_total counter\n" + c.metrics
				}
				l := w.open(t, func(o *Options) { o.Attempts = 1 })
				tr := unprobed()
				start(l, tr)
				o := await(t, l, tr)
				g.Expect(o.Last().Evidence.UID).To(Equal("uid-1"), "the metrics are about this pod")
				g.Expect(o.Verdict).To(Equal(c.verdict), o.Reason())
				g.Expect(o.Last().Evidence.Counters != nil).To(Equal(c.read))
			})
		})
	}
}
