package stage

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
)

func TestAFieldThatTheAPIServerDrops(t *testing.T) {
	victim := fixtures.Victim(fixtures.Ignoring, fixtures.StopWith("SIGINT"), fixtures.SleepPreStop(1))
	want := fixtures.With(fixtures.Pod(3, victim), fixtures.OnLinux)
	for field, change := range map[string]func(*corev1.PodSpec){
		"": func(s *corev1.PodSpec) {
			s.NodeName, s.Tolerations = "worker", []corev1.Toleration{{Key: "not-ready"}}
			s.Containers[0].Resources.Requests = corev1.ResourceList{}
		},
		"spec.os": func(s *corev1.PodSpec) { s.OS = nil },
		"spec.containers[0].lifecycle.stopSignal": func(s *corev1.PodSpec) {
			s.Containers[0].Lifecycle.StopSignal = nil
		},
		"spec.containers[0].lifecycle.preStop.sleep": func(s *corev1.PodSpec) {
			s.Containers[0].Lifecycle.PreStop = &corev1.LifecycleHandler{TCPSocket: &corev1.TCPSocketAction{}}
		},
		"spec.containers[0]": func(s *corev1.PodSpec) { s.Containers = []corev1.Container{} },
	} {
		got := want.DeepCopy()
		change(&got.Spec)
		NewWithT(t).Expect(dropped(fields(want), fields(got), "spec")).To(Equal(field))
	}
}
