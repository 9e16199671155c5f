package status

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
)

// kubelets are the conditions that only the kubelet writes (pkg/kubelet/types/pod_status.go).
var kubelets = []corev1.PodConditionType{
	corev1.PodScheduled, corev1.PodReadyToStartContainers, corev1.PodInitialized, corev1.ContainersReady,
	corev1.PodReady,
}

// conditions compares the conditions with the statuses of containers.
func (c *checker) conditions(v *timeline.Version) {
	s := v.Status
	seen := map[corev1.PodConditionType]bool{}
	for _, condition := range s.Conditions {
		if seen[condition.Type] {
			c.wrong("condition %s is there twice", condition.Type)
		}
		seen[condition.Type] = true
		if slices.Contains(kubelets, condition.Type) && condition.LastTransitionTime.IsZero() {
			c.wrong("condition %s has no lastTransitionTime", condition.Type)
		}
	}
	if refused(s) {
		return
	}
	ready, why := c.containersReady(s)
	c.expect(s, corev1.ContainersReady, ready, why)
	if !ready || len(c.spec.ReadinessGates) == 0 { // Ready follows gates of others only a sync later
		c.expect(s, corev1.PodReady, ready, why)
	}
	c.expect(s, corev1.PodScheduled, true, "")
	if initialized, certain := c.initialized(s); certain {
		why := "ContainersNotInitialized"
		if initialized {
			why = ""
		}
		c.expect(s, corev1.PodInitialized, initialized, why)
	}
	if is := conditionOf(s, corev1.PodReadyToStartContainers); is != nil && is.Status != corev1.ConditionTrue {
		for _, status := range s.ContainerStatuses {
			if status.State.Running != nil {
				c.wrong("container %s runs, but PodReadyToStartContainers is %s", status.Name, is.Status)
			}
		}
	}
}

func (c *checker) expect(s corev1.PodStatus, kind corev1.PodConditionType, want bool, why string) {
	is := conditionOf(s, kind)
	if is == nil {
		c.wrong("condition %s is missing", kind)
		return
	}
	status := corev1.ConditionFalse
	if want {
		status = corev1.ConditionTrue
	}
	if is.Status != status || is.Reason != why {
		c.wrong("condition %s is %s %q, expected %s %q", kind, is.Status, is.Reason, status, why)
	}
}

// containersReady computes ContainersReady and its reason (pkg/kubelet/status/generate.go
// GenerateContainersReadyCondition).
func (c *checker) containersReady(s corev1.PodStatus) (bool, string) {
	phase := s.Phase
	if announced := announcedBy(s); announced != "" && !terminal(phase) {
		phase = announced
	}
	ready := conditionOf(s, corev1.ContainersReady)
	neverReady := terminal(s.Phase) && ready != nil && ready.Reason == "ContainersNotReady" // it stays as it was
	if why := endsReady[phase]; why != "" && !neverReady {
		return false, why
	}
	for _, container := range c.spec.InitContainers {
		if status := statusOf(s, container.Name); sidecar(container) && (status == nil || !status.Ready) {
			return false, "ContainersNotReady"
		}
	}
	for _, container := range c.spec.Containers {
		if status := statusOf(s, container.Name); status == nil || !status.Ready {
			return false, "ContainersNotReady"
		}
	}
	return true, ""
}

// endsReady are the reasons for which a pod of these phases is not ready.
var endsReady = map[corev1.PodPhase]string{corev1.PodSucceeded: "PodCompleted", corev1.PodFailed: "PodFailed"}

// announcedBy returns the phase that the kubelet has decided, or "". It shows the phase only when no container runs any
// more (pkg/kubelet/status/status_manager.go mergePodStatus), but the conditions follow it at once.
func announcedBy(s corev1.PodStatus) corev1.PodPhase {
	if ready := conditionOf(s, corev1.ContainersReady); ready != nil {
		for phase, why := range endsReady {
			if ready.Reason == why {
				return phase
			}
		}
	}
	return ""
}

// initialized computes Initialized (GeneratePodInitializedCondition). It is not certain once the pod has ended, or if
// containers restart: it may stay true then. A startup probe's success shows before the sync that follows it
// (pkg/kubelet/status/status_manager.go SetContainerStartup).
func (c *checker) initialized(s corev1.PodStatus) (is, certain bool) {
	if terminal(s.Phase) || announcedBy(s) != "" {
		return false, false
	}
	for _, container := range c.spec.Containers {
		status := statusOf(s, container.Name)
		if status != nil && (status.State.Running != nil || status.State.Terminated != nil) {
			return true, true
		}
	}
	for _, container := range c.spec.InitContainers {
		status := statusOf(s, container.Name)
		switch {
		case status == nil:
			return false, true
		case sidecar(container) && (status.Started == nil || !*status.Started), !sidecar(container) && !status.Ready:
			return false, !restarted(s)
		case sidecar(container) && container.StartupProbe != nil:
			return false, false
		}
	}
	return true, true
}

func restarted(s corev1.PodStatus) bool {
	all := slices.Concat(s.ContainerStatuses, s.InitContainerStatuses)
	return slices.ContainsFunc(all, func(s corev1.ContainerStatus) bool {
		return s.RestartCount > 0 || s.LastTerminationState.Terminated != nil
	})
}

// shortestPeriod is the shortest period of probes. cutToSeconds is what the API cuts from a time. statusOnItsWay is how
// long after a status was made the watch may show it, while the kubelet makes the next one.
const (
	shortestPeriod = int64(time.Second)
	cutToSeconds   = int64(time.Second)
	statusOnItsWay = int64(time.Second)
)

// transitions compares the times of the last transitions with the version before. A condition may have changed twice
// between two versions only if probes had time for two results.
func (c *checker) transitions(before, v *timeline.Version) {
	for _, kind := range kubelets {
		was, is := conditionOf(before.Status, kind), conditionOf(v.Status, kind)
		if was == nil || is == nil {
			continue
		}
		at := is.LastTransitionTime.UnixNano()
		flickers := kind == corev1.PodReady || kind == corev1.ContainersReady
		switch {
		case at > c.until:
			c.wrong("condition %s changed only at %s", kind, is.LastTransitionTime.UTC().Format(time.TimeOnly))
		case is.LastTransitionTime.Before(&was.LastTransitionTime):
			c.wrong("the last transition of condition %s went back", kind)
		case is.Status == was.Status && !is.LastTransitionTime.Equal(&was.LastTransitionTime) &&
			(!flickers || v.At.At-before.At.At < shortestPeriod):
			c.wrong("condition %s did not change, but lastTransitionTime did", kind)
		case is.Status != was.Status && is.LastTransitionTime.Equal(&was.LastTransitionTime) &&
			at+cutToSeconds+statusOnItsWay < before.At.At-before.At.Early:
			c.wrong("condition %s changed, but lastTransitionTime did not", kind)
		}
	}
}
