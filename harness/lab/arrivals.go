package lab

import (
	"slices"
	"sync"

	"github.com/podclock/podclock/harness/stage"
)

// arrivals keeps what a watch delivered, in order, by the UID of the pod that it is about.
type arrivals[T any] struct {
	mu    sync.Mutex
	byUID map[string][]T
	// changed is closed and replaced with every arrival.
	changed chan struct{}
}

func newArrivals[T any]() arrivals[T] {
	return arrivals[T]{byUID: map[string][]T{}, changed: make(chan struct{})}
}

// add files what follows from what is there of the same pod.
func (a *arrivals[T]) add(uid string, next func(before []T) T) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.byUID[uid] = append(a.byUID[uid], next(a.byUID[uid]))
	close(a.changed)
	a.changed = make(chan struct{})
}

// change returns a channel that is closed at the next arrival.
func (a *arrivals[T]) change() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.changed
}

// of is what arrived about a pod so far.
func (a *arrivals[T]) of(uid string) []T {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.byUID[uid])
}

// count is how much arrived about some pods so far.
func (a *arrivals[T]) count(pods []stage.Deployed) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := 0
	for _, p := range pods {
		n += len(a.byUID[string(p.UID)])
	}
	return n
}
