package lab

import (
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/timeline"
)

// eventWatch keeps every arrival of an event about a pod of the lab's namespace, with the time at which the watch delivered it.
type eventWatch struct {
	mu      sync.Mutex
	seen    map[string][]seenEvent // by the pod's UID
	changed chan struct{}
}

type seenEvent struct {
	at    time.Time
	event timeline.Event
}

func newEventWatch() *eventWatch {
	return &eventWatch{seen: map[string][]seenEvent{}, changed: make(chan struct{})}
}

func (w *eventWatch) take(obj any) {
	at := time.Now()
	e, ok := obj.(*corev1.Event)
	if !ok || e.InvolvedObject.Kind != "Pod" {
		return
	}
	uid := string(e.InvolvedObject.UID)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[uid] = append(w.seen[uid], seenEvent{at: at, event: timeline.Event{
		Container: containerOf(e.InvolvedObject.FieldPath), Reason: e.Reason, Message: e.Message, Count: eventCount(e),
	}})
	close(w.changed)
	w.changed = make(chan struct{})
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

func (w *eventWatch) change() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed
}

// count is how many arrivals of events about some pods were seen so far.
func (w *eventWatch) count(pods []deployed) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, p := range pods {
		n += len(w.seen[string(p.UID)])
	}
	return n
}

// of are the events about a pod seen so far, dated on a recorder's clock.
func (w *eventWatch) of(uid string, place func(from, to time.Time) timeline.Instant) []timeline.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	events := make([]timeline.Event, 0, len(w.seen[uid]))
	for _, s := range w.seen[uid] {
		e := s.event
		e.At = place(s.at, s.at)
		events = append(events, e)
	}
	return events
}
