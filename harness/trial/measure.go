package trial

import (
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
)

// Main is the name of the container a claim speaks of unless it says otherwise.
const Main = "victim"

// Point is one instant of a timeline, by name.
type Point struct {
	event     event
	container string
	life      int
	kind      string
}

type event string

const (
	cued          event = "cue"
	started       event = "start"
	hookBegan     event = "hook-begin"
	hookEnded     event = "hook-end"
	sigterm       event = "sigterm"
	gone          event = "death"
	objectDeleted event = "object-deleted"
	firstProbe    event = "first-probe"
	lastProbe     event = "last-probe"
)

// The points of a timeline. Those of a life are of life 1 of the container Main unless Life and Of say otherwise.
var (
	Cued          = Point{event: cued}
	ObjectDeleted = Point{event: objectDeleted}
	Started       = Point{event: started, container: Main, life: 1}
	HookBegan     = Point{event: hookBegan, container: Main, life: 1}
	HookEnded     = Point{event: hookEnded, container: Main, life: 1}
	SIGTERM       = Point{event: sigterm, container: Main, life: 1}
	Gone          = Point{event: gone, container: Main, life: 1}
)

// FirstProbe is the first probe of a kind ("liveness", "readiness", "startup") that reached a life.
func FirstProbe(kind string) Point {
	return Point{event: firstProbe, container: Main, life: 1, kind: kind}
}

// LastProbe is the last probe of a kind before a life's SIGTERM.
func LastProbe(kind string) Point {
	return Point{event: lastProbe, container: Main, life: 1, kind: kind}
}

// Life is the same point in another life.
func (p Point) Life(n int) Point { p.life = n; return p }

// Of is the same point of another container.
func (p Point) Of(container string) Point { p.container = container; return p }

// String is the point's stable name.
func (p Point) String() string {
	s := string(p.event)
	if p.kind != "" {
		s = p.kind + "-" + s
	}
	if p.container != "" && p.container != Main {
		s = p.container + "-" + s
	}
	if p.life > 1 {
		s = fmt.Sprintf("%s-%d", s, p.life)
	}
	return s
}

// in finds the point on a timeline, nil when it is not there (yet).
func (p Point) in(t *timeline.Timeline) *timeline.Instant {
	switch p.event {
	case cued:
		if len(t.Cues) == 0 {
			return nil
		}
		return &t.Cues[0].At
	case objectDeleted:
		return t.ObjectDeleted
	}
	l := t.Life(p.container, p.life)
	if l == nil {
		return nil
	}
	switch p.event {
	case started:
		return l.Started
	case sigterm:
		return l.SIGTERM()
	case gone:
		return l.Gone
	case hookBegan:
		if len(l.Hooks) > 0 {
			return &l.Hooks[0].Began
		}
	case hookEnded:
		if len(l.Hooks) > 0 {
			return l.Hooks[0].Ended
		}
	case firstProbe:
		return firstProbeOf(l, p.kind)
	case lastProbe:
		return lastProbeOf(l, p.kind)
	}
	return nil
}

// firstProbeOf is the arrival of the first probe of a kind in a life, nil when none came.
func firstProbeOf(l *timeline.Life, kind string) *timeline.Instant {
	for i := range l.Probes {
		if l.Probes[i].For == kind {
			return &l.Probes[i].At
		}
	}
	return nil
}

// lastProbeOf is the arrival of the last probe of a kind before a life's SIGTERM, nil when none came or no SIGTERM did.
func lastProbeOf(l *timeline.Life, kind string) *timeline.Instant {
	term := l.SIGTERM()
	if term == nil {
		return nil
	}
	for i := len(l.Probes) - 1; i >= 0; i-- {
		if p := &l.Probes[i]; p.For == kind && p.At.At <= term.At {
			return &p.At
		}
	}
	return nil
}

// Measure says what a claim measures: the time between two points, or a count within a life.
type Measure struct {
	// From and To enclose a time.
	From, To Point
	// counted is what is counted instead.
	counted counted
	// kind is the probe that is counted.
	kind string
	// at is the life and container the count is of.
	at Point
	// within is how long after its start the life is watched, for a count that needs no death.
	within time.Duration
}

type counted string

const (
	failingProbes counted = "failing-probes"
	probes        counted = "probes"
	hookRuns      counted = "hook-runs"
	stopSignals   counted = "sigterms"
	ends          counted = "ends"
	exitCode      counted = "exit-code"
)

// Between measures the time from one point to another.
func Between(from, to Point) Measure { return Measure{From: from, To: to} }

// FailingProbes counts, once a life is over, the failing probes of a kind that it saw since its last success.
func FailingProbes(kind string, life int) Measure {
	return Measure{counted: failingProbes, kind: kind, at: Gone.Life(life)}
}

// Probes counts, once a life is over, the probes of a kind that it saw.
func Probes(kind string, life int) Measure {
	return Measure{counted: probes, kind: kind, at: Gone.Life(life)}
}

// HookRuns counts the runs of a life's preStop hook, once it is dead.
func HookRuns() Measure { return Measure{counted: hookRuns, at: Gone} }

// StopSignals counts the SIGTERMs of a life, once it is dead.
func StopSignals() Measure { return Measure{counted: stopSignals, at: Gone} }

// EndsWithin counts how often the first life was ended in a time after its start, by a signal or by death.
func EndsWithin(d time.Duration) Measure {
	return Measure{counted: ends, at: Started, within: d}
}

// ProbesWithin counts the probes of a kind that the first life saw in a time after its start.
func ProbesWithin(kind string, d time.Duration) Measure {
	return Measure{counted: probes, kind: kind, at: Started, within: d}
}

// DeathCode is the exit code of the first life, as the API shows it.
func DeathCode() Measure { return Measure{counted: exitCode, at: Gone} }

// Of is the same measure of another container.
func (m Measure) Of(container string) Measure {
	if m.counted == "" {
		m.From, m.To = m.From.ofMain(container), m.To.ofMain(container)
	}
	m.at = m.at.ofMain(container)
	return m
}

func (p Point) ofMain(container string) Point {
	if p.container != "" {
		p.container = container
	}
	return p
}

// String is the measure's stable name.
func (m Measure) String() string {
	if m.counted == "" {
		return m.From.String() + "-to-" + m.To.String()
	}
	s := string(m.counted)
	if m.kind != "" {
		s = m.kind + "-" + s
	}
	if m.at.container != Main {
		s = m.at.container + "-" + s
	}
	if m.within > 0 {
		s = fmt.Sprintf("%s-within-%v", s, m.within)
	}
	if m.at.life > 1 {
		s = fmt.Sprintf("%s-%d", s, m.at.life)
	}
	return s
}

// container is the container that the measured life belongs to.
func (m Measure) container() string {
	if m.counted == "" {
		return m.To.container
	}
	return m.at.container
}

// life is the life that the measure ends in.
func (m Measure) life() int {
	if m.counted == "" {
		return max(1, m.To.life, m.From.life)
	}
	return max(1, m.at.life)
}

// Measured is a measured value with its observer error.
type Measured struct {
	Unit  formula.Unit `json:"unit"`
	Value int64        `json:"value"`
	// Less and More are how much smaller or larger the true value can be.
	Less int64 `json:"less,omitempty"`
	More int64 `json:"more,omitempty"`
	// From and To are the span of the recorder's clock in which it was measured.
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// of measures a timeline. It returns nil while something is missing, and names it.
func (m Measure) of(t *timeline.Timeline) (*Measured, string) {
	if m.counted == "" {
		return m.between(t)
	}
	end := m.at.in(t)
	if end == nil {
		return nil, m.at.String()
	}
	life := t.Life(m.at.container, m.at.life)
	from := *end
	if life.Started != nil {
		from = *life.Started
	}
	until := end.At
	if m.within > 0 {
		until = end.At + int64(m.within)
		if t.Known < until && life.Gone == nil {
			return nil, fmt.Sprintf("%v after %s", m.within, m.at)
		}
	}
	value, unit := int64(0), formula.Count
	switch m.counted {
	case failingProbes:
		if life.SIGTERM() == nil {
			return nil, SIGTERM.Of(m.at.container).Life(m.at.life).String() // the life ended by itself: nobody's probe killed it
		}
		value = int64(life.FailedInARow(m.kind))
	case probes:
		for _, p := range life.Probes {
			if p.For == m.kind && (m.within == 0 || p.At.At <= until) {
				value++
			}
		}
	case hookRuns:
		value = int64(len(life.Hooks))
	case stopSignals:
		value = int64(len(life.SIGTERMs))
	case ends:
		if term := life.SIGTERM(); term != nil && term.At <= until || life.Gone != nil && life.Gone.At <= until {
			value = 1
		}
	case exitCode:
		if life.ExitCode == nil {
			return nil, "exit code in the API"
		}
		value, unit = int64(*life.ExitCode), formula.ExitCode
	}
	return &Measured{Unit: unit, Value: value, From: from.At, To: until}, ""
}

func (m Measure) between(t *timeline.Timeline) (*Measured, string) {
	from, to := m.From.in(t), m.To.in(t)
	switch {
	case from == nil:
		return nil, m.From.String()
	case to == nil:
		return nil, m.To.String()
	}
	return &Measured{
		Unit: formula.Nanoseconds, Value: to.At - from.At,
		Less: to.Early + from.Late, More: to.Late + from.Early,
		From: from.At, To: to.At,
	}, ""
}
