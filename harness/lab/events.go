package lab

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/timeline"
)

// eventWatch keeps every event about a pod, and when the watch delivered it.
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
	seen := seenEvent{at: at, event: stage.Event(e, timeline.Instant{})}
	w.add(string(e.InvolvedObject.UID), func([]seenEvent) seenEvent { return seen })
}

func (w *eventWatch) about(uid string, place placer) []timeline.Event {
	var events []timeline.Event
	for _, s := range w.of(uid) {
		e := s.event
		e.At = place(s.at, s.at)
		events = append(events, e)
	}
	return events
}
