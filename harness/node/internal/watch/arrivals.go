// Package watch keeps what the API server's watches delivered, and when.
package watch

import (
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/measure/runner"
)

// arrivals keeps what a watch delivered, in order, by the pod's UID.
type arrivals[T any] struct {
	mu    sync.Mutex
	byUID map[string][]T
	// forgotten are the UIDs of pods that nobody asks about any more.
	forgotten map[string]bool
	changed   chan struct{}
}

func newArrivals[T any]() arrivals[T] {
	return arrivals[T]{byUID: map[string][]T{}, forgotten: map[string]bool{}, changed: make(chan struct{})}
}

func (a *arrivals[T]) add(uid string, next func(before []T) T) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.forgotten[uid] {
		return
	}
	a.byUID[uid] = append(a.byUID[uid], next(a.byUID[uid]))
	close(a.changed)
	a.changed = make(chan struct{})
}

// Forget drops what arrived about a pod, and what will. A run has thousands of pods.
func (a *arrivals[T]) Forget(uid string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.byUID, uid)
	a.forgotten[uid] = true
}

// Change returns a channel that is closed with the next arrival.
func (a *arrivals[T]) Change() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.changed
}

func (a *arrivals[T]) of(uid string) []T {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.byUID[uid])
}

// Count returns how much arrived about some pods.
func (a *arrivals[T]) Count(pods []runner.Deployed) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := 0
	for _, p := range pods {
		n += len(a.byUID[string(p.UID)])
	}
	return n
}

// Lean drops what nobody reads from an object that an informer keeps: in a fleet, that is most of its bytes.
func Lean(obj any) (any, error) {
	if n, ok := obj.(*corev1.Node); ok {
		n.Status.Images, n.Annotations = nil, nil
	}
	if o, ok := obj.(metav1.Object); ok {
		o.SetManagedFields(nil)
	}
	return obj, nil
}
