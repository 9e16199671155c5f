package trial

import (
	"fmt"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
)

// Measure says what a claim measures: the time between two points, or something that is counted or read.
type Measure struct {
	// From and To enclose a time.
	From, To Point
	// apart says that only the length of the time counts, not which point came first.
	apart bool
	// counted is what is counted or read instead.
	counted counted
	// kind is the probe that is counted, or the reason of an event.
	kind string
	// other is the second probe of a measure that speaks of two.
	other string
	// number is the cue that is spoken of, from 1.
	number int
	// at is when it can be counted: a life and container, or a point of the pod.
	at Point
	// mark is the point of the pod that a count begins or ends with.
	mark Point
	// within is how long after at it is counted, for a count that needs no death.
	within time.Duration
}

// Between measures the time from one point to another.
func Between(from, to Point) Measure { return Measure{From: from, To: to} }

// Apart measures the time between two points of which either may be the first.
func Apart(a, b Point) Measure { return Measure{From: a, To: b, apart: true} }

// Of is the same measure of another container.
func (m Measure) Of(container string) Measure {
	if m.counted == "" {
		m.From, m.To = m.From.ofMain(container), m.To.ofMain(container)
	}
	m.at = m.at.ofMain(container)
	return m
}

// StartsProcess says whether the point is the first mark of a process, so that its start is part of what
// the mark is late.
func (p Point) StartsProcess(tl *timeline.Timeline) bool {
	switch p.event {
	case started, hookBegan, postStartBegan:
		return true
	case firstProbe, lastProbe, nthProbe, answered:
		from, life := p.In(tl), tl.Life(p.container, p.life)
		return from != nil && life != nil &&
			slices.ContainsFunc(
				life.Probes,
				func(seen timeline.Probe) bool { return seen.At == *from && seen.Handler == "exec" },
			)
	}
	return false
}

func (p Point) ofMain(container string) Point {
	if p.container != "" {
		p.container = container
	}
	return p
}

// String is the measure's stable name.
func (m Measure) String() string {
	switch {
	case m.apart:
		return m.From.String() + "-and-" + m.To.String() + "-apart"
	case m.counted == "":
		return m.From.String() + "-to-" + m.To.String()
	}
	s := string(m.counted)
	if m.kind != "" {
		s = m.kind + "-" + s
	}
	if m.other != "" {
		s += "-before-" + m.other
	}
	if m.counted == inARow {
		s += "-until-" + m.mark.String()
	} else if m.mark.event != "" {
		s += "-since-" + m.mark.String()
	}
	if m.number > 1 {
		s = fmt.Sprintf("%s-no%d", s, m.number)
	}
	if m.at.container != "" && m.at.container != Main {
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

// Container is the container that the measured life belongs to.
func (m Measure) Container() string {
	if m.counted == "" {
		if m.To.container != "" {
			return m.To.container
		}
		return m.From.container
	}
	return m.at.container
}

// LifeNumber is the life that the measure ends in.
func (m Measure) LifeNumber() int {
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

// Read measures a timeline. It returns nil while something is missing, and names it.
func (m Measure) Read(t *timeline.Timeline) (*Measured, string) {
	if m.counted == "" {
		return m.between(t)
	}
	return m.count(t)
}

func (m Measure) between(t *timeline.Timeline) (*Measured, string) {
	from, to := m.From.In(t), m.To.In(t)
	switch {
	case from == nil:
		return nil, m.From.String()
	case to == nil:
		return nil, m.To.String()
	}
	if m.apart && to.At < from.At {
		from, to = to, from
	}
	return &Measured{
		Unit: formula.Nanoseconds, Value: to.At - from.At,
		Less: to.Early + from.Late, More: to.Late + from.Early,
		From: from.At, To: to.At,
	}, ""
}

// Widen returns a window with the observer's error as one more term.
func (m Measured) Widen(w formula.Window) formula.Window {
	if m.Less == 0 && m.More == 0 {
		return w
	}
	return w.With(formula.Term{Name: "observer", Earliest: -m.More, Latest: m.Less})
}

// IsEvent reports whether the point is an event of the API.
func (p Point) IsEvent() bool { return p.event == eventSeen }

// EndsWaiting reports whether the measure ends when the API shows a container that waits.
func (m Measure) EndsWaiting() bool { return m.To.event == waiting }

// CountsEnds reports whether the measure counts how often a life ended.
func (m Measure) CountsEnds() bool { return m.counted == ends }

// InOneMessage reports whether one message holds the whole value.
func (m Measure) InOneMessage() bool { return m.counted == stopSignal || m.counted == cueStatus }

// OfDeletion reports whether the measure reads what the API shows of the pod's deletion.
func (m Measure) OfDeletion() bool { return m.counted == deletionGrace || m.counted == deletionShift }

// QuietPeriod returns how long after its instant the measure takes it for a fact that the API showed no change,
// in nanoseconds.
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

// EndsAtSync reports whether the measure ends in a pull or in a later life than it began in. Both begin when the
// pod worker first syncs the pod after a back-off; its syncs are ten to fifteen seconds apart.
func (m Measure) EndsAtSync() bool {
	return m.To.event == pulled || max(1, m.To.life) > max(1, m.From.life)
}
