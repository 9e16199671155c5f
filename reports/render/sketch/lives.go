package sketch

import (
	"fmt"
	"slices"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/reports/drawing"
)

func (s *sketch) addContainers() {
	s.containers = map[string]*drawing.Row{}
	for _, c := range s.timeline.API {
		for _, status := range c.Containers {
			s.containers[status.Name] = &drawing.Row{Name: status.Name}
		}
	}
	for name, c := range s.timeline.Containers {
		row := &drawing.Row{Name: name}
		s.containers[name] = row
		for i, l := range c.Lives {
			s.addLife(row, l)
			if i > 0 {
				s.addWait(row, c.Lives[i-1], l)
			}
		}
		for i, p := range c.Pulls {
			s.mark(row, p.At, drawing.Event, fmt.Sprintf("pull attempt %d", i+1))
		}
	}
}

func (s *sketch) addLife(row *drawing.Row, l *timeline.Life) {
	name := fmt.Sprintf("life %d", l.Number)
	if began := beginning(l); began != nil {
		s.bar(row, drawing.Life, name, began.At, l.Gone)
	}
	if l.Started != nil {
		s.mark(row, l.Started.At, drawing.Started, name)
	}
	for _, at := range l.SIGTERMs {
		s.mark(row, at.At, drawing.SIGTERM, otherThanSIGTERM(l.Signal))
	}
	if l.Gone != nil {
		s.mark(row, l.Gone.At, drawing.Death, endOf(l))
	}
	s.addHooks(row, drawing.Hook, l.Hooks, l)
	s.addHooks(row, drawing.PostStart, l.PostStarts, l)
	if l.FillBegan != nil {
		s.bar(row, drawing.Fill, l.FillNote, l.FillBegan.At, earlier(l.Filled, l.Gone))
	}
	for i, p := range l.Probes {
		s.mark(row, p.At.At, answer(p), fmt.Sprintf("%s %d over %s", p.For, numberOf(l.Probes, i), p.Handler))
	}
}

// addHooks draws the executions of a hook. One that hung ends with its life.
func (s *sketch) addHooks(row *drawing.Row, kind drawing.BarKind, hooks []timeline.Hook, l *timeline.Life) {
	for i, h := range hooks {
		says := string(kind)
		if len(hooks) > 1 {
			says = fmt.Sprintf("%s run %d", kind, i+1)
		}
		if h.Ended == nil {
			says += ", never ended"
		}
		s.bar(row, kind, says, h.Began.At, earlier(h.Ended, l.Gone))
	}
}

// earlier returns the end of something that ends by itself or with its life, nil if neither came.
func earlier(end, gone *timeline.Instant) *timeline.Instant {
	if end == nil || gone != nil && gone.At < end.At {
		return gone
	}
	return end
}

// addWait draws the time between two lives. It is a back-off if the API showed one.
func (s *sketch) addWait(row *drawing.Row, before, next *timeline.Life) {
	began := beginning(next)
	if before.Gone == nil || began == nil || began.At <= before.Gone.At {
		return
	}
	kind, says := drawing.Waiting, fmt.Sprintf("restart to life %d", next.Number)
	if s.backedOff(row.Name, before.Number, before.Gone.At, began.At) {
		kind, says = drawing.BackOff, fmt.Sprintf("back-off before life %d", next.Number)
	}
	s.bar(row, kind, says, before.Gone.At, began)
}

// backedOff reports whether the API showed between two instants that a container waited for its back-off after a
// life.
func (s *sketch) backedOff(container string, life int, from, to int64) bool {
	return slices.ContainsFunc(s.timeline.API, func(c timeline.Change) bool {
		return c.At.At >= from && c.At.At <= to &&
			slices.ContainsFunc(c.Containers, func(status timeline.ContainerStatus) bool {
				return status.Name == container && status.State == "waiting" && status.Reason == "CrashLoopBackOff" &&
					int(status.RestartCount) == life-1
			})
	})
}

func answer(p timeline.Probe) drawing.MarkKind {
	switch {
	case p.Answer == victim.Hang.String():
		return drawing.Hung
	case timeline.Fails(p.Answer):
		return drawing.Failed
	}
	return drawing.Answered
}

func numberOf(probes []timeline.Probe, i int) int {
	n := 0
	for _, p := range probes[:i+1] {
		if p.For == probes[i].For {
			n++
		}
	}
	return n
}

// endOf returns how a life ended, empty if the API does not show it.
func endOf(l *timeline.Life) string {
	if l.ExitCode == nil {
		return ""
	}
	return fmt.Sprintf("exit code %d", *l.ExitCode)
}

func otherThanSIGTERM(signal string) string {
	if signal == string(drawing.SIGTERM) {
		return ""
	}
	return signal
}
