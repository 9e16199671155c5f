package runner

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
)

// Change returns one version of a pod's object, or its disappearance.
func Change(p *corev1.Pod, deleted bool, at timeline.Instant) timeline.Change {
	ch := timeline.Change{
		At: at, Deleted: deleted, Phase: string(p.Status.Phase), Reason: p.Status.Reason, Disruption: disruption(p),
		DeletionGracePeriodSeconds: p.DeletionGracePeriodSeconds,
	}
	if p.DeletionTimestamp != nil {
		ch.DeletionTimestamp = p.DeletionTimestamp.Unix()
	}
	if p.Status.StartTime != nil {
		ch.StartTime = p.Status.StartTime.Unix()
	}
	for _, c := range p.Status.Conditions {
		if c.Status == corev1.ConditionTrue {
			ch.Conditions = append(ch.Conditions, string(c.Type))
		}
	}
	for _, status := range slices.Concat(p.Status.ContainerStatuses, p.Status.InitContainerStatuses) {
		ch.Containers = append(ch.Containers, containerStatus(status))
	}
	return ch
}

// disruption returns the reason and message of the condition DisruptionTarget, if it is true.
func disruption(p *corev1.Pod) string {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
			return c.Reason + ": " + c.Message
		}
	}
	return ""
}

func containerStatus(s corev1.ContainerStatus) timeline.ContainerStatus {
	status := timeline.ContainerStatus{Name: s.Name, RestartCount: s.RestartCount, Ready: s.Ready}
	switch {
	case s.State.Running != nil:
		status.State, status.ContainerID = "running", shortID(s.ContainerID)
	case s.State.Terminated != nil:
		status.State, status.Reason = "terminated", s.State.Terminated.Reason
	case s.State.Waiting != nil:
		status.State, status.Reason = "waiting", s.State.Waiting.Reason
	}
	// A waiting container has the restartCount of the life that ended last, a running one that of the next life.
	switch {
	case s.State.Terminated != nil:
		status.Ended = end(*s.State.Terminated, int(s.RestartCount)+1)
	case s.LastTerminationState.Terminated != nil && s.State.Running != nil:
		status.Ended = end(*s.LastTerminationState.Terminated, int(s.RestartCount))
	case s.LastTerminationState.Terminated != nil:
		status.Ended = end(*s.LastTerminationState.Terminated, int(s.RestartCount)+1)
	}
	return status
}

func shortID(containerID string) string {
	_, id, _ := strings.Cut(containerID, "://")
	return id[:min(len(id), 12)]
}

func end(t corev1.ContainerStateTerminated, life int) *timeline.End {
	e := &timeline.End{Life: life, ContainerID: shortID(t.ContainerID), ExitCode: t.ExitCode, Reason: t.Reason}
	if !t.StartedAt.IsZero() {
		e.StartedAt = t.StartedAt.Unix()
	}
	if !t.FinishedAt.IsZero() {
		e.FinishedAt = t.FinishedAt.Unix()
	}
	return e
}

// Event returns one arrival of an API event.
func Event(e *corev1.Event, at timeline.Instant) timeline.Event {
	return timeline.Event{
		At: at, Container: containerOf(e.InvolvedObject.FieldPath),
		Reason: e.Reason, Message: e.Message, Count: eventCount(e),
	}
}

func eventCount(e *corev1.Event) int32 {
	if e.Series != nil {
		return e.Series.Count
	}
	return max(e.Count, 1)
}

// containerOf returns the container in a field path such as spec.containers{victim}, or "".
func containerOf(path string) string {
	_, name, _ := strings.Cut(path, "{")
	return strings.TrimSuffix(name, "}")
}

// Complaint returns why a pod does not run. The pod is its newest version, nil if no watch has shown it.
func Complaint(pod *corev1.Pod) string {
	if pod == nil {
		return "the watch has not shown it yet"
	}
	text := "phase " + string(pod.Status.Phase)
	if pod.Status.Reason != "" { // the kubelet did not take it
		text += fmt.Sprintf(" %s: %s", pod.Status.Reason, pod.Status.Message)
	}
	if why := disruption(pod); why != "" {
		text += ", disrupted by " + why
	}
	for _, s := range pod.Status.ContainerStatuses {
		if wait := s.State.Waiting; wait != nil {
			waits := fmt.Sprintf(", container %s waits: %s %s", s.Name, wait.Reason, wait.Message)
			text += strings.TrimSuffix(waits, " ")
		}
		if end := s.LastTerminationState.Terminated; end != nil {
			text += fmt.Sprintf(", container %s ended with %d", s.Name, end.ExitCode)
		}
	}
	return text
}
