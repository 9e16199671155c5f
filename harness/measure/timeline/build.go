package timeline

import (
	"time"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/mark"
)

// Build makes a timeline from the evidence and the node's delays.
func Build(e Evidence, delays delay.Record) *Timeline {
	t := &Timeline{
		Pod:        e.Pod,
		Containers: map[string]*Container{},
		Faults:     e.Faults,
		Versions:   e.API,
		API:        e.Changes(),
		Events:     e.Events,
		Calls:      e.Calls,
		Node:       e.Node,
		Endpoints:  e.Endpoints,
		Known:      e.Known,
		Cut:        e.Cut,
		Compared:   map[Report]int{},
	}
	last := map[uint64]mark.Record{}
	for _, r := range e.Marks {
		if r.N > 0 {
			if before := last[r.Conn]; r.N != before.N+1 {
				t.doubt(r.Container, before.At, "marks of connection %d are missing: %d follows %d",
					r.Conn, r.N, before.N)
			}
			last[r.Conn] = r
		}
		t.add(r, delays)
	}
	for _, l := range e.Losses {
		t.doubt("", l.From, "%s (for %v)", l.Why, time.Duration(l.To-l.From).Round(time.Millisecond))
	}
	for _, c := range e.Faults {
		if c.Error != "" {
			t.doubt("", c.At.At, "fault %s failed: %s", c.What, c.Error)
		}
	}
	t.collect(e.Removals)
	t.doubtMiscounted(delays)
	t.compareWithAPI(t.API, delays)
	t.compareWithCounters(e.Counters, delays)
	return t
}
