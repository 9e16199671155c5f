package trial

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// In returns the point on a timeline, or nil if it has not come.
func (p Point) In(t *timeline.Timeline) *timeline.Instant {
	switch p.Event {
	case lifecycle.Created:
		return p.ofCreation(t)
	case lifecycle.Fault, lifecycle.FaultDone:
		return p.ofFault(t)
	case lifecycle.ObjectDeleted:
		return t.ObjectDeleted
	case lifecycle.Phase, lifecycle.Condition, lifecycle.NoCondition, lifecycle.StartTime, lifecycle.DeletionBegan:
		return p.ofAPI(t)
	case lifecycle.Shown:
		return p.ofEvents(t)
	case lifecycle.NodeCondition, lifecycle.NoNodeCondition:
		return p.ofNode(t)
	case lifecycle.EndpointReady, lifecycle.EndpointUnready:
		return p.ofEndpoints(t)
	case lifecycle.Waiting:
		return p.ofWaiting(t)
	case lifecycle.Pulled:
		return p.ofPulls(t)
	case lifecycle.Ready, lifecycle.Unready:
		return p.ofReadiness(t)
	}
	l := t.Life(p.Container, p.LifeNumber)
	if l == nil {
		return nil
	}
	switch p.Event {
	case lifecycle.Started:
		return l.Started
	case lifecycle.Filled:
		return l.Filled
	case lifecycle.SIGTERM:
		return l.SIGTERM()
	case lifecycle.Gone:
		return l.Gone
	case lifecycle.Requested:
		return l.Requested
	case lifecycle.LastRequest:
		return lastRequest(t, l)
	case lifecycle.HookBegan, lifecycle.HookEnded:
		return p.ofHook(l.Hooks)
	case lifecycle.PostStartBegan, lifecycle.PostStartEnded:
		return p.ofHook(l.PostStarts)
	case lifecycle.ProbeAfterRestart:
		return p.ofRestart(t, l)
	}
	return p.ofProbes(l)
}

// StartsProcess reports whether the point is a process's first mark, which the start of the process delays.
func (p Point) StartsProcess(tl *timeline.Timeline) bool {
	switch p.Event {
	case lifecycle.Started, lifecycle.HookBegan, lifecycle.PostStartBegan:
		return true
	case lifecycle.FirstProbe, lifecycle.LastProbe, lifecycle.NthProbe, lifecycle.Answered:
		from, life := p.In(tl), tl.Life(p.Container, p.LifeNumber)
		return from != nil && life != nil && slices.ContainsFunc(life.Probes, func(seen timeline.Probe) bool {
			return seen.At == *from && seen.Handler == "exec"
		})
	}
	return false
}

func (p Point) ofCreation(t *timeline.Timeline) *timeline.Instant {
	for i := range t.API {
		if t.API[i].Pod == p.Kind {
			return &t.API[i].At
		}
	}
	return nil
}

// Unsent returns the death of a process whose mark the measure lacks, or nil. It may not have lived to send the mark.
func (m Measure) Unsent(tl *timeline.Timeline) *timeline.Instant {
	points := []Point{m.From, m.To, m.at, m.mark}
	if m.counted == failingProbes {
		points = append(points, SIGTERM.Of(m.at.Container).Life(m.at.LifeNumber))
	}
	for _, p := range points {
		life := tl.Life(p.Container, p.LifeNumber)
		shown := []lifecycle.Event{lifecycle.Waiting, lifecycle.Pulled, lifecycle.Ready, lifecycle.Unready}
		ofProcess := !slices.Contains(shown, p.Event)
		if ofProcess && life != nil && life.Gone != nil && p.In(tl) == nil {
			return life.Gone
		}
	}
	return nil
}

func (p Point) ofFault(t *timeline.Timeline) *timeline.Instant {
	if p.index() >= len(t.Faults) {
		return nil
	}
	c := &t.Faults[p.index()]
	if p.Event == lifecycle.FaultDone {
		return c.Done
	}
	return &c.At
}

func (p Point) ofHook(runs []timeline.Hook) *timeline.Instant {
	if p.index() >= len(runs) {
		return nil
	}
	if p.Event == lifecycle.HookBegan || p.Event == lifecycle.PostStartBegan {
		return &runs[p.index()].Began
	}
	return runs[p.index()].Ended
}

// ofAPI searches the changes of the object of the Pod or of a companion. The API cuts the time of a deletion to whole
// seconds.
func (p Point) ofAPI(t *timeline.Timeline) *timeline.Instant {
	was, times := false, 0
	for i := range t.API {
		c := &t.API[i]
		if c.Pod != p.companion() {
			continue
		}
		is := slices.Contains(c.Conditions, p.Kind)
		switch p.Event {
		case lifecycle.StartTime:
			if c.StartTime != 0 {
				return &timeline.Instant{At: c.StartTime * int64(time.Second)}
			}
		case lifecycle.DeletionBegan:
			if c.DeletionTimestamp != 0 && c.DeletionGracePeriodSeconds != nil {
				return &timeline.Instant{
					At:   (c.DeletionTimestamp - *c.DeletionGracePeriodSeconds) * int64(time.Second),
					Late: int64(time.Second),
				}
			}
		case lifecycle.Phase:
			is = c.Phase == p.Kind
		}
		changed := is && !was
		if p.Event == lifecycle.NoCondition {
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

// ofNode searches the changes of the node. Its state at the beginning is no change.
func (p Point) ofNode(t *timeline.Timeline) *timeline.Instant {
	times := 0
	for i := 1; i < len(t.Node); i++ {
		was, is := slices.Contains(t.Node[i-1].Conditions, p.Kind), slices.Contains(t.Node[i].Conditions, p.Kind)
		if p.Event == lifecycle.NoNodeCondition {
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

// ofEvents searches the pod's events, or only those since the life before the point's life ended.
func (p Point) ofEvents(t *timeline.Timeline) *timeline.Instant {
	since, earlier := int64(math.MinInt64), 0
	if p.LifeNumber > 1 {
		before := t.Life(cmp.Or(p.Container, Main), p.LifeNumber-1)
		if before == nil || before.Gone == nil {
			return nil
		}
		since = before.Gone.At
	}
	for i, e := range t.Events {
		switch n := countOfEvents(t.Events[:i+1], p); {
		case e.At.At < since:
			earlier = n
		case n > earlier+p.index():
			return &e.At
		}
	}
	return nil
}

// countOfEvents adds the largest counts of the series of a reason's events. A companion's container has its name.
func countOfEvents(events []timeline.Event, p Point) int {
	series := map[string]int32{}
	for _, e := range events {
		own := e.Pod == "" && (p.Container == "" || e.Container == p.Container)
		if e.Reason == p.Kind && (own || e.Pod != "" && e.Pod == p.Container) {
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

// ofEndpoints searches the changes of a pod's endpoint. One that was never ready does not become unready.
func (p Point) ofEndpoints(t *timeline.Timeline) *timeline.Instant {
	was := false
	for i := range t.Endpoints {
		c := &t.Endpoints[i]
		if c.Pod != p.companion() {
			continue
		}
		if c.Ready != was && c.Ready == (p.Event == lifecycle.EndpointReady) {
			return &c.At
		}
		was = c.Ready
	}
	return nil
}

// requestsOver is how long no request comes until the last one is known. A client connects every few milliseconds, so a
// shorter pause is one of its node.
const requestsOver = 2 * time.Second

// lastRequest returns the last request of a life. A life that ends before the pause that shows the last one has had
// requests until then.
func lastRequest(t *timeline.Timeline, l *timeline.Life) *timeline.Instant {
	switch last := l.LastRequest; {
	case l.Requested == nil:
		return nil
	case last != nil && (l.Gone != nil || t.Known >= last.At+int64(requestsOver)):
		return last
	case last == nil && l.Gone != nil:
		until := *l.Gone
		until.Early += int64(victim.RequestPause)
		return &until
	}
	return nil
}

func (p Point) ofWaiting(t *timeline.Timeline) *timeline.Instant {
	for i := range t.API {
		for _, s := range t.API[i].Containers {
			// A waiting container has the count of the life that ended last.
			if s.Name == p.Container && s.State == "waiting" && s.Reason == p.Kind &&
				int(s.RestartCount) == p.LifeNumber-1 {
				return &t.API[i].At
			}
		}
	}
	return nil
}

// ofReadiness searches the container's readiness in the API. What it is before the first ready one is no change.
func (p Point) ofReadiness(t *timeline.Timeline) *timeline.Instant {
	ready := false
	for i := range t.API {
		for _, s := range t.API[i].Containers {
			if s.Name != p.Container {
				continue
			}
			if s.Ready != ready && s.Ready == (p.Event == lifecycle.Ready) {
				return &t.API[i].At
			}
			ready = s.Ready
		}
	}
	return nil
}

func (p Point) ofPulls(t *timeline.Timeline) *timeline.Instant {
	c := t.Containers[p.Container]
	if c == nil || p.index() >= len(c.Pulls) {
		return nil
	}
	return &c.Pulls[p.index()]
}

func (p Point) ofProbes(l *timeline.Life) *timeline.Instant {
	if p.Event == lifecycle.LastProbe {
		return lastProbeOf(l, p.Kind)
	}
	return p.among(l.Probes, func(seen timeline.Probe) bool {
		return seen.For == p.Kind && (p.Answer == "" || seen.Answer == p.Answer)
	})
}

func (p Point) ofRestart(t *timeline.Timeline, l *timeline.Life) *timeline.Instant {
	restart := firstFault(t, restarts...)
	if restart == nil {
		return nil
	}
	return p.among(l.Probes, func(seen timeline.Probe) bool { return seen.For == p.Kind && seen.At.At > restart.At })
}

// among returns the requested one of the probes that match.
func (p Point) among(all []timeline.Probe, is func(timeline.Probe) bool) *timeline.Instant {
	left := p.index()
	for _, probe := range all {
		if is(probe) {
			if left == 0 {
				return &probe.At
			}
			left--
		}
	}
	return nil
}

func lastProbeOf(l *timeline.Life, kind string) *timeline.Instant {
	term := l.SIGTERM()
	for _, p := range slices.Backward(l.Probes) {
		if term != nil && p.For == kind && p.At.At <= term.At {
			return &p.At
		}
	}
	return nil
}

// firstFault ignores refused faults.
func firstFault(tl *timeline.Timeline, actions ...Action) *timeline.Instant {
	for _, c := range tl.Faults {
		if c.Status == 0 && slices.Contains(actions, Action(c.What)) {
			return &c.At
		}
	}
	return nil
}

// lastFault returns the last fault that may precede an instant, and that was not refused. No instant precedes none.
func lastFault(tl *timeline.Timeline, until *timeline.Instant, actions ...Action) *timeline.Instant {
	var last *timeline.Instant
	for _, c := range tl.Faults {
		if c.Status == 0 && slices.Contains(actions, Action(c.What)) && (until == nil || c.At.MayPrecede(*until)) {
			last = &c.At
		}
	}
	return last
}

func faultsOf(tl *timeline.Timeline, actions ...Action) []time.Duration {
	var times []time.Duration
	for _, c := range tl.Faults {
		if c.Status == 0 && slices.Contains(actions, Action(c.What)) {
			times = append(times, time.Duration(c.At.At))
		}
	}
	return times
}

// tuned returns how long the fault TuneKubelet took, 0 without one.
func tuned(tl *timeline.Timeline) time.Duration {
	for _, c := range tl.Faults {
		if Action(c.What) == TuneKubelet && c.Done != nil {
			return time.Duration(c.Done.At - c.At.At)
		}
	}
	return 0
}

func came(at *timeline.Instant, until int64) bool { return at != nil && at.At <= until }

func lastLife(tl *timeline.Timeline, container string) *timeline.Life {
	c := tl.Containers[container]
	if c == nil || len(c.Lives) == 0 {
		return nil
	}
	return c.Lives[len(c.Lives)-1]
}
