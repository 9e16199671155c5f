package trial

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
)

type counted string

const (
	failingProbes counted = "failing-probes"
	probes        counted = "probes"
	hookRuns      counted = "hook-runs"
	stopSignals   counted = "sigterms"
	ends          counted = "ends"
	exitCode      counted = "exit-code"
	events        counted = "events"
	restartCount  counted = "restart-count"
	deletionGrace counted = "deletion-grace"
	deletionShift counted = "deletion-shift"
	cueStatus     counted = "cue-status"
	hasCondition  counted = "condition"
	hasReason     counted = "reason"
	objects       counted = "objects"
	stopSignal    counted = "stop-signal"
)

// FailingProbes counts, once a life is over, the failing probes of a kind that it saw since its last success.
func FailingProbes(kind string, life int) Measure {
	return Measure{counted: failingProbes, kind: kind, at: Gone.Life(life)}
}

// Probes counts, once a life is over, the probes of a kind that it saw.
func Probes(kind string, life int) Measure {
	return Measure{counted: probes, kind: kind, at: Gone.Life(life)}
}

// ProbesBefore counts, once a life is over, the probes of a kind that it saw before the first one of another kind.
func ProbesBefore(kind, other string, life int) Measure {
	return Measure{counted: probes, kind: kind, other: other, at: Gone.Life(life)}
}

// HookRuns counts the runs of a life's preStop hook, once it is dead.
func HookRuns() Measure { return Measure{counted: hookRuns, at: Gone} }

// StopSignals counts the stop signals of a life, once it is dead.
func StopSignals() Measure { return Measure{counted: stopSignals, at: Gone} }

// StopSignal is the number, as Linux has it, of the first stop signal of a life.
func StopSignal() Measure { return Measure{counted: stopSignal, at: SIGTERM} }

// EndsWithin counts how often the first life was ended in a time after its start, by a signal or by death.
func EndsWithin(d time.Duration) Measure {
	return Measure{counted: ends, at: Started, within: d}
}

// ProbesWithin counts the probes of a kind that the first life saw in a time after its start.
func ProbesWithin(kind string, d time.Duration) Measure {
	return Measure{counted: probes, kind: kind, at: Started, within: d}
}

// DeathCode is the exit code of the first life, as the API shows it; Life chooses another.
func DeathCode() Measure { return Measure{counted: exitCode, at: Gone} }

// Events counts the events of one reason about the pod until so long after a point. What clients merge or
// drop is missing from it.
func Events(reason string, after Point, within time.Duration) Measure {
	return Measure{counted: events, kind: reason, at: after, within: within}
}

// RestartCount is the container's restartCount that the API shows with the running state of a life.
func RestartCount(life int) Measure { return Measure{counted: restartCount, at: Started.Life(life)} }

// DeletionGrace is the deletionGracePeriodSeconds that the API shows after the cue of this number.
func DeletionGrace(cue int) Measure {
	return Measure{counted: deletionGrace, number: cue, at: Cued.Number(cue)}
}

// DeletionShift is by how many seconds deletionTimestamp is later, after the cue of this number, than it was first.
func DeletionShift(cue int) Measure {
	return Measure{counted: deletionShift, number: cue, at: Cued.Number(cue)}
}

// CueStatus is the HTTP status with which the API server refused the cue of this number, 0 for one it obeyed.
func CueStatus(cue int) Measure {
	return Measure{counted: cueStatus, number: cue, at: Cued.Number(cue)}
}

// HasCondition is whether the API shows a condition of the pod to be true so long after a point of the pod: 1 or 0.
func HasCondition(name string, after Point, within time.Duration) Measure {
	return Measure{counted: hasCondition, kind: strings.ToLower(name), at: after, within: within}
}

// HasReason is whether the API shows a reason of the pod's phase, such as Evicted, so long after a point of
// the pod: 1 or 0.
func HasReason(name string, after Point, within time.Duration) Measure {
	return Measure{counted: hasReason, kind: strings.ToLower(name), at: after, within: within}
}

// Objects is whether the pod's object is still there so long after a point of the pod: 1 or 0.
func Objects(after Point, within time.Duration) Measure {
	return Measure{counted: objects, at: after, within: within}
}

// Life is the same count of another life.
func (m Measure) Life(n int) Measure { m.at.life = n; return m }

// count counts or reads what is asked for. It returns nil while something is missing, and names it.
func (m Measure) count(t *timeline.Timeline) (*Measured, string) {
	end := m.at.In(t)
	if end == nil {
		return nil, m.at.String()
	}
	life := t.Life(m.at.container, m.at.life)
	from, until := end.At, end.At
	if life != nil && life.Started != nil {
		from = life.Started.At
	}
	if m.within > 0 {
		until = end.At + int64(m.within)
		// a dead life ends and is probed no more
		over := life != nil && life.Gone != nil && (m.counted == ends || m.counted == probes)
		if t.Known < until && !over {
			return nil, fmt.Sprintf("%v after %s", m.within, m.at)
		}
	}
	value, unit, missing := m.read(t, life, end.At, until)
	if missing != "" {
		return nil, missing
	}
	return &Measured{Unit: unit, Value: value, From: from, To: until}, ""
}

// read is the value at a point that has come. The life is nil for points of the pod.
func (m Measure) read(
	t *timeline.Timeline,
	life *timeline.Life,
	at, until int64,
) (value int64, unit formula.Unit, missing string) {
	switch m.counted {
	case failingProbes:
		if life.SIGTERM() == nil {
			// the life ended by itself: nobody's probe killed it
			return 0, "", SIGTERM.Of(m.at.container).Life(m.at.life).String()
		}
		return int64(life.FailedInARow(m.kind)), formula.Count, ""
	case inARow:
		return m.countProbes(t, life)
	case losses:
		return lost(t, m.kind, at, until), formula.Count, ""
	case probes:
		if m.mark.event != "" {
			return m.countProbes(t, life)
		}
		return m.probes(life, until), formula.Count, ""
	case hookRuns:
		return int64(len(life.Hooks)), formula.Count, ""
	case stopSignals:
		return int64(len(life.SIGTERMs)), formula.Count, ""
	case stopSignal:
		return signals[life.Signal], formula.Signal, ""
	case ends:
		if term := life.SIGTERM(); term != nil && term.At <= until || life.Gone != nil && life.Gone.At <= until {
			return 1, formula.Count, ""
		}
		return 0, formula.Count, ""
	case exitCode:
		if life.ExitCode == nil {
			return 0, "", "exit code in the API"
		}
		return int64(*life.ExitCode), formula.ExitCode, ""
	case events:
		return eventsUntil(t, m.reason(), until), formula.Count, ""
	case cueStatus:
		return int64(t.Cues[m.number-1].Status), formula.Status, ""
	case starts:
		return startsUntil(t, m.kind, until), formula.Count, ""
	case hasCondition:
		return conditionAt(t, m.kind, until), formula.Count, ""
	case hasReason:
		return reasonAt(t, m.kind, until), formula.Count, ""
	case objects:
		if t.ObjectDeleted != nil && t.ObjectDeleted.At <= until {
			return 0, formula.Count, ""
		}
		return 1, formula.Count, ""
	case restartCount:
		return restartsOf(t, life, m.at.container)
	}
	return m.deletion(t)
}

// signals are the numbers that Linux gives the stop signals which a victim knows.
var signals = map[string]int64{"SIGINT": 2, "SIGQUIT": 3, "SIGUSR1": 10, "SIGTERM": 15}

func (m Measure) probes(life *timeline.Life, until int64) int64 {
	n := int64(0)
	for _, p := range life.Probes {
		if m.other != "" && p.For == m.other {
			break
		}
		if p.For == m.kind && (m.within == 0 || p.At.At <= until) {
			n++
		}
	}
	return n
}

// conditionAt is 1 where the API showed a condition of the first pod, by its type in lower case, to be true
// at an instant.
func conditionAt(t *timeline.Timeline, name string, at int64) int64 {
	n := int64(0)
	for _, c := range t.API {
		if c.Pod != "" || c.At.At > at {
			continue
		}
		n = 0
		if slices.ContainsFunc(c.Conditions, func(is string) bool { return strings.ToLower(is) == name }) {
			n = 1
		}
	}
	return n
}

// reasonAt is 1 where the API gave a reason, in lower case, for the first pod's phase at an instant.
func reasonAt(t *timeline.Timeline, name string, at int64) int64 {
	n := int64(0)
	for _, c := range t.API {
		switch {
		case c.Pod != "" || c.At.At > at:
		case strings.ToLower(c.Reason) == name:
			n = 1
		default:
			n = 0
		}
	}
	return n
}

// reason is the event that a measure counts: any of the pod's, or those of one container where the measure
// is of another than Main.
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

// restartsOf is the restartCount of the newest running state that the API shows of a life. The watch may
// show it earlier than the mark of the start comes, but not before the life before has ended.
func restartsOf(t *timeline.Timeline, life *timeline.Life, container string) (int64, formula.Unit, string) {
	from, to := life.Started.At-int64(unchangedAfter), t.Known
	if life.Gone != nil {
		to = life.Gone.At
	}
	count, seen := int64(0), false
	if t.Known < life.Started.At+int64(shownWithin) && life.Gone == nil {
		return 0, "", "restartCount in the API"
	}
	for _, c := range t.API {
		for _, s := range c.Containers {
			if s.Name == container && s.State == "running" && c.At.At >= from && c.At.At <= to {
				count, seen = int64(s.RestartCount), true
			}
		}
	}
	if !seen {
		return 0, "", "restartCount in the API"
	}
	return count, formula.Count, ""
}

// shownWithin is how long after its start a life is taken to be shown by the API.
const shownWithin = 2 * time.Second
