package lab

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/timeline"
)

// askRemovals asks which instances of the pods' containers were removed until an instant, and when: without a dead one the kubelet does not compute what it else would.
// It asks for containers that ended twice at least, as only those can have been restarted without a look at the one before. A search that fails is a loss.
func (e *experiment) askRemovals(until time.Time) {
	known := instances(e.evidence().API)
	if len(known) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(e.lab.ctx, looking)
	defer cancel()
	e.lab.logs.Lock()
	defer e.lab.logs.Unlock()
	removed, err := e.lab.options.Workers.Removals(ctx, e.node.name, e.created, until, slices.Collect(maps.Keys(known)))
	if err != nil {
		e.node.loseBetween(e.created, until, "which containers were removed can't be told: "+err.Error())
		return
	}
	for id, at := range removed {
		r := known[id]
		r.At = at.UnixNano()
		e.removals = append(e.removals, r)
	}
	slices.SortFunc(e.removals, func(a, b timeline.Removal) int { return cmp.Compare(a.At, b.At) })
}

// instances are, by their IDs, the instances that the API has shown of containers that ended more than once. It shows each while it runs, but as a dead one only what
// is not removed by then.
func instances(changes []timeline.Change) map[string]timeline.Removal {
	known, ended := map[string]timeline.Removal{}, map[string]int{}
	for _, c := range changes {
		for _, s := range c.Containers {
			if s.ContainerID != "" {
				known[s.ContainerID] = timeline.Removal{Container: s.Name, Life: int(s.RestartCount) + 1}
				ended[s.Name] = max(ended[s.Name], int(s.RestartCount))
			}
			if s.Ended != nil && s.Ended.ContainerID != "" {
				known[s.Ended.ContainerID] = timeline.Removal{Container: s.Name, Life: s.Ended.Life}
				ended[s.Name] = max(ended[s.Name], s.Ended.Life)
			}
		}
	}
	maps.DeleteFunc(known, func(_ string, r timeline.Removal) bool { return ended[r.Container] < 2 })
	return known
}
