package status

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
)

// checker is a check under way.
type checker struct {
	spec    *corev1.PodSpec
	checked timeline.Checked
	kind    timeline.Report
	// at is when the version came, until the latest instant at which it can have come.
	at, until int64
	first     *timeline.Version
	// qos is the class of the first version.
	qos corev1.PodQOSClass
	// rejected is whether the kubelet refused the pod. If it ran before, the kubelet has forgotten its conditions then.
	rejected bool
	// ran is whether a version shows that the pod runs, ended whether one shows that the kubelet ended the pod.
	ran, ended bool
	// ref is how messages name the pod, "" if unknown.
	ref string
	// longest is a back-off that its maximum cut, 0 if none was.
	longest time.Duration
}

func (c *checker) wrong(format string, args ...any) {
	c.checked.Add(timeline.Misreport{Report: c.kind, At: c.at, Why: fmt.Sprintf(format, args...)})
}

// refusal is the message of a pod that the kubelet did not admit (pkg/kubelet/kubelet.go rejectPod).
var refusal = regexp.MustCompile(`^Pod was rejected: \S`)

// refused reports whether the kubelet ended the pod without a container, or refused it when it started again. Then
// containers may still run, and the status has no more of them than the kubelet saw since.
func refused(s corev1.PodStatus) bool {
	return s.Phase == corev1.PodFailed && len(s.ContainerStatuses) == 0 || refusal.MatchString(s.Message)
}

func sidecar(c corev1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
}

func (c *checker) isSidecar(name string) bool {
	return slices.ContainsFunc(c.spec.InitContainers, func(one corev1.Container) bool {
		return one.Name == name && sidecar(one)
	})
}

// complete reports whether an init container has done its work (isInitContainerInitialized).
func complete(container corev1.Container, s *corev1.ContainerStatus) bool {
	if sidecar(container) {
		return s.Started != nil && *s.Started
	}
	return s.Ready
}

func statusOf(s corev1.PodStatus, container string) *corev1.ContainerStatus {
	for _, all := range [][]corev1.ContainerStatus{s.InitContainerStatuses, s.ContainerStatuses} {
		for i := range all {
			if all[i].Name == container {
				return &all[i]
			}
		}
	}
	return nil
}

func conditionOf(s corev1.PodStatus, kind corev1.PodConditionType) *corev1.PodCondition {
	for i := range s.Conditions {
		if s.Conditions[i].Type == kind {
			return &s.Conditions[i]
		}
	}
	return nil
}

func terminal(p corev1.PodPhase) bool { return p == corev1.PodSucceeded || p == corev1.PodFailed }
