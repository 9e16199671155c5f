package watch

import (
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/timeline"
)

// Conditions keeps every node's conditions, and when the watch showed each change.
type Conditions struct {
	mu   sync.Mutex
	seen map[string][]seenConditions // by node
}

type seenConditions struct {
	at   time.Time
	true []string
}

// Placer places a span of the harness's clock on the recorder's.
type Placer func(from, to time.Time) timeline.Instant

// NewConditions returns an empty watch.
func NewConditions() *Conditions { return &Conditions{seen: map[string][]seenConditions{}} }

// Take takes what an informer delivered.
func (w *Conditions) Take(obj any) {
	at := time.Now()
	n, ok := obj.(*corev1.Node)
	if !ok {
		return
	}
	var now []string
	for _, c := range n.Status.Conditions {
		if c.Status == corev1.ConditionTrue {
			now = append(now, string(c.Type))
		}
	}
	slices.Sort(now)
	w.mu.Lock()
	defer w.mu.Unlock()
	versions := w.seen[n.Name]
	if len(versions) == 0 || !slices.Equal(versions[len(versions)-1].true, now) {
		w.seen[n.Name] = append(versions, seenConditions{at, now})
	}
}

// Count returns how many changes of a node are known.
func (w *Conditions) Count(node string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.seen[node])
}

// Of returns the changes of a node's conditions since a time. The first one is the state at that time.
func (w *Conditions) Of(node string, since time.Time, place Placer) []timeline.NodeChange {
	w.mu.Lock()
	defer w.mu.Unlock()
	var changes []timeline.NodeChange
	for _, s := range w.seen[node] {
		c := timeline.NodeChange{At: place(s.at, s.at), Conditions: s.true}
		if s.at.Before(since) && len(changes) > 0 {
			changes[0] = c
			continue
		}
		changes = append(changes, c)
	}
	return changes
}
