package runner

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
)

// one is an attempt of a trial with these companions.
func one(companions ...*corev1.Pod) Deployment {
	return Deployment{
		Trial: trial.Trial{
			ID:         "area/what",
			About:      "It is done.",
			Pod:        fixtures.Pod(5, fixtures.Victim(victim.Run{})),
			Companions: companions,
		},
		Slug:      "v1-36-3",
		Attempt:   2,
		Namespace: "trials",
		Node:      "worker",
		Images:    Images{Fault: "fault:1", FaultOther: "fault-other:1", FaultStopSignal: "fault-stop:1"},
	}
}

func TestPodIsFilledIn(t *testing.T) {
	g := NewWithT(t)
	d := one()
	pod := d.Fill(d.Trial.Pod, "")
	g.Expect(pod.Name).To(Equal("area-what-v1-36-3-2"))
	g.Expect(d.Fill(d.Trial.Pod, "second").Name).To(Equal("area-what-v1-36-3-2-second"))
	g.Expect(pod.Namespace).To(Equal("trials"))
	g.Expect(pod.Spec.NodeName).To(Equal("worker"))
	g.Expect(pod.Annotations).
		To(Equal(map[string]string{"podclock.dev/trial": "area/what", "podclock.dev/about": "It is done."}))
	g.Expect(pod.Spec.Tolerations).To(Equal([]corev1.Toleration{{Operator: corev1.TolerationOpExists}}))
	g.Expect(pod.Spec.Containers[0].Image).To(Equal("fault:1"))
	g.Expect(d.Trial.Pod.Name).To(BeEmpty(), "the trial's pod is a template")

	d.Trial.Unscheduled = true
	g.Expect(d.Fill(d.Trial.Pod, "").Spec.NodeName).To(BeEmpty())
}

func TestImagesOfContainers(t *testing.T) {
	d := one()
	for name, want := range map[string]string{
		"": "fault:1", victim.OtherImage: "fault-other:1", victim.StopSignalImage: "fault-stop:1",
		"registry/own:2":       "registry/own:2",
		victim.UnpullableImage: "127.0.0.1:7412/trials/area-what-v1-36-3-2/victim",
	} {
		template := d.Trial.Pod.DeepCopy()
		template.Spec.InitContainers = []corev1.Container{{Name: "victim", Image: name}}
		template.Spec.Containers[0].Image = name
		pod := d.Fill(template, "")
		NewWithT(t).Expect([]string{pod.Spec.InitContainers[0].Image, pod.Spec.Containers[0].Image}).
			To(Equal([]string{want, want}))
	}
}

func TestOwnTolerationsStay(t *testing.T) {
	d := one()
	d.Trial.Pod.Spec.Tolerations = []corev1.Toleration{{Key: "own"}}
	NewWithT(t).Expect(d.Fill(d.Trial.Pod, "").Spec.Tolerations).To(Equal([]corev1.Toleration{{Key: "own"}}))
}

func TestBudgetSelectsThePod(t *testing.T) {
	g := NewWithT(t)
	d := one()
	for key := range d.budgetLabels() {
		g.Expect(d.Fill(d.Trial.Pod, "").Labels).NotTo(HaveKey(key))
	}
	d.Trial.Budgets = 1
	for key, value := range d.budgetLabels() {
		g.Expect(d.Fill(d.Trial.Pod, "").Labels).To(HaveKeyWithValue(key, value))
	}
	another := d
	another.Attempt = 3
	g.Expect(another.budgetLabels()).NotTo(Equal(d.budgetLabels()))
}

func TestServiceSelectsAllButItsClients(t *testing.T) {
	g := NewWithT(t)
	client := fixtures.Pod(1, fixtures.Named("client", victim.Run{}, fixtures.Calling))
	d := one(client)
	g.Expect(d.Fill(d.Trial.Pod, "").Labels).NotTo(HaveKey(serviceLabel))
	d.Trial.Service, d.Service = &corev1.ServiceSpec{}, "10.96.0.7:80"
	g.Expect(d.Fill(d.Trial.Pod, "").Labels).To(HaveKeyWithValue(serviceLabel, d.labelled()))
	filled := d.Fill(client, "client")
	g.Expect(filled.Labels).NotTo(HaveKey(serviceLabel))
	g.Expect(filled.Spec.Containers[0].Env).
		To(ContainElement(corev1.EnvVar{Name: victim.EnvService, Value: "10.96.0.7:80"}))
	g.Expect(validation.IsDNS1035Label(d.serviceName())).To(BeEmpty())
}

func TestFirstAreThePodsThatNoFaultCreates(t *testing.T) {
	g := NewWithT(t)
	named := func(name string) *corev1.Pod { return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}} }
	d := one(named("now"), named("later"))
	d.Trial.Faults = []trial.Fault{{Action: trial.CreatePod, Pod: "later"}}
	first := First(d.Trial)
	g.Expect(first).To(HaveLen(2))
	g.Expect(first[0]).To(Equal(Deployed{Pod: d.Trial.Pod}))
	g.Expect(first[1].Companion).To(Equal("now"))

	again := &corev1.Pod{}
	g.Expect(Own(append(first, Deployed{Pod: again}, Deployed{Pod: named("later"), Companion: "later"}))).
		To(BeIdenticalTo(again))
	g.Expect(Own(first)).To(BeIdenticalTo(d.Trial.Pod))
	_, err := createPod(t.Context(), &ongoing{Deployment: d}, trial.Fault{Action: trial.CreatePod, Pod: "none"})
	g.Expect(err).To(MatchError(ContainSubstring(`"none"`)))
}
