package runner

import (
	"context"
	"errors"
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

func TestWhatAdmissionChanges(t *testing.T) {
	want := fixtures.Pod(3, fixtures.Victim(fixtures.Ignoring, fixtures.SleepPreStop(1),
		fixtures.Liveness(fixtures.Probe{PeriodSeconds: 2, FailureThreshold: 3})))
	for change, apply := range map[string]func(*corev1.PodSpec){
		"": func(s *corev1.PodSpec) {
			s.NodeName, s.Tolerations = "worker", []corev1.Toleration{{Key: "not-ready"}}
			s.Volumes = []corev1.Volume{{Name: "added"}}
			s.Containers[0].Env = append(s.Containers[0].Env, corev1.EnvVar{Name: "HTTP_PROXY"})
			s.Containers[0].Resources.Limits = corev1.ResourceList{}
			s.SchedulerName = "other"
			// What the API server adds.
			probe := s.Containers[0].LivenessProbe
			probe.TimeoutSeconds, probe.SuccessThreshold = 1, 1
			s.DNSPolicy = corev1.DNSClusterFirst
		},
		"adds spec.initContainers": func(s *corev1.PodSpec) {
			always := corev1.ContainerRestartPolicyAlways
			s.InitContainers = []corev1.Container{{Name: "mesh", RestartPolicy: &always}}
		},
		"adds spec.containers[0].readinessProbe": func(s *corev1.PodSpec) {
			s.Containers[0].ReadinessProbe = &corev1.Probe{}
		},
		"adds spec.containers[0].lifecycle.postStart": func(s *corev1.PodSpec) {
			s.Containers[0].Lifecycle.PostStart = &corev1.LifecycleHandler{}
		},
		"changes spec.containers[0].livenessProbe.timeoutSeconds from 1 to 30": func(s *corev1.PodSpec) {
			s.Containers[0].LivenessProbe.TimeoutSeconds = 30
		},
		"adds spec.activeDeadlineSeconds": func(s *corev1.PodSpec) {
			s.ActiveDeadlineSeconds = new(int64(60))
		},
		"changes spec.terminationGracePeriodSeconds from 3 to 30": func(s *corev1.PodSpec) {
			*s.TerminationGracePeriodSeconds = 30
		},
		"changes spec.containers[0].livenessProbe.periodSeconds from 2 to 10": func(s *corev1.PodSpec) {
			s.Containers[0].LivenessProbe.PeriodSeconds = 10
		},
		"adds one of spec.containers": func(s *corev1.PodSpec) {
			s.Containers = append(s.Containers, corev1.Container{Name: "mesh"})
		},
		"changes spec.containers[0].lifecycle.preStop.sleep.seconds from 1 to 5": func(s *corev1.PodSpec) {
			s.Containers[0].Lifecycle.PreStop.Sleep.Seconds = 5
		},
	} {
		got := want.DeepCopy()
		apply(&got.Spec)
		NewWithT(t).Expect(altered(fields(want), fields(got), "spec")).To(Equal(change))
	}

	negative := fixtures.Pod(-5, fixtures.Victim(fixtures.Ignoring))
	stored := fixtures.Pod(1, fixtures.Victim(fixtures.Ignoring))
	NewWithT(t).Expect(altered(fields(negative), fields(stored), "spec")).To(BeEmpty())
}

// refusing is a node whose API server refuses every pod.
type refusing struct {
	Node
	err error
}

func (r refusing) Do(context.Context, Request) error { return r.err }

// A policy refuses a pod for good, whatever the status of its answer. Other refusals can pass, and podclock's own
// cluster has no policy.
func TestPodThatTheClusterRefuses(t *testing.T) {
	g := NewWithT(t)
	refused := func(external *External, why string) bool {
		d := one()
		d.External = external
		s := ongoing{Deployment: d, on: refusing{err: errors.New(why)}}
		g.Expect(s.create(t.Context(), d.Trial.Pod, "")).To(MatchError(ContainSubstring(why)))
		return s.unsupported
	}
	for why, final := range map[string]bool{
		`admission webhook "team" denied the request: every pod needs the label team`:                       true,
		`pods "a" is forbidden: ValidatingAdmissionPolicy 'team' with binding 'team' denied request: no`:    true,
		`pods "a" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true`:             true,
		`pods "a" is forbidden: maximum cpu usage per Container is 500m, but limit is 1`:                    true,
		`pods "a" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=9, limited: pods=9`:  false,
		`pods "a" is forbidden: unable to create new content in namespace b because it is being terminated`: false,
		`pods is forbidden: User "tester" cannot create resource "pods" in API group ""`:                    false,
	} {
		g.Expect(refused(&External{}, why)).To(Equal(final), why)
		g.Expect(refused(nil, why)).To(BeFalse(), why)
	}
}
