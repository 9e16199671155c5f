package timeline

import (
	"time"

	"github.com/podclock/podclock/harness/delay"
)

// Build makes a timeline from the evidence and the node's delays.
func Build(e Evidence, delays delay.Record) *Timeline {
	t := &Timeline{
		Pod:        e.Pod,
		Containers: map[string]*Container{},
		Cues:       e.Cues,
		API:        e.API,
		Events:     e.Events,
		Node:       e.Node,
		Known:      e.Known,
	}
	numbers := map[uint64]int{}
	for _, r := range e.Marks {
		if r.N > 0 {
			if r.N != numbers[r.Conn]+1 {
				t.doubt("marks of connection %d are missing: %d follows %d", r.Conn, r.N, numbers[r.Conn])
			}
			numbers[r.Conn] = r.N
		}
		t.add(r, delays)
	}
	if e.Cut != "" {
		t.doubt("%s", e.Cut)
	}
	for _, l := range e.Losses {
		t.doubt("%s (for %v)", l.Why, time.Duration(l.To-l.From).Round(time.Millisecond))
	}
	for _, c := range e.Cues {
		if c.Error != "" {
			t.doubt("cue %s failed: %s", c.What, c.Error)
		}
	}
	t.doubtRemoved(e.Removals)
	t.doubtMiscounted(delays)
	t.compareWithAPI(e.API, delays)
	t.compareWithCounters(e.Counters)
	return t
}
