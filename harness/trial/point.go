package trial

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/timeline"
)

// Main is the name of the container a claim speaks of unless it says otherwise.
const Main = "victim"

// Point is one instant of a timeline, by name.
type Point struct {
	event     event
	container string
	life      int
	// kind is the probe's kind, the phase, the condition or the event's reason.
	kind string
	// number tells several of one kind apart, from 1; 0 is the first.
	number int
}

type event string

const (
	cued           event = "cue"
	cueDone        event = "cue-done"
	started        event = "start"
	hookBegan      event = "hook-begin"
	hookEnded      event = "hook-end"
	postStartBegan event = "post-start-begin"
	postStartEnded event = "post-start-end"
	filled         event = "filled"
	sigterm        event = "sigterm"
	gone           event = "death"
	objectDeleted  event = "object-deleted"
	firstProbe     event = "first-probe"
	lastProbe      event = "last-probe"
	nthProbe       event = "probe"
	answered       event = "answered"
	phase          event = "phase"
	condition      event = "condition"
	noCondition    event = "no-condition"
	startTime      event = "start-time"
	deletionBegan  event = "deletion-began"
	eventSeen      event = "event"
	nodeHas        event = "node-condition"
	nodeLacks      event = "no-node-condition"
)

// The points of a timeline. Those of a life are of life 1 of the container Main unless Life and Of say otherwise.
var (
	// Cued is the first cue, CueDone its end where it takes a while; Number chooses another.
	Cued    = Point{event: cued}
	CueDone = Point{event: cueDone}
	// ObjectDeleted is the disappearance of the first pod's object.
	ObjectDeleted = Point{event: objectDeleted}
	// DeletionBegan is deletionTimestamp less deletionGracePeriodSeconds as the API first shows them: when
	// the API server took the delete, cut to seconds.
	DeletionBegan = Point{event: deletionBegan}
	// PodStartTime is the pod's status.startTime as the kubelet itself counts from it: its status manager
	// cuts the time to whole seconds before it keeps it (status_manager.go normalizeStatus), so that
	// nothing is lost in the API.
	PodStartTime   = Point{event: startTime}
	Started        = Point{event: started, container: Main, life: 1}
	HookBegan      = Point{event: hookBegan, container: Main, life: 1}
	HookEnded      = Point{event: hookEnded, container: Main, life: 1}
	PostStartBegan = Point{event: postStartBegan, container: Main, life: 1}
	PostStartEnded = Point{event: postStartEnded, container: Main, life: 1}
	Filled         = Point{event: filled, container: Main, life: 1}
	// SIGTERM is the first stop signal of a life, whichever signal the image asks for.
	SIGTERM = Point{event: sigterm, container: Main, life: 1}
	Gone    = Point{event: gone, container: Main, life: 1}
)

// FirstProbe is the first probe of a kind ("liveness", "readiness", "startup") that reached a life.
func FirstProbe(kind string) Point {
	return Point{event: firstProbe, container: Main, life: 1, kind: kind}
}

// LastProbe is the last probe of a kind before a life's SIGTERM.
func LastProbe(kind string) Point {
	return Point{event: lastProbe, container: Main, life: 1, kind: kind}
}

// NthProbe is probe number n, from 1, of a kind in a life.
func NthProbe(kind string, n int) Point {
	return Point{event: nthProbe, container: Main, life: 1, kind: kind, number: n}
}

// Answered is the first probe of a kind in a life that was answered so (victim.Answer); Number chooses another.
func Answered(kind string, answer fmt.Stringer) Point {
	return Point{event: answered, container: Main, life: 1, kind: kind + "-" + answer.String()}
}

// Phase is when the API first showed the pod in a phase.
func Phase(name string) Point { return Point{event: phase, kind: name} }

// Condition is when the API first showed a condition of the pod to be true; Number chooses a later time
// that it became so.
func Condition(name string) Point { return Point{event: condition, kind: name} }

// NoCondition is when the API first showed that a condition of the pod was true no more; Number chooses a later time.
func NoCondition(name string) Point { return Point{event: noCondition, kind: name} }

// NodeCondition is when the API first showed a condition of the node to be true; Number chooses a later
// time that it became so.
func NodeCondition(name string) Point { return Point{event: nodeHas, kind: name} }

// NoNodeCondition is when the API first showed that a condition of the node was true no more; Number
// chooses a later time.
func NoNodeCondition(name string) Point { return Point{event: nodeLacks, kind: name} }

// Event is the first event of a reason about the pod; Number chooses a later one.
func Event(reason string) Point { return Point{event: eventSeen, kind: reason} }

// Life is the same point in another life.
func (p Point) Life(n int) Point { p.life = n; return p }

// Of is the same point of another container.
func (p Point) Of(container string) Point { p.container = container; return p }

// Number is the n-th of what there may be several of, from 1: cues, runs of a hook, events of one reason.
func (p Point) Number(n int) Point { p.number = n; return p }

// String is the point's stable name.
func (p Point) String() string {
	s := string(p.event)
	switch p.event {
	case phase, condition, noCondition, eventSeen, nodeHas, nodeLacks:
		s += "-" + strings.ToLower(p.kind)
	default:
		if p.kind != "" {
			s = strings.ToLower(p.kind) + "-" + s
		}
	}
	if p.container != "" && p.container != Main {
		s = p.container + "-" + s
	}
	if p.number > 1 {
		s = fmt.Sprintf("%s-no%d", s, p.number)
	}
	if p.life > 1 {
		s = fmt.Sprintf("%s-%d", s, p.life)
	}
	return s
}

// In finds the point on a timeline, nil when it is not there (yet).
func (p Point) In(t *timeline.Timeline) *timeline.Instant {
	switch p.event {
	case cued, cueDone:
		return p.ofCue(t)
	case objectDeleted:
		return t.ObjectDeleted
	case phase, condition, noCondition, startTime, deletionBegan:
		return p.ofAPI(t)
	case eventSeen:
		return p.ofEvents(t)
	case nodeHas, nodeLacks:
		return p.ofNode(t)
	case waiting:
		return p.ofWaiting(t)
	case pulled:
		return p.ofPulls(t)
	}
	l := t.Life(p.container, p.life)
	if l == nil {
		return nil
	}
	switch p.event {
	case started:
		return l.Started
	case filled:
		return l.Filled
	case sigterm:
		return l.SIGTERM()
	case gone:
		return l.Gone
	case hookBegan, hookEnded:
		return p.ofHook(l.Hooks)
	case postStartBegan, postStartEnded:
		return p.ofHook(l.PostStarts)
	case probeAfterRestart:
		return p.ofRestart(t, l)
	}
	return p.ofProbes(l)
}

// index is the place in a list of what number counts from 1.
func (p Point) index() int { return max(p.number, 1) - 1 }

func (p Point) ofCue(t *timeline.Timeline) *timeline.Instant {
	if p.index() >= len(t.Cues) {
		return nil
	}
	c := &t.Cues[p.index()]
	if p.event == cueDone {
		return c.Done
	}
	return &c.At
}

func (p Point) ofHook(runs []timeline.Hook) *timeline.Instant {
	if p.index() >= len(runs) {
		return nil
	}
	if p.event == hookBegan || p.event == postStartBegan {
		return &runs[p.index()].Began
	}
	return runs[p.index()].Ended
}

// ofAPI finds a point in the changes of the first pod's object. A deletion, whose time the API cuts to
// whole seconds, began up to one second later.
func (p Point) ofAPI(t *timeline.Timeline) *timeline.Instant {
	was, times := false, 0
	for i := range t.API {
		c := &t.API[i]
		if c.Pod != "" {
			continue
		}
		is := slices.Contains(c.Conditions, p.kind)
		switch p.event {
		case startTime:
			if c.StartTime != 0 {
				return &timeline.Instant{At: c.StartTime * int64(time.Second)}
			}
		case deletionBegan:
			if c.DeletionTimestamp != 0 && c.DeletionGracePeriodSeconds != nil {
				return &timeline.Instant{
					At:   (c.DeletionTimestamp - *c.DeletionGracePeriodSeconds) * int64(time.Second),
					Late: int64(time.Second),
				}
			}
		case phase:
			is = c.Phase == p.kind
		}
		changed := is && !was
		if p.event == noCondition {
			changed = was && !is
		}
		if changed {
			if times++; times > p.index() {
				return &c.At
			}
		}
		was = is
	}
	return nil
}

// ofNode finds a point in the changes of the node. What it was at the beginning is no change.
func (p Point) ofNode(t *timeline.Timeline) *timeline.Instant {
	times := 0
	for i := 1; i < len(t.Node); i++ {
		was, is := slices.Contains(t.Node[i-1].Conditions, p.kind), slices.Contains(t.Node[i].Conditions, p.kind)
		if p.event == nodeLacks {
			was, is = !was, !is
		}
		if is && !was {
			if times++; times > p.index() {
				return &t.Node[i].At
			}
		}
	}
	return nil
}

// ofEvents finds the arrival after which an event's count is the number asked for.
func (p Point) ofEvents(t *timeline.Timeline) *timeline.Instant {
	for i := range t.Events {
		e := &t.Events[i]
		if e.Pod != "" || e.Reason != p.kind || p.container != "" && e.Container != p.container {
			continue
		}
		if seen := countOfEvents(t.Events[:i+1], p); seen > p.index() {
			return &e.At
		}
	}
	return nil
}

// countOfEvents is how often the events of one reason happened, by the largest counts of their series.
func countOfEvents(events []timeline.Event, p Point) int {
	series := map[string]int32{}
	for _, e := range events {
		if e.Pod == "" && e.Reason == p.kind && (p.container == "" || e.Container == p.container) {
			key := e.Container + "\n" + e.Message
			series[key] = max(series[key], e.Count, 1)
		}
	}
	n := 0
	for _, count := range series {
		n += int(count)
	}
	return n
}

func (p Point) ofProbes(l *timeline.Life) *timeline.Instant {
	switch p.event {
	case firstProbe:
		return firstProbeOf(l, p.kind)
	case lastProbe:
		return lastProbeOf(l, p.kind)
	}
	return p.among(l.Probes, func(seen timeline.Probe) bool {
		if p.event == answered {
			return seen.For+"-"+seen.Answer == p.kind
		}
		return seen.For == p.kind
	})
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
