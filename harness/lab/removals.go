package lab

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/timeline"
)

// looking bounds a search of a node's log.
const looking = 15 * time.Second

// searchRemovals finds out which instances of the pods' containers were removed until an instant, and when: without
// a dead one the kubelet does not compute what it else would. It asks for containers that ended twice at
// least, as only those can have been restarted without a look at the one before. The container runtime's
// log is one witness, the API the other. A search that fails is a loss.
func (e *lane) searchRemovals(until time.Time) {
	changes := e.Look(e.pods).Evidence.API
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
		e.node.addLossBetween(e.created, until, "which containers were removed can't be told: "+err.Error())
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

// instances are, by their IDs, the instances of containers that the API has shown. It shows each while it
// runs, but as a dead one only what is not removed by then.
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
			// where it is known to have run, restartCount told which life it was
			if _, ran := known[s.Ended.ContainerID]; !ran {
				known[s.Ended.ContainerID] = timeline.Removal{Container: s.Name, Life: s.Ended.Life}
			}
		}
	}
	return known
}

// ends is how many instances of each container the API has shown to be over.
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

// forgotten are the instances without whose end the API showed the next one, when it first did so: the
// kubelet writes the newest dead one's end beside the one that runs, and did not know of it any more. Each
// is noted once.
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
