package trial

import (
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/timeline"
)

const (
	// unchangedAfter is how long after a cue the watch may still show the state before it. If the watch shows nothing
	// for that long, the object is unchanged.
	unchangedAfter = time.Second
	// shownWithin is how long after its start the API shows a life.
	shownWithin = 2 * time.Second
)

// QuietPeriod returns for how long after its instant the API must show no change before the measure reads it, in
// nanoseconds.
func (m Measure) QuietPeriod(tl *timeline.Timeline) int64 {
	switch {
	case m.counted == restartCount:
		return int64(shownWithin)
	case m.OfDeletion():
		if cue := m.at.In(tl); cue != nil {
			return cue.Late + int64(unchangedAfter)
		}
	}
	return 0
}

// deletion reads what the API shows of the pod's deletion after a cue.
func (m Measure) deletion(t *timeline.Timeline) (int64, string) {
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
			after = c // a repetition of the state before may have been on its way when the cue came
		}
	}
	switch {
	case after == nil && first != nil && t.Known > settled:
		// The cue changed nothing, so the watch showed nothing: the newest state is still true.
		after = last(t)
	case after == nil:
		return 0, "deletion in the API"
	}
	if m.counted == deletionGrace {
		return *after.DeletionGracePeriodSeconds, ""
	}
	return after.DeletionTimestamp - first.DeletionTimestamp, ""
}

func sameDeletion(a, b *timeline.Change) bool {
	return b != nil && *a.DeletionGracePeriodSeconds == *b.DeletionGracePeriodSeconds &&
		a.DeletionTimestamp == b.DeletionTimestamp
}

// last returns the newest change of the Pod that shows its deletion, or nil.
func last(t *timeline.Timeline) *timeline.Change {
	for i := len(t.API) - 1; i >= 0; i-- {
		if c := &t.API[i]; c.Pod == "" && c.DeletionGracePeriodSeconds != nil {
			return c
		}
	}
	return nil
}

func (m Measure) isCondition(c timeline.Change) bool {
	return slices.ContainsFunc(c.Conditions, func(is string) bool { return strings.ToLower(is) == m.kind })
}

func (m Measure) isReason(c timeline.Change) bool { return strings.ToLower(c.Reason) == m.kind }

// shown returns 1 if the newest change of the Pod until an instant has a property, else 0.
func shown(t *timeline.Timeline, at int64, has func(timeline.Change) bool) int64 {
	n := int64(0)
	for _, c := range t.API {
		if c.Pod != "" || c.At.At > at {
			continue
		}
		n = 0
		if has(c) {
			n = 1
		}
	}
	return n
}

// lost counts the changes that show a condition as no longer true between two instants.
func lost(t *timeline.Timeline, condition string, from, until int64) int64 {
	n, was := int64(0), false
	for i := range t.API {
		c := &t.API[i]
		if c.Pod != "" {
			continue
		}
		is := slices.Contains(c.Conditions, condition)
		if was && !is && c.At.At > from && c.At.At <= until {
			n++
		}
		was = is
	}
	return n
}

// reason returns the event that the measure counts: of the pod, or of one container other than Main.
func (m Measure) reason() Point {
	e := Event(m.kind)
	if m.at.container != Main {
		e.container = m.at.container
	}
	return e
}

func eventsUntil(t *timeline.Timeline, of Point, until int64) int64 {
	n := len(t.Events)
	for n > 0 && t.Events[n-1].At.At > until {
		n--
	}
	return int64(countOfEvents(t.Events[:n], of))
}

// restartsOf returns the restartCount of the newest running state that the API shows of a life. The watch may show it
// before the mark of the start arrives, but not before the life before it ended.
func restartsOf(t *timeline.Timeline, life *timeline.Life, container string) (int64, string) {
	from, to := life.Started.At-int64(unchangedAfter), t.Known
	if life.Gone != nil {
		to = life.Gone.At
	}
	count, seen := int64(0), false
	if t.Known < life.Started.At+int64(shownWithin) && life.Gone == nil {
		return 0, "restartCount in the API"
	}
	for _, c := range t.API {
		for _, s := range c.Containers {
			if s.Name == container && s.State == "running" && c.At.At >= from && c.At.At <= to {
				count, seen = int64(s.RestartCount), true
			}
		}
	}
	if !seen {
		return 0, "restartCount in the API"
	}
	return count, ""
}
