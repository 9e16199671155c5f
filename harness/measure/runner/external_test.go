package runner

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/podclock/podclock/harness/measure/trial"
)

// creator keeps what an attempt creates.
type creator struct {
	Node
	created []runtime.Object
}

func (c *creator) Do(_ context.Context, r Request) error {
	c.created = append(c.created, r.Body)
	return nil
}

// On a node of others, every object of a trial ends with the recorder's Job, and podclock's label finds it.
func TestObjectsOfGuestsHaveALabelAndAnOwner(t *testing.T) {
	owner := metav1.OwnerReference{APIVersion: "batch/v1", Kind: "Job", Name: "recorder-worker", UID: "1"}
	for _, external := range []*External{nil, {Owner: owner}} {
		g := NewWithT(t)
		on := &creator{}
		s := &ongoing{Deployment: one(), on: on}
		s.External = external
		g.Expect(s.createBudget(t.Context(), 0)).To(Succeed())
		pod := s.Fill(s.Trial.Pod, "")
		s.pods = []Deployed{{Pod: pod}}
		s.Trial.Job = &batchv1.JobSpec{}
		g.Expect(s.createJob(t.Context())).To(Succeed())
		_, err := createConfigMap(t.Context(), s, trial.Fault{})
		g.Expect(err).NotTo(HaveOccurred())
		for _, o := range append(on.created, pod) {
			m, err := meta.Accessor(o)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(m.GetName()).To(Equal("area-what-v1-36-3-2"))
			g.Expect(m.GetNamespace()).To(Equal("trials"))
			if external == nil {
				g.Expect(m.GetOwnerReferences()).To(BeEmpty())
				continue
			}
			g.Expect(m.GetOwnerReferences()).To(Equal([]metav1.OwnerReference{owner}), "%T", o)
			g.Expect(m.GetLabels()).To(HaveKeyWithValue("app.kubernetes.io/part-of", "podclock"), "%T", o)
		}
	}
}
