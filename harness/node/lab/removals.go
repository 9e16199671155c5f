package lab

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/measure/timeline"
)

// looking bounds a search of a node's log.
const looking = 15 * time.Second

// searchRemovals searches the container runtime's log and the API for removed containers: the kubelet computes a
// back-off from the newest dead one. It skips containers that ended only once. A failed search is a loss.
func (e *lane) searchRemovals(until time.Time) {
	changes := e.Look(e.pods).Evidence.Changes()
	known, ended := instances(changes), ends(changes)
	once := func(r timeline.Removal) bool { return ended[r.Container] < 2 }
	maps.DeleteFunc(known, func(_ string, r timeline.Removal) bool { return once(r) })
	if len(known) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(e.lab.ctx, looking)
	defer cancel()
	e.lab.logs.Lock()
	defer e.lab.logs.Unlock()
	removed, err := e.lab.options.Workers.Removals(ctx, e.node.name, e.created, until, slices.Collect(maps.Keys(known)))
	if err != nil {
		e.node.addLossBetween(e.created, until, "which containers were removed is unknown: "+err.Error())
		return
	}
	for id, at := range removed {
		r := known[id]
		r.At = at.UnixNano()
		e.removals = append(e.removals, r)
	}
	e.removals = append(e.removals, slices.DeleteFunc(forgotten(changes), once)...)
	slices.SortFunc(e.removals, func(a, b timeline.Removal) int { return cmp.Compare(a.At, b.At) })
}

// instances returns the containers' instances by their IDs.
func instances(changes []timeline.Change) map[string]timeline.Removal {
	known := map[string]timeline.Removal{}
	for _, c := range changes {
		for _, s := range c.Containers {
			if s.ContainerID != "" {
				known[s.ContainerID] = timeline.Removal{Container: s.Name, Life: int(s.RestartCount) + 1}
			}
			if s.Ended == nil || s.Ended.ContainerID == "" {
				continue
			}
			// The restartCount of a running instance names its life.
			if _, ran := known[s.Ended.ContainerID]; !ran {
				known[s.Ended.ContainerID] = timeline.Removal{Container: s.Name, Life: s.Ended.Life}
			}
		}
	}
	return known
}

func ends(changes []timeline.Change) map[string]int {
	ended := map[string]int{}
	for _, c := range changes {
		for _, s := range c.Containers {
			ended[s.Name] = max(ended[s.Name], int(s.RestartCount))
			if s.Ended != nil {
				ended[s.Name] = max(ended[s.Name], s.Ended.Life)
			}
		}
	}
	return ended
}

// forgotten returns each instance whose end the API does not show beside the next one. The kubelet writes the newest
// dead instance's end there, so it had forgotten this one.
func forgotten(changes []timeline.Change) []timeline.Removal {
	var removals []timeline.Removal
	lives := instances(changes)
	seen := map[string]bool{}
	for _, c := range changes {
		for _, s := range c.Containers {
			if s.State != "running" || s.RestartCount == 0 || seen[s.ContainerID] {
				continue
			}
			seen[s.ContainerID] = true
			if s.Ended == nil || s.Ended.ContainerID != "" && lives[s.Ended.ContainerID].Life != int(s.RestartCount) {
				removals = append(removals, timeline.Removal{At: c.At.At, Container: s.Name, Life: int(s.RestartCount)})
			}
		}
	}
	return removals
}
