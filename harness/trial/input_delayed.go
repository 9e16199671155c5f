package trial

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
)

// longestStep is the longest step between what the kubelet does and its mark, or between a mark and when the kubelet
// sees what it shows.
const longestStep = formula.ExecStart

// Delayed returns all inputs of a claim that the node's delay allows. The first one's Delay covers what was measured in
// time. The others differ in what was measured in kind.
func (t Trial) Delayed(
	c Claim, in formula.Input, m Measured, tl *timeline.Timeline, delays delay.Record,
) []formula.Input {
	in.Delay = c.Measure.delay(m, tl, delays)
	in.Kill.HookElapsed.High = max(in.Kill.HookElapsed.High, t.longestHook(in, tl, delays, c.Measure.Container()))
	all := []formula.Input{in}
	if endedNear(tl, in.Deletes, in.Delay) {
		in.Kill.Ended = !in.Kill.Ended
		all = append(all, in)
	}
	timeout := time.Duration(in.Probe.TimeoutSeconds) * time.Second
	if in.Probe.Handler != "" && in.Delay > 0 && in.Delay >= timeout {
		for _, in := range all {
			in.Probe.Takes = timeout - in.Probe.Takes
			all = append(all, in)
		}
	}
	return all
}

// delay returns by how much the time between two of the marks up to a value's end may differ from the kubelet's time:
// the mark of one may have come late, and the kubelet may have seen the other late.
func (m Measure) delay(value Measured, tl *timeline.Timeline, delays delay.Record) time.Duration {
	before, after, missed := m.firstMarks(value, tl, delays), time.Duration(0), time.Duration(0)
	until := value.To
	if m.counted == ends {
		until = firstSignal(tl.Containers[m.Container()], until)
	}
	see := func(at int64) time.Duration {
		if at > until {
			return 0
		}
		left, late := time.Duration(until-at), delays.PausedBefore(at, longestStep)
		if before = max(before, late); m.counted == ends || m.counted == failingProbes {
			return late // an answer's delay is one delay
		}
		after = max(after, min(left, delays.PausedAfter(at, longestStep)))
		if m.From.event == gone { // what the kubelet computes from a death, it computes when it sees it
			after = max(after, delays.Total(at, min(at+int64(delay.SlowStart), value.To)))
		}
		return late
	}
	see(value.From)
	see(until)
	for _, c := range tl.Containers {
		for _, l := range c.Lives {
			for _, i := range marksOf(l) {
				see(i.At)
			}
			for _, p := range l.Probes {
				// A probe that came late by a second or more may have cost the ticks of that time.
				if late := see(p.At.At); late >= time.Second {
					missed += late
				}
			}
		}
	}
	if m.counted == probes {
		before = max(before, missed)
	}
	return before + after
}

// firstMarks returns the longest delay of the first mark of the measure's life, of the value's end, or of an answer
// that ended a life, on a node that is busy. It does not move what is counted, unless that is ticks.
func (m Measure) firstMarks(value Measured, tl *timeline.Timeline, delays delay.Record) (late time.Duration) {
	slow := func(at int64) time.Duration { return delays.Total(at-int64(delay.SlowStart), at) }
	life := tl.Life(m.Container(), m.LifeNumber())
	switch m.counted {
	case ends:
		term := firstSignal(tl.Containers[m.Container()], value.To)
		return delays.OfWork(term-int64(delay.SlowStart), term, formula.ExecStart)
	case "", probes, inARow:
		if late = slow(value.To); life != nil && life.Started != nil {
			late = max(late, slow(life.Started.At))
		}
	}
	return late
}

// firstSignal returns when the first life of a container was killed, or the instant given if that came before.
func firstSignal(c *timeline.Container, until int64) int64 {
	if c == nil {
		return until
	}
	for _, l := range c.Lives {
		if term := l.SIGTERM(); term != nil {
			return min(until, term.At)
		}
	}
	return until
}

func marksOf(l *timeline.Life) (marks []timeline.Instant) {
	for _, i := range []*timeline.Instant{l.Started, l.SIGTERM(), l.Gone} {
		if i != nil {
			marks = append(marks, *i)
		}
	}
	for _, h := range l.Hooks {
		if marks = append(marks, h.Began); h.Ended != nil {
			marks = append(marks, *h.Ended)
		}
	}
	return marks
}

// longestHook returns the longest time that the kubelet can have measured for a hook on a busy node.
func (t Trial) longestHook(in formula.Input, tl *timeline.Timeline, delays delay.Record, name string) time.Duration {
	container := t.container(name)
	if container == nil || in.Kill.Hook == formula.NoHook {
		return 0
	}
	slow := func(firstMark int64, start time.Duration) time.Duration {
		return max(
			delays.OfTask(firstMark-int64(delay.SlowStart), firstMark, start), delays.PausedBefore(firstMark, start),
		)
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

// endedNear reports whether the API showed the pod's end so near to its first delete that delay decides which came
// first.
func endedNear(tl *timeline.Timeline, deletes []formula.Delete, by time.Duration) bool {
	if len(deletes) == 0 || by == 0 {
		return false
	}
	for _, c := range tl.API {
		if c.Pod == "" && (c.Phase == string(corev1.PodSucceeded) || c.Phase == string(corev1.PodFailed)) {
			return (time.Duration(c.At.At) - deletes[0].At).Abs() <= by
		}
	}
	return false
}
