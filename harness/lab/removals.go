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

// searchRemovals finds out which instances of the pods' containers were removed until a time: the kubelet
// needs the newest dead instance to compute a back-off. It searches only for containers that ended at least
// twice: no other was restarted without a look at the instance before. Witnesses are the container
// runtime's log and the API. A failed search is a loss.
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

// instances returns the instances of containers that the API has shown, by their IDs. The API shows each
// instance while it runs, and a dead one if it was not removed before.
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
			// restartCount of a running instance shows its life, so it takes precedence
			if _, ran := known[s.Ended.ContainerID]; !ran {
				known[s.Ended.ContainerID] = timeline.Removal{Container: s.Name, Life: s.Ended.Life}
			}
		}
	}
	return known
}

// ends returns how many instances of each container have ended, as far as the API has shown.
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

// forgotten returns each instance whose end the API does not show beside the next instance. The kubelet
// writes the end of the newest dead instance there, so it had forgotten this one.
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
