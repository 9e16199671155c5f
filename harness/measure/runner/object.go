package runner

import (
	"cmp"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
)

// Event returns one arrival of an API event.
func Event(e *corev1.Event, at timeline.Instant) timeline.Event {
	event := timeline.Event{
		At: at, Container: containerOf(e.InvolvedObject.FieldPath),
		Reason: e.Reason, Message: e.Message, Count: eventCount(e),
		Type: e.Type, Source: cmp.Or(e.Source.Component, e.ReportingController), Path: e.InvolvedObject.FieldPath,
	}
	if !e.LastTimestamp.IsZero() {
		event.Recorded = e.LastTimestamp.Unix()
	}
	return event
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
	if why := timeline.VersionOf(pod, false, timeline.Instant{}).Change().Disruption; why != "" {
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
