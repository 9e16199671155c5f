package trial

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Measured is a measured value with the observer's error.
type Measured struct {
	Unit  formula.Unit `json:"unit"`
	Value int64        `json:"value"`
	// Less and More are how much smaller or larger the true value can be.
	Less int64 `json:"less,omitempty"`
	More int64 `json:"more,omitempty"`
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Widen adds the observer's error to a window.
func (m Measured) Widen(w formula.Window) formula.Window {
	if m.Less == 0 && m.More == 0 {
		return w
	}
	return w.With(formula.Term{Name: "observer", Earliest: -m.More, Latest: m.Less})
}

// Missing returns the first point that a claim still waits for, or "".
func Missing(t Trial, tl *timeline.Timeline, k formula.Kubelet) string {
	for _, c := range t.Claims {
		if c.Lacks(k) != "" {
			continue
		}
		if m, missing := c.Measure.Read(tl); m == nil && !c.Measure.skipped(tl) {
			return missing
		}
	}
	return ""
}

// skipped reports whether the measure ends at a waiting state that nobody saw and that is over.
func (m Measure) skipped(tl *timeline.Timeline) bool {
	next := tl.Life(m.To.Container, m.To.LifeNumber+1)
	return m.EndsWaiting() && m.To.In(tl) == nil && next != nil && next.Started != nil &&
		next.Started.At+int64(shownWithin) <= tl.Known
}

// Began returns when a time began, 0 if it did not and for counts.
func (m Measure) Began(tl *timeline.Timeline) int64 {
	if m.counted != "" {
		return 0
	}
	if from := m.From.In(tl); from != nil {
		return from.At
	}
	return 0
}

// Read measures a timeline. It returns nil and what is missing if the value is not complete.
func (m Measure) Read(t *timeline.Timeline) (*Measured, string) {
	switch {
	case m.counted == "":
		return m.between(t)
	case m.OfReports():
		return m.countMisreports(t), ""
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

func (m Measure) count(t *timeline.Timeline) (*Measured, string) {
	end := m.at.In(t)
	if end == nil {
		return nil, m.at.String()
	}
	life := t.Life(m.at.Container, m.at.LifeNumber)
	from, until := end.At, end.At
	if life != nil && life.Started != nil {
		from = life.Started.At
	}
	if m.within > 0 {
		until = end.At + int64(m.within)
		over := life != nil && life.Gone != nil && (m.counted == ends || m.counted == probes)
		if t.Known < until && !over {
			return nil, fmt.Sprintf("%v after %s", m.within, m.at)
		}
	}
	value, missing := m.read(t, life, end.At, until)
	if missing != "" {
		return nil, missing
	}
	return &Measured{Unit: cmp.Or(units[m.counted], formula.Count), Value: value, From: from, To: until}, ""
}

// read returns the value at a point that has come. life is nil for points of the pod.
func (m Measure) read(t *timeline.Timeline, life *timeline.Life, at, until int64) (value int64, missing string) {
	switch m.counted {
	case failingProbes:
		if life.SIGTERM() == nil {
			// The life ended by itself.
			return 0, SIGTERM.Of(m.at.Container).Life(m.at.LifeNumber).String()
		}
		return int64(life.FailedInARow(m.kind)), ""
	case inARow:
		return m.countProbes(t, life)
	case losses:
		return lost(t, m.kind, at, until), ""
	case probes:
		if m.mark.Event != "" {
			return m.countProbes(t, life)
		}
		return m.probes(life, until), ""
	case hookRuns:
		return int64(len(life.Hooks)), ""
	case stopSignals:
		return int64(len(life.SIGTERMs)), ""
	case stopSignal:
		return signals[life.Signal], ""
	case ends:
		return endedUntil(life, until), ""
	case ended:
		return endedUntil(t.Life(m.kind, 1), until), ""
	case exitCode, endReason:
		switch {
		case life.ExitCode == nil:
			return 0, "exit code in the API"
		case m.counted == exitCode:
			return int64(*life.ExitCode), ""
		case strings.EqualFold(life.EndReason, m.kind):
			return 1, ""
		}
		return 0, ""
	case events:
		return eventsUntil(t, m.reason(), until), ""
	case faultStatus:
		return int64(t.Faults[m.number-1].Status), ""
	case starts:
		return startsUntil(t, m.kind, until), ""
	case hasCondition:
		return shown(t, m.at.companion(), until, m.isCondition), ""
	case hasReason:
		return shown(t, m.at.companion(), until, m.isReason), ""
	case objects:
		if t.ObjectDeleted != nil && t.ObjectDeleted.At <= until {
			return 0, ""
		}
		return 1, ""
	case restartCount:
		return restartsOf(t, life, m.at.Container)
	}
	return m.deletion(t)
}

var units = map[counted]formula.Unit{
	stopSignal: formula.Signal, exitCode: formula.ExitCode, faultStatus: formula.Status,
	deletionGrace: formula.Seconds, deletionShift: formula.Seconds,
}

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

func (m Measure) countProbes(t *timeline.Timeline, life *timeline.Life) (int64, string) {
	mark := m.mark.In(t)
	if mark == nil {
		return 0, m.mark.String()
	}
	if m.counted == inARow {
		return streak(life, m.kind, *mark), ""
	}
	later := slices.DeleteFunc(slices.Clone(life.Probes), func(p timeline.Probe) bool {
		return p.For != m.kind || p.At.At <= mark.At
	})
	return int64(len(later)), ""
}

// streak counts a life's last probes of a kind with the same result before an instant. The API can show a result before
// the probe's mark arrives, so a probe counts from its earliest time.
func streak(l *timeline.Life, kind string, until timeline.Instant) int64 {
	n, failed := int64(0), false
	for _, p := range l.Probes {
		if p.For != kind || p.At.At-p.At.Early >= until.At+until.Late {
			continue
		}
		if fails := timeline.Fails(p.Answer); fails != failed {
			n, failed = 0, fails
		}
		n++
	}
	return n
}

func endedUntil(l *timeline.Life, until int64) int64 {
	if l == nil || !came(l.SIGTERM(), until) && !came(l.Gone, until) {
		return 0
	}
	return 1
}

func startsUntil(t *timeline.Timeline, container string, until int64) int64 {
	c := t.Containers[cmp.Or(container, Main)]
	if c == nil {
		return 0
	}
	return int64(len(slices.DeleteFunc(slices.Clone(c.Lives), func(l *timeline.Life) bool {
		return !came(l.Connected, until) && !came(l.Started, until)
	})))
}

// countMisreports returns the number of misreports, from the first one to the last one.
func (m Measure) countMisreports(t *timeline.Timeline) *Measured {
	v := &Measured{Unit: formula.Count}
	for _, wrong := range m.misreports(t) {
		v.Value, v.From, v.To = v.Value+1, cmp.Or(v.From, wrong.At), wrong.At
	}
	return v
}
