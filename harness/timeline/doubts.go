package timeline

import (
	"maps"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/victim"
)

// welcomeTimeout is how long a victim waits for the recorder before it connects again (images/fault connectOnce). If
// the recorder did not run for longer, the order of connections is lost.
const welcomeTimeout = time.Second

// doubtMiscounted doubts lives that a recorder that did not run may have counted wrongly.
func (t *Timeline) doubtMiscounted(delays delay.Record) {
	for _, name := range slices.Sorted(maps.Keys(t.Containers)) {
		c := t.Containers[name]
		for _, l := range c.Lives {
			if l.Connected == nil || l.Started != nil || l.Gone == nil {
				continue
			}
			for _, s := range delays.LateTicks {
				if s.To-s.From >= int64(welcomeTimeout) && s.From <= l.Connected.At &&
					l.Connected.At <= s.To+int64(welcomeTimeout) {
					t.doubt("life %d of container %s connected as the recorder went on after %v, and sent no mark: "+
						"lives may be counted wrongly", l.Number, c.Name,
						time.Duration(s.To-s.From).Round(time.Millisecond))
				}
			}
		}
	}
}

// doubtRemoved doubts a timeline in which the kubelet removed the dead container that the back-off counts from. Garbage
// collection keeps only the newest container that does not run (pkg/kubelet/kuberuntime/kuberuntime_gc.go
// evictableContainers), which may be one that is created but not started. doBackOff then finds no dead one. No upstream
// issue is known (docs/measurements.md, "Garbage collection").
func (t *Timeline) doubtRemoved(removals []Removal) {
	for _, r := range removals {
		next := t.Life(r.Container, r.Life+1)
		if next == nil || next.Gone != nil && next.Gone.At <= r.At {
			continue // it was not the newest dead one any more
		}
		t.doubtOnce("the kubelet's garbage collection removed life %d of container %s before life %d ran: "+
			"the back-off lost its start", r.Life, r.Container, next.Number)
	}
}

// compareWithCounters doubts the timeline if the kubelet counted more failing probes than reached the container. Fewer
// are no doubt: the claims show that.
func (t *Timeline) compareWithCounters(c *Counters) {
	if c == nil {
		return
	}
	for name, byKind := range c.Failed {
		container := t.Containers[name]
		if container == nil {
			continue
		}
		for kind, counted := range byKind {
			if saw := container.mayHaveFailed(kind, c.Answered); counted > saw {
				t.doubt("the kubelet counted %d failing %s probes of container %s, the container saw %d",
					counted, kind, name, saw)
			}
		}
	}
}

// mayHaveFailed counts the probes of a kind until an instant that were not plain successes: a kubelet may wrongly count
// errors and redirects as failures.
func (c *Container) mayHaveFailed(kind string, by Instant) int {
	n := 0
	for _, life := range c.Lives {
		for _, p := range life.Probes {
			if p.For == kind && p.Answer != victim.Succeed.String() && p.At.At-p.At.Early <= by.At+by.Late {
				n++
			}
		}
	}
	return n
}
