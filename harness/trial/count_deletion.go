package trial

import (
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
)

// deletion reads what the API shows of the pod's deletion after a cue.
func (m Measure) deletion(t *timeline.Timeline) (int64, formula.Unit, string) {
	cue := t.Cues[m.number-1].At
	var first, after *timeline.Change
	for i := range t.API {
		c := &t.API[i]
		if c.Pod != "" || c.DeletionGracePeriodSeconds == nil {
			continue
		}
		if first == nil {
			first = c
		}
		if after == nil && c.At.At >= cue.At {
			after = c
		}
	}
	switch {
	case after == nil && first != nil && t.Known > cue.At+cue.Late+int64(unchangedAfter):
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

// unchangedAfter is how long after a cue the watch must have been silent before the object counts as unchanged.
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
