package sentences

import (
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Event is what happens to a pod in a timeline.
type Event struct {
	Cause   formula.Cause
	Variant string
}

func (e Event) String() string {
	if e.Variant == "" {
		return string(e.Cause)
	}
	return string(e.Cause) + " " + e.Variant
}

// Longest returns a container's longest timeline of the event, or nil.
func (e Event) Longest(c predict.Container) (longest *predict.Timeline) {
	for i, t := range c.Timelines {
		if (Event{t.Cause, t.Variant}) == e {
			longest = &c.Timelines[i] // the longest is the last
		}
	}
	return longest
}
