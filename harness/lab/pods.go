package lab

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/podclock/podclock/harness/timeline"
)

// podWatch keeps every version of every pod in the lab's namespace, with the time at which the watch delivered it.
type podWatch struct{ arrivals[seenPod] }

// seenPod is one version of a pod. It came about between from and at; the two differ where the watch was away meanwhile.
type seenPod struct {
	from    time.Time
	at      time.Time
	deleted bool
	pod     *corev1.Pod
}

func (w *podWatch) take(obj any, deleted bool) {
	at := time.Now()
	missed, late := obj.(cache.DeletedFinalStateUnknown)
	if late {
		obj = missed.Obj
	}
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return
	}
	w.add(string(pod.UID), func(before []seenPod) seenPod {
		from := at
		if late && len(before) > 0 {
			from = before[len(before)-1].at // it went at some time since it was last seen
		}
		return seenPod{from: from, at: at, deleted: deleted, pod: pod}
	})
}

// changes are the versions of a pod seen so far, dated on a recorder's clock.
func (w *podWatch) changes(uid string, place func(from, to time.Time) timeline.Instant) []timeline.Change {
	var changes []timeline.Change
	for _, s := range w.of(uid) {
		changes = append(changes, change(s, place(s.from, s.at)))
	}
	return changes
}

// complaint is what the newest version of a pod says about not running: its containers' waiting reasons.
func (w *podWatch) complaint(uid string) string {
	versions := w.of(uid)
	if len(versions) == 0 {
		return "the watch has not shown it yet"
	}
	pod := versions[len(versions)-1].pod
	text := "phase " + string(pod.Status.Phase)
	if pod.Status.Reason != "" { // the kubelet did not take it
		text += fmt.Sprintf(" %s: %s", pod.Status.Reason, pod.Status.Message)
	}
	for _, s := range pod.Status.ContainerStatuses {
		if wait := s.State.Waiting; wait != nil {
			text += strings.TrimSuffix(fmt.Sprintf(", container %s waits: %s %s", s.Name, wait.Reason, wait.Message), " ")
		}
		if end := s.LastTerminationState.Terminated; end != nil {
			text += fmt.Sprintf(", container %s ended with %d", s.Name, end.ExitCode)
		}
	}
	return text
}

func change(s seenPod, at timeline.Instant) timeline.Change {
	p := s.pod
	ch := timeline.Change{
		At: at, Deleted: s.deleted, Phase: string(p.Status.Phase), Reason: p.Status.Reason,
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

func containerStatus(s corev1.ContainerStatus) timeline.ContainerStatus {
	status := timeline.ContainerStatus{Name: s.Name, RestartCount: s.RestartCount, Ready: s.Ready}
	switch {
	case s.State.Running != nil:
		status.State = "running"
	case s.State.Terminated != nil:
		status.State, status.Reason = "terminated", s.State.Terminated.Reason
	case s.State.Waiting != nil:
		status.State, status.Reason = "waiting", s.State.Waiting.Reason
	}
	// restartCount counts from 0. A container in its back-off is "waiting" with the count of the life that ended last; a running one
	// has begun the life after it.
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

func end(t corev1.ContainerStateTerminated, life int) *timeline.End {
	e := &timeline.End{Life: life, ExitCode: t.ExitCode, Reason: t.Reason}
	if !t.StartedAt.IsZero() {
		e.StartedAt = t.StartedAt.Unix()
	}
	if !t.FinishedAt.IsZero() {
		e.FinishedAt = t.FinishedAt.Unix()
	}
	return e
}
