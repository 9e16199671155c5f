package forecast

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/reports/drawing"
)

// Drawing draws a timeline: its events at their earliest, with their windows. It begins at the timeline's zero, or
// with an earlier life.
func Drawing(p predict.Prediction, c predict.Container, t predict.Timeline) drawing.Drawing {
	title := address(p) + ", container " + c.Name + ": " + cause(t.Cause, t.Variant)
	if t.Assumes.Says != "" {
		title += " (" + t.Assumes.Says + ")"
	}
	d := drawing.Drawing{Title: title, Zero: t.Begins}
	row := drawn(c.Name, t)
	d.From, d.To = row.extent()
	d.Rows = []drawing.Row{row.Row}
	return d
}

// Overview draws a workload's containers, each with its longest delete.
func Overview(p predict.Prediction) drawing.Drawing {
	d := drawing.Drawing{Title: address(p) + ", deleted", Zero: "delete"}
	for _, c := range p.Containers {
		t := headline(c)
		if t == nil || t.Cause != formula.ByDelete {
			continue
		}
		row := drawn(c.Name, *t)
		from, to := row.extent()
		d.From, d.To = min(d.From, from), max(d.To, to)
		d.Rows = append(d.Rows, row.Row)
	}
	return d
}

// sketch is a row under construction.
type sketch struct {
	drawing.Row
	timeline predict.Timeline
}

// lifeOf matches the life at the end of a step's ID.
var lifeOf = regexp.MustCompile(`-(\d+)$`)

// base returns a step's ID without its life.
func base(s predict.Step) string {
	if s.Life > 1 && strings.HasSuffix(s.ID, "-"+strconv.Itoa(s.Life)) {
		return lifeOf.ReplaceAllString(s.ID, "")
	}
	return s.ID
}

// markOf are the marks of steps. Other steps are events.
var markOf = map[string]drawing.MarkKind{
	predict.FirstProbe:   drawing.Failed,
	predict.LastProbe:    drawing.Failed,
	predict.SIGTERM:      drawing.SIGTERM,
	predict.Death:        drawing.Death,
	predict.Start:        drawing.Started,
	predict.Ready:        drawing.Change,
	predict.Unready:      drawing.Change,
	predict.Failed:       drawing.Change,
	predict.Deleted:      drawing.Change,
	predict.DeleteBegan:  drawing.Change,
	predict.CrashLooping: drawing.Change,
}

func drawn(name string, t predict.Timeline) *sketch {
	s := &sketch{Row: drawing.Row{Name: name}, timeline: t}
	s.Marks = append(s.Marks, drawing.Mark{Kind: drawing.Cue, Says: t.Begins})
	for _, step := range t.Steps {
		s.mark(step)
		s.windows(step)
	}
	s.bars()
	return s
}

// mark draws a step at its earliest. The death of a process that nothing else ends is SIGKILL.
func (s *sketch) mark(step predict.Step) {
	kind, known := markOf[base(step)]
	if base(step) == predict.Death && strings.HasPrefix(step.What, "SIGKILL") {
		kind = drawing.SIGKILL
	}
	if !known {
		kind = drawing.Event
		if strings.HasSuffix(base(step), predict.FirstProbe) || base(step) == "startup-success" {
			kind = drawing.Answered
		}
	}
	if base(step) == predict.HookBegan || base(step) == predict.HookEnded {
		return // a bar shows it
	}
	s.Marks = append(s.Marks, drawing.Mark{At: step.At.Earliest, Kind: kind, Says: step.What})
}

// windows draws the windows of a step, counted from the earliest time of the step before. Assumed steps have none.
func (s *sketch) windows(step predict.Step) {
	if step.Formula == "" {
		return
	}
	since := time.Duration(0)
	if after := s.step(step.After); after != nil {
		since = after.At.Earliest
	}
	add := func(at predict.Span, of drawing.Oracle) {
		w := drawing.Window{Since: since, Earliest: at.Earliest, Latest: at.Latest, Of: of, Says: step.ID}
		s.Windows = append(s.Windows, w)
	}
	add(step.At, drawing.Implemented)
	if step.Promised != nil {
		add(*step.Promised, drawing.Documented)
	}
}

// step returns the step with an ID, or nil.
func (s *sketch) step(id string) *predict.Step {
	i := slices.IndexFunc(s.timeline.Steps, func(step predict.Step) bool { return step.ID == id })
	if i < 0 {
		return nil
	}
	return &s.timeline.Steps[i]
}

// in returns a step of a life, or nil.
func (s *sketch) in(id string, life int) *predict.Step {
	if life > 1 {
		id += "-" + strconv.Itoa(life)
	}
	return s.step(id)
}

// bars draws lives, hooks, grace periods and waits between lives.
func (s *sketch) bars() {
	last := 1
	for _, step := range s.timeline.Steps {
		last = max(last, step.Life)
	}
	_, end := s.extent()
	for life := 1; life <= last; life++ {
		start, death := s.in(predict.Start, life), s.in(predict.Death, life)
		began := time.Duration(0)
		if start != nil {
			began = start.At.Earliest
		}
		if life == 1 && s.timeline.Cause == predict.Crashing {
			began = -s.timeline.Assumes.RunsFor // it ends at zero
			s.bar(drawing.Life, began, 0, "life 1")
		} else if life == 1 || start != nil {
			if death != nil {
				s.bar(drawing.Life, began, death.At.Earliest, "life "+strconv.Itoa(life))
			} else {
				says := "life " + strconv.Itoa(life)
				s.Bars = append(s.Bars, drawing.Bar{From: began, To: end, Kind: drawing.Life, Says: says, Open: true})
			}
		}
		if life > 1 && start != nil {
			before := time.Duration(0)
			if d := s.in(predict.Death, life-1); d != nil {
				before = d.At.Earliest
			}
			s.bar(drawing.BackOff, before, began, "until the restart")
		}
		s.killed(life)
	}
}

// killed draws a life's failing probes, its hook, and the time from SIGTERM to its death.
func (s *sketch) killed(life int) {
	between := func(kind drawing.BarKind, from, to *predict.Step, says string) {
		if from != nil && to != nil {
			s.bar(kind, from.At.Earliest, to.At.Earliest, says)
		}
	}
	signal := s.in(predict.SIGTERM, life)
	between(drawing.Probe, s.in(predict.FirstProbe, life), s.in(predict.LastProbe, life), "failing probes")
	between(drawing.Hook, s.in(predict.HookBegan, life), signal, "preStop hook")
	between(drawing.Grace, signal, s.in(predict.Death, life), "grace that is left")
}

func (s *sketch) bar(kind drawing.BarKind, from, to time.Duration, says string) {
	if to > from {
		s.Bars = append(s.Bars, drawing.Bar{From: from, To: to, Kind: kind, Says: says})
	}
}

// extent returns the bounds of all events, with a margin.
func (s *sketch) extent() (from, to time.Duration) {
	to = time.Second
	for _, step := range s.timeline.Steps {
		from, to = min(from, step.At.Earliest), max(to, step.At.Latest)
		if step.Promised != nil {
			to = max(to, step.Promised.Latest)
		}
	}
	if s.timeline.Cause == predict.Crashing {
		from = min(from, -s.timeline.Assumes.RunsFor)
	}
	return from, to + to/50
}
