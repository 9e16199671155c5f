package sketch

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/drawing"
)

type sketch struct {
	timeline *timeline.Timeline
	zero     int64
	zeroIs   string
	pod      drawing.Row
	// containers are the rows of containers by name, companions those of further pods.
	containers, companions map[string]*drawing.Row
	node                   drawing.Row
	// first and last enclose the evidence, and the windows within mostAhead.
	first, last time.Duration
	any         bool
}

func (s *sketch) chooseZero() {
	t := s.timeline
	if len(t.Faults) > 0 {
		s.zero, s.zeroIs = t.Faults[0].At.At, t.Faults[0].What
		return
	}
	for _, c := range t.Containers {
		for _, l := range c.Lives {
			if began := beginning(l); began != nil && (s.zero == 0 || began.At < s.zero) {
				s.zero, s.zeroIs = began.At, "the first process' start"
			}
		}
	}
	if s.zero == 0 && len(t.API) > 0 {
		s.zero, s.zeroIs = t.API[0].At.At, "the pod's creation"
	}
}

func beginning(l *timeline.Life) *timeline.Instant { return cmp.Or(l.Connected, l.Started) }

// since returns an instant in time from the zero, and extends the drawing to it.
func (s *sketch) since(at int64) time.Duration {
	t := time.Duration(at - s.zero)
	if !s.any {
		s.first, s.last, s.any = t, t, true
	}
	s.first, s.last = min(s.first, t), max(s.last, t)
	return t
}

func (s *sketch) mark(row *drawing.Row, at int64, kind drawing.MarkKind, says string) {
	row.Marks = append(row.Marks, drawing.Mark{At: s.since(at), Kind: kind, Description: says})
}

// bar draws a bar. Without an end it reaches to the end of the drawing.
func (s *sketch) bar(row *drawing.Row, kind drawing.BarKind, says string, from int64, to *timeline.Instant) {
	b := drawing.Bar{From: s.since(from), Kind: kind, Description: says, Open: to == nil}
	if to != nil {
		b.To = s.since(to.At)
	}
	row.Bars = append(row.Bars, b)
}

// addPods draws the faults, the API changes and the events of the pods.
func (s *sketch) addPods() {
	s.pod.Name, s.companions = "pod", map[string]*drawing.Row{}
	for i, c := range s.timeline.Faults {
		s.mark(&s.pod, c.At.At, drawing.Fault, faultInWords(i+1, len(s.timeline.Faults), c))
		if c.Done != nil {
			s.bar(&s.pod, drawing.Waiting, c.What, c.At.At, c.Done)
		}
	}
	before := map[string]timeline.Change{}
	for _, c := range s.timeline.API {
		was, row := before[c.Pod], s.rowOf(c.Pod)
		if says := changed(was, c); says != "" {
			s.mark(row, c.At.At, drawing.Change, says)
		}
		if g := c.DeletionGracePeriodSeconds; g != nil && *g > 0 &&
			(was.DeletionTimestamp != c.DeletionTimestamp || was.DeletionGracePeriodSeconds == nil) {
			s.grace(row, c, *g)
		}
		before[c.Pod] = c
	}
	for _, e := range s.timeline.Events {
		row := s.rowOf(e.Pod)
		if c := s.containers[e.Container]; c != nil {
			row = c
		}
		s.mark(row, e.At.At, drawing.Event, eventInWords(e))
	}
}

// grace draws the grace period of a deletion from the moment when the API showed it. It ends with the object or with
// another deletion. It does not extend the drawing: most pods exit long before.
func (s *sketch) grace(row *drawing.Row, c timeline.Change, seconds int64) {
	from := s.since(c.At.At)
	for i := range row.Bars {
		if b := &row.Bars[i]; b.Kind == drawing.Grace {
			b.To = min(b.To, from)
		}
	}
	to := from + time.Duration(seconds)*time.Second
	if gone := s.timeline.ObjectDeleted; gone != nil && c.Pod == "" {
		to = max(from, min(to, time.Duration(gone.At-s.zero)))
	}
	says := fmt.Sprintf("grace %d s", seconds)
	row.Bars = append(row.Bars, drawing.Bar{From: from, To: to, Kind: drawing.Grace, Description: says})
}

func (s *sketch) rowOf(pod string) *drawing.Row {
	if pod == "" {
		return &s.pod
	}
	if s.companions[pod] == nil {
		s.companions[pod] = &drawing.Row{Name: "pod " + pod}
	}
	return s.companions[pod]
}

// addNode draws delays and outages on the node, and changes of the node's object. It does not extend the drawing.
func (s *sketch) addNode(e timeline.Evidence, delays delay.Record) {
	s.node.Name = "node"
	away := func(says string, from, to int64) {
		begin, end := time.Duration(from-s.zero), time.Duration(to-s.zero)
		if s.any && end >= s.first && begin <= s.last {
			s.node.Bars = append(s.node.Bars, drawing.Bar{From: begin, To: end, Kind: drawing.Outage,
				Description: says})
		}
	}
	for _, o := range delays.Outages(shortestOutage) {
		away(o.Component+" did not answer", o.From, o.To)
	}
	for _, l := range e.Losses {
		away("marks may be missing: "+l.Why, l.From, l.To)
	}
	for i := 1; i < len(s.timeline.Node); i++ {
		was, is := s.timeline.Node[i-1], s.timeline.Node[i]
		if says := strings.Join(conditionsChanged(was.Conditions, is.Conditions), " "); says != "" {
			s.mark(&s.node, is.At.At, drawing.Change, says)
		}
	}
}

// shortestOutage is the shortest outage that is drawn.
const shortestOutage = 250 * time.Millisecond

// mostAhead is how far a window can extend the drawing, as a part of its length. A window of an hour must not hide
// seconds.
const mostAhead = 0.5

// addWindows draws the windows of every claim that is a time, in the row of its end.
func (s *sketch) addWindows(findings []trial.Finding) {
	most := time.Duration(mostAhead * float64(s.last-s.first))
	behind, ahead := s.first-most, s.last+most
	for _, f := range findings {
		begins, known := f.Begins()
		if !known {
			continue
		}
		row := s.rowOfEnd(f.To)
		from := s.since(begins)
		window := func(w formula.Window, of drawing.Oracle) {
			drawn := drawing.Window{
				Since: from, Earliest: from + time.Duration(w.Earliest), Latest: from + time.Duration(w.Latest), Of: of,
				Description: f.Within(), Verdict: string(f.Verdict),
			}
			if f.Measured != nil {
				drawn.Measured = new(from + time.Duration(f.Measured.Value))
			}
			row.Windows = append(row.Windows, drawn)
			s.last = max(s.last, min(drawn.Latest, ahead))
			s.first = min(s.first, max(drawn.Earliest, behind))
		}
		window(f.Implemented, drawing.Implemented)
		if f.Documented != nil {
			window(*f.Documented, drawing.Documented)
		}
	}
}

// rowOfEnd returns the row of a container, of the node, or else of the pod.
func (s *sketch) rowOfEnd(end trial.Point) *drawing.Row {
	if row := s.containers[end.Owner()]; row != nil {
		return row
	}
	if end.OfNode() {
		return &s.node
	}
	return &s.pod
}

// rows returns the rows with content. Bars without an end reach to the end of the drawing.
func (s *sketch) rows() []drawing.Row {
	all := []drawing.Row{s.pod}
	for _, name := range slices.SortedFunc(maps.Keys(s.containers), mainFirst) {
		all = append(all, *s.containers[name])
	}
	for _, name := range slices.Sorted(maps.Keys(s.companions)) {
		all = append(all, *s.companions[name])
	}
	all = slices.DeleteFunc(append(all, s.node),
		func(r drawing.Row) bool { return len(r.Bars)+len(r.Marks)+len(r.Windows) == 0 })
	for _, row := range all {
		for i := range row.Bars {
			if b := &row.Bars[i]; b.Open {
				b.To = max(b.From, s.last)
			}
		}
	}
	return all
}

// mainFirst orders containers: the main one first, then by name.
func mainFirst(a, b string) int {
	rank := func(name string) int {
		if name == trial.Main {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
}
