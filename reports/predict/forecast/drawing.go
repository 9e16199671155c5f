package forecast

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
	"github.com/podclock/podclock/reports/drawing"
	"github.com/podclock/podclock/reports/predict/sentences"
)

// Drawing draws a timeline's events at their earliest, with their windows.
func Drawing(p predict.Prediction, c predict.Container, t predict.Timeline) drawing.Drawing {
	title := address(p) + ", container " + c.Name + ": " + eventOf(t).String()
	if t.Assumes.Description != "" {
		title += " (" + t.Assumes.Description + ")"
	}
	d := drawing.Drawing{Title: title, Zero: t.Begins}
	row := drawn(c.Name, t)
	d.From, d.To = row.extent()
	d.Rows = []drawing.Row{row.Row}
	return d
}

// Overview draws a workload's containers, each with its longest delete.
func Overview(p predict.Prediction) drawing.Drawing {
	d := together(p, sentences.Event{Cause: formula.ByDelete})
	d.Title, d.Zero = address(p)+", deleted", "delete"
	return d
}

// together draws a workload's containers, each with the longest timeline of an event.
func together(p predict.Prediction, e sentences.Event) drawing.Drawing {
	d := drawing.Drawing{Title: address(p) + ": " + e.String()}
	for _, c := range p.Containers {
		t := e.Longest(c)
		if t == nil {
			continue
		}
		d.Zero = t.Begins
		row := drawn(c.Name, *t)
		from, to := row.extent()
		d.From, d.To = min(d.From, from), max(d.To, to)
		d.Rows = append(d.Rows, row.Row)
	}
	return d
}

type sketch struct {
	drawing.Row
	timeline predict.Timeline
}

// markOf has the marks of points. Others are drawn as an event.
var markOf = map[string]drawing.MarkKind{
	predict.StartupFirst:    drawing.Answered,
	predict.StartupSuccess:  drawing.Answered,
	predict.LivenessFirst:   drawing.Answered,
	predict.ReadinessFirst:  drawing.Answered,
	lifecycle.FirstProbe:    drawing.Failed,
	lifecycle.LastProbe:     drawing.Failed,
	lifecycle.SIGTERM:       drawing.SIGTERM,
	lifecycle.Gone:          drawing.Death,
	lifecycle.Started:       drawing.Started,
	lifecycle.Ready:         drawing.Change,
	lifecycle.Unready:       drawing.Change,
	lifecycle.Failed:        drawing.Change,
	lifecycle.ObjectDeleted: drawing.Change,
	lifecycle.DeletionBegan: drawing.Change,
	lifecycle.CrashLooping:  drawing.Change,
}

func drawn(name string, t predict.Timeline) *sketch {
	s := &sketch{Row: drawing.Row{Name: name}, timeline: t}
	s.Marks = append(s.Marks, drawing.Mark{Kind: drawing.Fault, Description: t.Begins})
	for _, step := range t.Steps {
		s.mark(step)
		s.windows(step)
	}
	s.bars()
	return s
}

// mark draws a step at its earliest.
func (s *sketch) mark(step predict.Step) {
	kind, known := markOf[step.Point]
	switch {
	case step.Point == lifecycle.HookBegan || step.Point == lifecycle.HookEnded:
		return // a bar shows it
	case step.SIGKILL:
		kind = drawing.SIGKILL
	case !known:
		kind = drawing.Event
	}
	s.Marks = append(s.Marks, drawing.Mark{At: step.At.Earliest, Kind: kind, Description: step.What})
}

// windows draws a step's windows. Assumed steps have none.
func (s *sketch) windows(step predict.Step) {
	if step.Formula == "" {
		return
	}
	since := time.Duration(0)
	if after := s.first(func(other predict.Step) bool { return other.ID == step.After }); after != nil {
		since = after.At.Earliest
	}
	add := func(at predict.Span, of drawing.Oracle) {
		w := drawing.Window{Since: since, Earliest: at.Earliest, Latest: at.Latest, Of: of, Description: step.ID}
		s.Windows = append(s.Windows, w)
	}
	add(step.At, drawing.Implemented)
	if step.Promised != nil {
		add(*step.Promised, drawing.Documented)
	}
}

func (s *sketch) first(is func(predict.Step) bool) *predict.Step {
	i := slices.IndexFunc(s.timeline.Steps, is)
	if i < 0 {
		return nil
	}
	return &s.timeline.Steps[i]
}

func (s *sketch) in(point string, life int) *predict.Step {
	return s.first(func(step predict.Step) bool { return step.Point == point && step.Life == life })
}

func (s *sketch) bars() {
	last := 1
	for _, step := range s.timeline.Steps {
		last = max(last, step.Life)
	}
	_, end := s.extent()
	for life := 1; life <= last; life++ {
		start, death := s.in(lifecycle.Started, life), s.in(lifecycle.Gone, life)
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
				s.Bars = append(s.Bars, drawing.Bar{From: began, To: end, Kind: drawing.Life, Description: says,
					Open: true})
			}
		}
		if life > 1 && start != nil {
			before := time.Duration(0)
			if d := s.in(lifecycle.Gone, life-1); d != nil {
				before = d.At.Earliest
			}
			s.bar(drawing.BackOff, before, began, "until the restart")
		}
		s.killed(life)
	}
}

func (s *sketch) killed(life int) {
	between := func(kind drawing.BarKind, from, to *predict.Step, says string) {
		if from != nil && to != nil {
			s.bar(kind, from.At.Earliest, to.At.Earliest, says)
		}
	}
	signal := s.in(lifecycle.SIGTERM, life)
	between(drawing.Probe, s.in(lifecycle.FirstProbe, life), s.in(lifecycle.LastProbe, life), "failing probes")
	between(drawing.Hook, s.in(lifecycle.HookBegan, life), signal, "preStop hook")
	between(drawing.Grace, signal, s.in(lifecycle.Gone, life), "grace that is left")
}

func (s *sketch) bar(kind drawing.BarKind, from, to time.Duration, says string) {
	if to > from {
		s.Bars = append(s.Bars, drawing.Bar{From: from, To: to, Kind: kind, Description: says})
	}
}

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

// maxRows is the largest number of distinguishable containers in one picture.
const maxRows = 40

const pictureWidth = 960

// SVG draws the containers of all workloads, each with its longest delete.
func SVG(w io.Writer, f Forecast) error {
	if len(f.Predictions) == 1 {
		return drawing.Standalone(w, Overview(f.Predictions[0]), pictureWidth)
	}
	all := drawing.Drawing{Title: f.Manifest + ", deleted", Zero: "delete"}
	for _, p := range f.Predictions {
		d := Overview(p)
		for _, row := range d.Rows {
			row.Name = address(p) + " " + row.Name
			all.Rows = append(all.Rows, row)
		}
		all.From, all.To = min(all.From, d.From), max(all.To, d.To)
	}
	if n := len(all.Rows); n > maxRows {
		return fmt.Errorf("drawing %s: %d containers are too many for one picture, the maximum is %d: "+
			"split the manifest, or write HTML", f.Manifest, n, maxRows)
	}
	return drawing.Standalone(w, all, pictureWidth)
}
