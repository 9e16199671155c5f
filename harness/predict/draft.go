package predict

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// draft is a timeline under construction: each step counts from an earlier one.
type draft struct {
	Timeline
	// from the spec, and assumed
	spec, facts formula.Input
	// what is assumed about all containers; Assumes is its meaning for this one
	asked   Assumption
	started time.Duration
	// held is how long after the first life the sync that started it still lasts.
	held Span
	// by life
	inputs []*formula.Input
	// the lives that have ended so far, at their earliest and at their latest
	early, late []formula.Life
}

// epoch is the timelines' zero on the clock of [formula.Input.Lives], far from its 0, which means not measured.
const epoch = 100 * 366 * 24 * time.Hour

// reason is a formula for the time from a step to an event. One of the inputs holds, by default the draft's own.
type reason struct {
	after  string
	rule   *formula.Formula
	inputs []formula.Input
	// ordered is set if the first input holds for the earliest time of the step, and the last for its latest.
	ordered bool
}

func (d *draft) input(life int) formula.Input {
	in := d.spec.Given(d.facts)
	in.Life = life
	return in
}

func (d *draft) sharedInput(life int) *formula.Input {
	for len(d.inputs) <= life {
		d.inputs = append(d.inputs, nil)
	}
	if d.inputs[life] == nil {
		d.inputs[life] = new(d.input(life))
	}
	return d.inputs[life]
}

func (d *draft) predicted(r reason, life int) Predicted {
	var own *formula.Input
	if len(r.inputs) > 0 {
		own = &r.inputs[0]
	} else {
		own = d.sharedInput(life)
	}
	p := Predicted{
		Formula:     r.rule.ID,
		Implemented: r.rule.Implemented(*own),
		rule:        r.rule,
		input:       own,
	}
	if r.rule.Documented != nil {
		p.Documented = r.rule.Documented(*own)
	}
	if len(r.inputs) > 1 {
		p.widen(r.inputs)
	}
	return p
}

func (p *Predicted) widen(inputs []formula.Input) {
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
	p.Implemented, p.Documented = hull(implemented), nil
	if len(documented) == len(inputs) {
		p.Documented = new(hull(documented))
	}
}

// step adds an event. Its windows count from the first reason; the other reasons narrow the event's time.
func (d *draft) step(point, what string, life int, reasons ...reason) {
	s := Step{ID: inLife(point, life), Point: point, What: what, Life: life}
	for i, r := range reasons {
		p, since := d.predicted(r, life), d.at(r.after)
		at := since.plus(p.Implemented)
		if i > 0 {
			s.At = s.At.within(at)
			s.Also = append(s.Also, Bound{After: r.after, Predicted: p})
			continue
		}
		s.Predicted = p
		d.place(&s, r.after)
		if r.ordered {
			first, last := r.rule.Implemented(r.inputs[0]), r.rule.Implemented(r.inputs[len(r.inputs)-1])
			s.At = s.At.within(Span{since.plus(first).Earliest, since.plus(last).Latest})
		}
	}
	d.Steps = append(d.Steps, s)
}

// place sets when a step comes that counts from an earlier one.
func (d *draft) place(s *Step, after string) {
	since := d.at(after)
	// A mark may be late, so a window may begin before the step from which it counts. The event may not.
	s.After, s.At = after, since.plus(s.Implemented).notBefore(since.Earliest)
	if s.Documented != nil {
		s.Promised = new(since.plus(*s.Documented))
	}
}

// repeat adds a step with the windows of another life's.
func (d *draft) repeat(s Step, life int, after string) {
	s.ID, s.Life = inLife(s.Point, life), life
	d.place(&s, after)
	d.Steps = append(d.Steps, s)
}

// assume adds an event that comes this long after a step.
func (d *draft) assume(point, what string, life int, after string, takes time.Duration) {
	d.within(point, what, life, after, "assumed", Span{Earliest: takes, Latest: takes})
}

// within adds an event that comes in a span after a step, for this reason.
func (d *draft) within(point, what string, life int, after, why string, s Span) {
	term := formula.Term{Name: why, Earliest: int64(s.Earliest), Latest: int64(s.Latest)}
	w := formula.Window{Unit: formula.Nanoseconds}.With(term)
	d.Steps = append(d.Steps, Step{
		ID: inLife(point, life), Point: point, What: what, Life: life, After: after,
		At: d.at(after).plus(w), Predicted: Predicted{Implemented: w},
	})
}

func (d *draft) value(id, what string, life int, rule *formula.Formula) {
	d.Values = append(d.Values, Value{ID: id, What: what, Predicted: d.predicted(reason{rule: rule}, life)})
}

// valueOf adds a value about another kind of probe than the draft's.
func (d *draft) valueOf(kind, id, what string, rule *formula.Formula) {
	in := d.input(1)
	in.Probe.Kind = kind
	r := reason{rule: rule, inputs: []formula.Input{in}}
	d.Values = append(d.Values, Value{ID: id, What: what, Predicted: d.predicted(r, 1)})
}

func (d *draft) at(id string) Span {
	if id == lifecycle.Fault {
		return Span{}
	}
	return d.find(id).At
}

// between returns the time from a step to one that follows it, directly or by other steps.
func (d *draft) between(from, to string) Span {
	var s Span
	for to != from && to != lifecycle.Fault {
		step := d.find(to)
		s, to = s.plus(step.Implemented), step.After
	}
	return s
}

func inLife(id string, life int) string {
	if life <= 1 {
		return id
	}
	return id + "-" + strconv.Itoa(life)
}

// hull covers all windows: term by term if that makes it no wider, else as one term.
func hull(windows []formula.Window) formula.Window {
	first := windows[0]
	h := formula.Window{Unit: first.Unit, Earliest: first.Earliest, Latest: first.Latest}
	h.Terms = slices.Clone(first.Terms)
	for _, w := range windows[1:] {
		h.Earliest, h.Latest = min(h.Earliest, w.Earliest), max(h.Latest, w.Latest)
		if !slices.EqualFunc(h.Terms, w.Terms, func(a, b formula.Term) bool { return a.Name == b.Name }) {
			return formula.EitherOf(windows...)
		}
		for i, t := range w.Terms {
			own := &h.Terms[i]
			own.Earliest, own.Latest = min(own.Earliest, t.Earliest), max(own.Latest, t.Latest)
		}
	}
	var earliest, latest int64
	names := make([]string, len(h.Terms))
	for i, t := range h.Terms {
		earliest, latest, names[i] = earliest+t.Earliest, latest+t.Latest, t.Name
	}
	if earliest != h.Earliest || latest != h.Latest { // one term adds what another removes
		h.Terms = []formula.Term{{Name: strings.Join(names, ", "), Earliest: h.Earliest, Latest: h.Latest}}
	}
	return h
}
