package trial

import (
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/timeline"
)

const (
	// unchangedAfter is how long after a fault the watch may still show the state before it.
	unchangedAfter = time.Second
	shownWithin    = 2 * time.Second
)

// QuietPeriod returns for how long after its instant the API must show no change, in nanoseconds.
func (m Measure) QuietPeriod(tl *timeline.Timeline) int64 {
	switch {
	case m.counted == restartCount:
		return int64(shownWithin)
	case m.OfDeletion():
		if fault := m.at.In(tl); fault != nil {
			return fault.Late + int64(unchangedAfter)
		}
	}
	return 0
}

func (m Measure) deletion(t *timeline.Timeline) (int64, string) {
	fault := t.Faults[m.number-1].At
	settled := fault.At + fault.Late + int64(unchangedAfter)
	var before, after *timeline.Change
	shown := deletionsShown(t)
	for i := range shown {
		switch c := &shown[i]; {
		case c.At.At < fault.At:
			before = c
		case after == nil, sameDeletion(after, before) && c.At.At <= settled:
			after = c // a repetition of the state before may have been on its way when the fault came
		}
	}
	switch {
	case after == nil && before != nil && t.Known > settled:
		after = before // the fault changed nothing
	case after == nil:
		return 0, "deletion in the API"
	}
	if m.counted == deletionGrace {
		return *after.DeletionGracePeriodSeconds, ""
	}
	return after.DeletionTimestamp - shown[0].DeletionTimestamp, ""
}

// deletionsShown returns the changes that show the Pod's deletion by requests. The kubelet's own last request is left
// out: without a grace period, it deletes a pod that is being deleted and has ended (status_manager.go syncPod).
func deletionsShown(t *timeline.Timeline) (shown []timeline.Change) {
	running := func(s timeline.ContainerStatus) bool { return s.State == "running" }
	for _, c := range t.API {
		if c.Pod != "" || c.DeletionGracePeriodSeconds == nil {
			continue
		}
		ended := len(c.Containers) > 0 && !slices.ContainsFunc(c.Containers, running)
		if len(shown) > 0 && ended && *c.DeletionGracePeriodSeconds == 0 {
			break
		}
		shown = append(shown, c)
	}
	return shown
}

func sameDeletion(a, b *timeline.Change) bool {
	return b != nil && *a.DeletionGracePeriodSeconds == *b.DeletionGracePeriodSeconds &&
		a.DeletionTimestamp == b.DeletionTimestamp
}

func (m Measure) isCondition(c timeline.Change) bool {
	return slices.ContainsFunc(c.Conditions, func(is string) bool { return strings.ToLower(is) == m.kind })
}

func (m Measure) isReason(c timeline.Change) bool { return strings.ToLower(c.Reason) == m.kind }

// shown returns 1 if a pod's newest change until an instant has a property, else 0.
func shown(t *timeline.Timeline, companion string, at int64, has func(timeline.Change) bool) int64 {
	n := int64(0)
	for _, c := range t.API {
		if c.Pod != companion || c.At.At > at {
			continue
		}
		n = 0
		if has(c) {
			n = 1
		}
	}
	return n
}

func lost(t *timeline.Timeline, condition string, from, until int64) int64 {
	n, before := int64(0), timeline.Change{}
	for _, c := range t.API {
		if c.Pod != "" {
			continue
		}
		was, is := slices.Contains(before.Conditions, condition), slices.Contains(c.Conditions, condition)
		if was && !is && c.At.At > from && c.At.At <= until && !stopped(before, c) {
			n++
		}
		before = c
	}
	return n
}

// stopped reports whether a container that ran before a change does not run after it.
func stopped(before, after timeline.Change) bool {
	return slices.ContainsFunc(before.Containers, func(was timeline.ContainerStatus) bool {
		return was.State == "running" && slices.ContainsFunc(after.Containers, func(is timeline.ContainerStatus) bool {
			return is.Name == was.Name && is.State != "running"
		})
	})
}

func (m Measure) reason() Point {
	e := Event(m.kind)
	if m.at.Container != Main {
		e.Container = m.at.Container
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

// restartsOf returns the newest restartCount of a running life. The watch may show it before the mark of the start
// arrives, but not before the life before it ended.
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
