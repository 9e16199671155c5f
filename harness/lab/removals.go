package lab

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/timeline"
)

// askRemovals asks which dead containers of the pods were removed until an instant, and when: without one of them the kubelet does not compute what it else would.
// It asks for containers that ended twice at least, as only those can have been restarted without a look at the one before. A search that fails is a loss.
func (e *experiment) askRemovals(until time.Time) {
	dead := deadContainers(e.evidence().API)
	if len(dead) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(e.lab.ctx, looking)
	defer cancel()
	e.lab.logs.Lock()
	defer e.lab.logs.Unlock()
	removed, err := e.lab.options.Workers.Removals(ctx, e.node.name, e.created, until, slices.Collect(maps.Keys(dead)))
	if err != nil {
		e.node.loseBetween(e.created, until, "which dead containers were removed can't be told: "+err.Error())
		return
	}
	for id, at := range removed {
		r := dead[id]
		r.At = at.UnixNano()
		e.removals = append(e.removals, r)
	}
	slices.SortFunc(e.removals, func(a, b timeline.Removal) int { return cmp.Compare(a.At, b.At) })
}

// deadContainers are the dead containers that the API has shown, by their IDs, of those that ended more than once.
func deadContainers(changes []timeline.Change) map[string]timeline.Removal {
	dead, times := map[string]timeline.Removal{}, map[string]int{}
	for _, c := range changes {
		for _, s := range c.Containers {
			if s.Ended == nil || s.Ended.ContainerID == "" {
				continue
			}
			dead[s.Ended.ContainerID] = timeline.Removal{Container: s.Name, Life: s.Ended.Life}
			times[s.Name] = max(times[s.Name], s.Ended.Life)
		}
	}
	maps.DeleteFunc(dead, func(_ string, r timeline.Removal) bool { return times[r.Container] < 2 })
	return dead
}
