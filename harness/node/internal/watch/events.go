package watch

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/runner"
	"github.com/podclock/podclock/harness/measure/timeline"
)

// Events keeps every event about a pod or a Job, and when the watch delivered it.
type Events struct{ arrivals[seenEvent] }

// NewEvents returns an empty watch.
func NewEvents() *Events { return &Events{newArrivals[seenEvent]()} }

type seenEvent struct {
	at    time.Time
	event timeline.Event
	// recorded is the end of the second in which the kubelet recorded the event, on its node's clock. Others have none.
	recorded time.Time
}

// Take takes what an informer delivered.
func (w *Events) Take(obj any) {
	at := time.Now()
	e, ok := obj.(*corev1.Event)
	if !ok || e.InvolvedObject.Kind != "Pod" && e.InvolvedObject.Kind != "Job" {
		return
	}
	seen := seenEvent{at: at, event: runner.Event(e, timeline.Instant{})}
	if e.Source.Component == "kubelet" && !e.LastTimestamp.IsZero() {
		seen.recorded = e.LastTimestamp.Add(time.Second) // the API has whole seconds
	}
	w.add(string(e.InvolvedObject.UID), func([]seenEvent) seenEvent { return seen })
}

// Newest returns the newest event about an object, or "".
func (w *Events) Newest(uid string) string {
	events := w.of(uid)
	if len(events) == 0 {
		return ""
	}
	e := events[len(events)-1].event
	return e.Reason + ": " + e.Message
}

// About returns the events about a pod. A busy API server delays them by seconds. If an event's own timestamp proves
// that, the event may have been earlier by as much. The kubelet and the recorder have the node's clock.
func (w *Events) About(uid string, place Placer) []timeline.Event {
	var events []timeline.Event
	for _, s := range w.of(uid) {
		e := s.event
		e.At = place(s.at, s.at)
		if late := e.At.At - e.At.Early - s.recorded.UnixNano(); !s.recorded.IsZero() && late > 0 {
			e.At.Early += late
		}
		events = append(events, e)
	}
	return events
}
