package trial

import (
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
)

// deletion reads what the API shows of the pod's deletion after a cue.
func (m Measure) deletion(t *timeline.Timeline) (int64, formula.Unit, string) {
	cue := t.Cues[m.number-1].At
	settled := cue.At + cue.Late + int64(unchangedAfter)
	var first, before, after *timeline.Change
	for i := range t.API {
		c := &t.API[i]
		if c.Pod != "" || c.DeletionGracePeriodSeconds == nil {
			continue
		}
		if first == nil {
			first = c
		}
		switch {
		case c.At.At < cue.At:
			before = c
		case after == nil, sameDeletion(after, before) && c.At.At <= settled:
			after = c // what only says once more what stood before may have been on its way when the cue was given
		}
	}
	switch {
	case after == nil && first != nil && t.Known > settled:
		// The cue changed nothing, so the watch had nothing to tell: what was there still stands.
		after = last(t)
	case after == nil:
		return 0, "", "deletion in the API"
	}
	if m.counted == deletionGrace {
		return *after.DeletionGracePeriodSeconds, formula.Seconds, ""
	}
	return after.DeletionTimestamp - first.DeletionTimestamp, formula.Seconds, ""
}

// sameDeletion says whether two changes show the same deletion.
func sameDeletion(a, b *timeline.Change) bool {
	return b != nil && *a.DeletionGracePeriodSeconds == *b.DeletionGracePeriodSeconds &&
		a.DeletionTimestamp == b.DeletionTimestamp
}

// unchangedAfter is how long after a cue what the watch tells may still be of before it, and how long it
// must have been silent before the object counts as unchanged.
const unchangedAfter = time.Second

// last is the newest change of the first pod that shows its deletion.
func last(t *timeline.Timeline) *timeline.Change {
	for i := len(t.API) - 1; i >= 0; i-- {
		if c := &t.API[i]; c.Pod == "" && c.DeletionGracePeriodSeconds != nil {
			return c
		}
	}
	return nil
}
