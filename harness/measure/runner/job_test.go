package runner

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// jobMaker keeps the requests about Jobs.
type jobMaker struct {
	Node
	asked []Request
}

func (m *jobMaker) Do(_ context.Context, r Request) error {
	m.asked = append(m.asked, r)
	return nil
}

// A Job that did not select each pod, or that wanted another number, would create pods or delete these.
func TestAJobWantsTheTrialsPods(t *testing.T) {
	g := NewWithT(t)
	on := &jobMaker{}
	s := &ongoing{Deployment: one(), on: on}
	s.Trial.Job = &batchv1.JobSpec{PodFailurePolicy: &batchv1.PodFailurePolicy{}}
	for _, companion := range []string{"", "beside"} {
		s.pods = append(s.pods, Deployed{Pod: s.Fill(s.Trial.Pod, companion), Companion: companion})
	}
	g.Expect(s.createJob(t.Context())).To(Succeed())
	g.Expect(s.restore(t.Context())).To(Succeed())
	g.Expect(on.asked).To(HaveLen(2))
	job := on.asked[0].Body.(*batchv1.Job)
	g.Expect(job.Spec.PodFailurePolicy).NotTo(BeNil())
	g.Expect([]int32{*job.Spec.Parallelism, *job.Spec.Completions}).To(HaveEach(int32(2)))
	g.Expect(*job.Spec.ManualSelector).To(BeTrue())
	selector, err := metav1.LabelSelectorAsSelector(job.Spec.Selector)
	g.Expect(err).NotTo(HaveOccurred())
	for _, pod := range []metav1.ObjectMeta{s.pods[0].ObjectMeta, s.pods[1].ObjectMeta, job.Spec.Template.ObjectMeta} {
		g.Expect(selector.Matches(labels.Set(pod.Labels))).To(BeTrue(), pod.Name)
	}
	other := one()
	other.Attempt++
	other.Trial.Job = s.Trial.Job
	g.Expect(selector.Matches(labels.Set(other.Fill(other.Trial.Pod, "").Labels))).To(BeFalse(), "another attempt")
	g.Expect(job.Spec.Template.Spec.RestartPolicy).To(Equal(corev1.RestartPolicyNever), "a Job takes no other")
	g.Expect(on.asked[1]).To(Equal(Request{
		Method: "DELETE", Resource: "jobs", Namespace: s.Namespace, Name: job.Name,
	}))
}
