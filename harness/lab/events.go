package lab

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/timeline"
)

// eventWatch keeps every arrival of an event about a pod of the lab's namespace, with the time at which the watch delivered it.
type eventWatch struct{ arrivals[seenEvent] }

type seenEvent struct {
	at    time.Time
	event timeline.Event
}

func (w *eventWatch) take(obj any) {
	at := time.Now()
	e, ok := obj.(*corev1.Event)
	if !ok || e.InvolvedObject.Kind != "Pod" {
		return
	}
	seen := seenEvent{at: at, event: timeline.Event{
		Container: containerOf(e.InvolvedObject.FieldPath), Reason: e.Reason, Message: e.Message, Count: eventCount(e),
	}}
	w.add(string(e.InvolvedObject.UID), func([]seenEvent) seenEvent { return seen })
}

// eventCount is how often an event happened by the API's account, in the old or the new form of events.
func eventCount(e *corev1.Event) int32 {
	if e.Series != nil {
		return e.Series.Count
	}
	return max(e.Count, 1)
}

// containerOf is the container in a field path such as spec.containers{victim}, empty where the event is about the pod.
func containerOf(path string) string {
	_, name, found := strings.Cut(path, "{")
	if !found {
		return ""
	}
	return strings.TrimSuffix(name, "}")
}

// about are the events about a pod seen so far, dated on a recorder's clock.
func (w *eventWatch) about(uid string, place func(from, to time.Time) timeline.Instant) []timeline.Event {
	var events []timeline.Event
	for _, s := range w.of(uid) {
		e := s.event
		e.At = place(s.at, s.at)
		events = append(events, e)
	}
	return events
}
