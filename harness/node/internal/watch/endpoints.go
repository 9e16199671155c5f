package watch

import (
	"slices"
	"sync"
	"time"

	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/podclock/podclock/harness/measure/timeline"
)

// Endpoints keeps what EndpointSlices said of every pod, and when the watch showed each change.
type Endpoints struct {
	arrivals[seenEndpoint]
	mu sync.Mutex
	// in are the pods of each slice, by its UID.
	in map[string][]string
}

// NewEndpoints returns an empty watch.
func NewEndpoints() *Endpoints {
	return &Endpoints{arrivals: newArrivals[seenEndpoint](), in: map[string][]string{}}
}

type seenEndpoint struct {
	at     time.Time
	change timeline.EndpointChange
}

// Take takes a version of a slice that an informer delivered, or its deletion.
func (w *Endpoints) Take(obj any, deleted bool) {
	at := time.Now()
	if missed, late := obj.(cache.DeletedFinalStateUnknown); late {
		obj = missed.Obj
	}
	s, ok := obj.(*discoveryv1.EndpointSlice)
	if !ok {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := map[string]timeline.EndpointChange{}
	for _, e := range s.Endpoints {
		if e.TargetRef != nil && !deleted {
			now[string(e.TargetRef.UID)] = timeline.EndpointChange{
				Ready: is(e.Conditions.Ready), Serving: is(e.Conditions.Serving),
				Terminating: is(e.Conditions.Terminating),
			}
		}
	}
	before := w.in[string(s.UID)]
	delete(w.in, string(s.UID))
	for uid, change := range now {
		w.in[string(s.UID)] = append(w.in[string(s.UID)], uid)
		w.note(uid, at, change)
	}
	for _, uid := range before {
		if !slices.Contains(w.in[string(s.UID)], uid) {
			w.note(uid, at, timeline.EndpointChange{})
		}
	}
}

// note keeps a change. A slice changes for each of its pods.
func (w *Endpoints) note(uid string, at time.Time, change timeline.EndpointChange) {
	if seen := w.of(uid); len(seen) == 0 || seen[len(seen)-1].change != change {
		w.add(uid, func([]seenEndpoint) seenEndpoint { return seenEndpoint{at, change} })
	}
}

// Of returns the changes of a pod's endpoint.
func (w *Endpoints) Of(uid string, place Placer) (changes []timeline.EndpointChange) {
	for _, s := range w.of(uid) {
		s.change.At = place(s.at, s.at)
		changes = append(changes, s.change)
	}
	return changes
}

func is(condition *bool) bool { return condition != nil && *condition }
