package lab

import (
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/timeline"
)

// conditionWatch keeps every node's conditions, and when the watch showed each change.
type conditionWatch struct {
	mu   sync.Mutex
	seen map[string][]seenConditions // by node
}

type seenConditions struct {
	at   time.Time
	true []string
}

type placer func(from, to time.Time) timeline.Instant

func newConditionWatch() *conditionWatch { return &conditionWatch{seen: map[string][]seenConditions{}} }

func (w *conditionWatch) take(obj any) {
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

func (w *conditionWatch) count(node string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.seen[node])
}

// of returns the changes of a node's conditions since a time. The first one is the state at that time.
func (w *conditionWatch) of(node string, since time.Time, place placer) []timeline.NodeChange {
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
