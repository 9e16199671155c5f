package predict

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/formula"
)

// line is a timeline that is being drawn: each step counts on from an earlier one.
type line struct {
	Timeline
	// spec is what formulas may know of the container from its spec, facts what is assumed of it.
	spec, facts formula.Input
	// asked is what is assumed of all containers, where [Timeline.Assumes] is what that means to this one.
	asked Assumption
	// started is when life 1 started, on the timeline.
	started time.Duration
	// inputs are those made of spec and facts so far, by life: what is predicted of one life shares one.
	inputs []*formula.Input
	// early and late are the lives that have ended so far, each as early as it may be, and as late.
	early, late []formula.Life
}

// reason is a formula that says how long after a step something happens. Inputs are what it may look at,
// nil for the line's own; where they are several, one of them will hold.
type reason struct {
	after  string
	rule   *formula.Formula
	inputs []formula.Input
}

// input is what a formula may look at that speaks of a life.
func (l *line) input(life int) formula.Input {
	in := l.spec.Given(l.facts)
	in.Life = life
	return in
}

// shared is the one input of all that is predicted of a life.
func (l *line) shared(life int) *formula.Input {
	for len(l.inputs) <= life {
		l.inputs = append(l.inputs, nil)
	}
	if l.inputs[life] == nil {
		in := l.input(life)
		l.inputs[life] = &in
	}
	return l.inputs[life]
}

// predicted is what a reason's formula says of a life.
func (l *line) predicted(r reason, life int) Predicted {
	var own *formula.Input
	if len(r.inputs) > 0 {
		own = &r.inputs[0]
	} else {
		own = l.shared(life)
	}
	p := Predicted{
		Formula:     r.rule.ID,
		Issues:      r.rule.IssuesOf(*own),
		Implemented: r.rule.Implemented(*own),
		rule:        r.rule,
		input:       own,
	}
	if r.rule.Documented != nil {
		p.Documented = r.rule.Documented(*own)
	}
	if len(r.inputs) > 1 {
		p.anyOf(r.inputs)
	}
	return p
}

// anyOf widens what is predicted by the first of some inputs to what may be by any of them.
func (p *Predicted) anyOf(inputs []formula.Input) {
	implemented, documented := []formula.Window{p.Implemented}, []formula.Window(nil)
	if p.Documented != nil {
		documented = append(documented, *p.Documented)
	}
	for _, in := range inputs[1:] {
		implemented = append(implemented, p.rule.Implemented(in))
		if p.Documented == nil {
			continue
		}
		if w := p.rule.Documented(in); w != nil {
			documented = append(documented, *w)
		}
	}
	p.Implemented, p.Documented = oneOf(implemented), nil
	if len(documented) == len(inputs) {
		w := oneOf(documented)
		p.Documented = &w
	}
}

// step is something that happens after one step by one formula, and perhaps after others by others.
func (l *line) step(id, what string, life int, reasons ...reason) {
	s := Step{ID: id, What: what, Life: life}
	for i, r := range reasons {
		p, since := l.predicted(r, life), l.at(r.after)
		at := since.plus(p.Implemented)
		if i > 0 {
			s.At = s.At.within(at)
			s.Also = append(s.Also, Bound{After: r.after, Predicted: p})
			continue
		}
		// A window may begin before what it counts from, by what a mark may be late: what happens does not.
		s.After, s.At, s.Predicted = r.after, at.notBefore(since.Earliest), p
		if p.Documented != nil {
			promised := since.plus(*p.Documented)
			s.Promised = &promised
		}
	}
	l.Steps = append(l.Steps, s)
}

// assume is something that happens so long after a step because it is assumed to.
func (l *line) assume(id, what string, life int, after string, takes time.Duration) {
	w := formula.Window{
		Unit: formula.Nanoseconds,
	}.With(
		formula.Term{Name: "assumed", Earliest: int64(takes), Latest: int64(takes)},
	)
	l.Steps = append(
		l.Steps,
		Step{
			ID:        id,
			What:      what,
			Life:      life,
			After:     after,
			At:        l.at(after).plus(w),
			Predicted: Predicted{Implemented: w},
		},
	)
}

// value is something that is counted or read.
func (l *line) value(id, what string, life int, rule *formula.Formula) {
	l.Values = append(l.Values, Value{ID: id, What: what, Predicted: l.predicted(reason{rule: rule}, life)})
}

// valueOf is a value that has to do with another kind of probe than the line.
func (l *line) valueOf(kind, id, what string, rule *formula.Formula) {
	in := l.input(1)
	in.Probe.Kind = kind
	l.Values = append(
		l.Values,
		Value{ID: id, What: what, Predicted: l.predicted(reason{rule: rule, inputs: []formula.Input{in}}, 1)},
	)
}

// at is when a step happens.
func (l *line) at(id string) Span {
	if id == Zero {
		return Span{}
	}
	return l.find(id).At
}

// between is the time from one step to a later one that comes after it, directly or by others.
func (l *line) between(from, to string) Span {
	var s Span
	for to != from && to != Zero {
		step := l.find(to)
		s, to = s.plus(step.Implemented), step.After
	}
	return s
}

// numbered is the ID of a step in a life.
func numbered(id string, life int) string {
	if life <= 1 {
		return id
	}
	return id + "-" + strconv.Itoa(life)
}

// plus moves the span by a window.
func (s Span) plus(w formula.Window) Span {
	return Span{Earliest: s.Earliest + time.Duration(w.Earliest), Latest: s.Latest + time.Duration(w.Latest)}
}

// within is what two spans have in common.
func (s Span) within(other Span) Span {
	return Span{Earliest: max(s.Earliest, other.Earliest), Latest: min(s.Latest, other.Latest)}
}

// or is the span from the earlier beginning of two to the later end.
func (s Span) or(other Span) Span {
	return Span{Earliest: min(s.Earliest, other.Earliest), Latest: max(s.Latest, other.Latest)}
}

// oneOf is the window of what may be in any of several: term by term where that makes it no wider, else as one term.
func oneOf(windows []formula.Window) formula.Window {
	first := windows[0]
	if len(windows) == 1 {
		return first
	}
	hull := formula.Window{
		Unit:     first.Unit,
		Earliest: first.Earliest,
		Latest:   first.Latest,
		Terms:    slices.Clone(first.Terms),
	}
	var earliest, latest int64
	for _, w := range windows[1:] {
		hull.Earliest, hull.Latest = min(hull.Earliest, w.Earliest), max(hull.Latest, w.Latest)
		if !slices.EqualFunc(hull.Terms, w.Terms, func(a, b formula.Term) bool { return a.Name == b.Name }) {
			return formula.EitherOf(windows...)
		}
		for i, t := range w.Terms {
			hull.Terms[i].Earliest, hull.Terms[i].Latest = min(
				hull.Terms[i].Earliest,
				t.Earliest,
			), max(
				hull.Terms[i].Latest,
				t.Latest,
			)
		}
	}
	for _, t := range hull.Terms {
		earliest, latest = earliest+t.Earliest, latest+t.Latest
	}
	if earliest != hull.Earliest || latest != hull.Latest { // what one term adds another takes away
		names := make([]string, len(first.Terms))
		for i, t := range first.Terms {
			names[i] = t.Name
		}
		hull.Terms = []formula.Term{{Name: strings.Join(names, ", "), Earliest: hull.Earliest, Latest: hull.Latest}}
	}
	return hull
}
