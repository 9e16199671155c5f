package trial

import (
	"slices"
	"time"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// longestStep is the longest step between what the kubelet does and its mark, or between a mark and when the kubelet
// sees what it shows.
const longestStep = formula.ExecStart

// Delayed returns all inputs of a claim that the node's delay allows. The delays of the first one cover what was
// measured in time. The others differ in what was measured in kind.
func (t Trial) Delayed(c Claim, in formula.Input, m Measured, tl *timeline.Timeline, d delay.Record) []formula.Input {
	in.Delay, in.AnswerDelay = c.Measure.delay(m, tl, d)
	timeout := time.Duration(in.Probe.TimeoutSeconds) * time.Second
	if c.Measure.counted == failingProbes && c.Measure.refused(tl, in.Probe, d) {
		in.AnswerDelay = max(in.AnswerDelay, timeout)
	}
	life := tl.Life(c.Measure.Container(), c.Measure.LifeNumber())
	if c.Measure.counted == stopSignals && mayMissSignal(life, in) {
		in.Delay = max(in.Delay, d.OfStart(life.Started.At))
	}
	in.Kill.HookElapsed.High = max(in.Kill.HookElapsed.High, t.longestHook(in, tl, d, c.Measure.Container()))
	in.MetDead = max(in.MetDead, metDead(c.Measure.Container(), tl, in, in.Delay))
	all := []formula.Input{in}
	if endedNear(tl, in.Deletes, in.Delay) {
		in.Kill.Ended = !in.Kill.Ended
		all = append(all, in)
	}
	if in.Probe.Handler != "" && in.AnswerDelay > 0 && in.AnswerDelay >= timeout {
		for _, in := range all {
			in.Probe.Takes = timeout - in.Probe.Takes
			all = append(all, in)
		}
	}
	return all
}

// mayMissSignal reports whether a life died so soon after its first mark that its stop signal may have come before the
// handler of that signal.
func mayMissSignal(l *timeline.Life, in formula.Input) bool {
	return l != nil && l.Started != nil && l.Gone != nil &&
		l.Gone.At-l.Started.At <= formula.Remainder.Implemented(in).Latest
}

// refused reports whether a process may have refused a probe, because a pause delayed its start beyond the tick before
// the first probe that it saw, if it saw any.
func (m Measure) refused(tl *timeline.Timeline, p formula.Probe, d delay.Record) bool {
	life := tl.Life(m.Container(), m.LifeNumber())
	if life == nil || life.Started == nil {
		return life != nil && life.Gone != nil && d.PausedBefore(life.Gone.At, longestStep) > 0
	}
	paused := int64(d.PausedBefore(life.Started.At, longestStep))
	first := FirstProbe(m.kind).Of(m.Container()).Life(m.LifeNumber()).In(tl)
	if first == nil {
		return paused > 0
	}
	tick, late := first.At-int64(p.PeriodSeconds)*int64(time.Second), int64(d.PausedBefore(first.At, longestStep))
	delayed := int64(max(0, p.InitialDelaySeconds-1)) * int64(time.Second) // counted in whole seconds
	return life.Started.At-paused+delayed <= tick && tick-late <= life.Started.At
}

// delay returns by how much the time between two of the marks up to a value's end may differ from the kubelet's time:
// the mark of one may have come late, and the kubelet may have seen the other late. It also returns the longest delay
// of one answer.
func (m Measure) delay(value Measured, tl *timeline.Timeline, d delay.Record) (between, ofAnswer time.Duration) {
	before, after, missed, until := time.Duration(0), time.Duration(0), time.Duration(0), value.To
	life := tl.Life(m.Container(), m.LifeNumber())
	switch term := life.SIGTERM(); {
	case term == nil:
	case m.counted == ends:
		until = min(until, term.At)
	case m.To.Event == lifecycle.LastProbe:
		until = term.At // the probe that killed the life may be another
	}
	marks := []int64{value.From, until}
	for _, c := range tl.Containers {
		for _, l := range c.Lives {
			marks = append(marks, l.Marks()...)
		}
	}
	for _, at := range marks {
		if at > until {
			continue
		}
		left, late := time.Duration(until-at), d.PausedBefore(at, longestStep)
		before, after = max(before, late), max(after, min(left, d.PausedAfter(at, longestStep)))
		if m.From.Event == lifecycle.Gone { // what the kubelet computes from a death, it computes when it sees it
			after = max(after, d.Total(at, min(at+int64(delay.SlowStart), value.To)))
		}
		if m.counted == probes && late >= time.Second {
			missed += late // the ticks of that time
		}
	}
	ofAnswer = before
	if m.counted == ends {
		ofAnswer = max(before, d.OfWork(until-int64(delay.SlowStart), until, formula.ExecStart))
	}
	if m.counted == "" || m.counted == probes || m.counted == inARow { // the first marks of a busy node's processes
		before = max(before, d.OfStart(value.To))
		if life != nil && life.Started != nil {
			before = max(before, d.OfStart(life.Started.At))
		}
	}
	return max(before, missed) + after, ofAnswer
}

// longestHook returns the longest time that the kubelet can have measured for a hook on a busy node.
func (t Trial) longestHook(in formula.Input, tl *timeline.Timeline, delays delay.Record, name string) time.Duration {
	container := t.container(name)
	if container == nil || in.Kill.Hook == formula.NoHook {
		return 0
	}
	slow := func(mark int64, start time.Duration) time.Duration {
		return max(delays.OfTask(mark-int64(delay.SlowStart), mark, start), delays.PausedBefore(mark, start))
	}
	life := tl.Life(name, in.Life)
	_, took := hook(container, tl, in.Kill.Cause, in.Life, slow)
	if in.Sidecar {
		took = sidecarHook(life, in.Kill.Hook, took, slow)
	}
	if term := life.SIGTERM(); term != nil && len(life.Hooks) == 0 {
		took.High += slow(term.At, formula.HookStart(in.Kill.Hook))
	}
	return took.High
}

// endedNear reports whether the API showed the pod's end so near its first delete that delay decides which came first.
func endedNear(tl *timeline.Timeline, deletes []formula.Delete, by time.Duration) bool {
	i := slices.IndexFunc(tl.API, podEnded)
	return i >= 0 && len(deletes) > 0 && by > 0 && (time.Duration(tl.API[i].At.At)-deletes[0].At).Abs() <= by
}
