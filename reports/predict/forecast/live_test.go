package forecast

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/predict/next"
	"github.com/podclock/podclock/reports/apis/predictions/v1alpha1"
)

// A program gets the times that a person reads, and each workload's own kubelet.
func TestDocumentOfACluster(t *testing.T) {
	g := NewWithT(t)
	now := time.Date(2026, 11, 24, 15, 0, 0, 0, time.UTC)
	p := forecast(t, "pod.yaml").Predictions[0]
	f := OfCluster(next.Cluster{Name: "shop", Now: now, Unread: []string{"Not read: the nodes."}}, []next.Group{{
		Prediction: p, Nodes: []string{"node-a"}, Pods: []next.Pod{{
			Name: "web", Node: "node-a", State: "is in CrashLoopBackOff", Since: now.Add(-time.Minute),
			Events: []next.Event{{What: "container app is " +
				"restarted", Earliest: now, Latest: now.Add(61500 * time.Millisecond)}},
		}},
	}})
	d := Document(f, false)
	fit(t, v1alpha1.Schema, d)
	g.Expect(d).To(And(HaveField("At", "2026-11-24T15:00:00Z"), HaveField("Unread", f.Unread)))
	w := d.Workloads[0]
	g.Expect(w.Kubelet.Version).To(Equal(p.Kubelet.Version))
	g.Expect(w.Nodes).To(Equal([]string{"node-a"}))
	g.Expect(w.Pods).To(Equal([]v1alpha1.LivePod{{
		Name: "web", Node: "node-a", State: "is in CrashLoopBackOff", Since: "2026-11-24T14:59:00Z",
		Events: []v1alpha1.LiveEvent{{What: "container app is restarted", Earliest: "2026-11-24T15:00:00Z",
			Latest: "2026-11-24T15:01:01.5Z"}},
	}}))
}
