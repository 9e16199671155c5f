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
	if in.Delay = delayOfMarks(c.Measure, m, tl, delays); c.Measure.CountsEnds() {
		in.Delay = delayOfAnswers(c.Measure, m, in.Probe, tl, delays)
	}
	in.Kill.HookElapsed.High = max(in.Kill.HookElapsed.High, t.longestHook(in, tl, delays, c.Measure.Container()))
	all := []formula.Input{in}
	if endedNear(tl, in.Deletes, in.Delay) {
		in.Kill.Ended = !in.Kill.Ended
		all = append(all, in)
	}
	timeout := time.Duration(in.Probe.TimeoutSeconds) * time.Second
	if in.Probe.Handler != "" && in.Delay >= timeout {
		for _, in := range all {
			in.Probe.Takes = timeout - in.Probe.Takes
			all = append(all, in)
		}
	}
	return all
}

// delayOfMarks returns by how much the time between two of the marks up to a value's end may differ from the kubelet's
// time: the mark of one may have come late, and the kubelet may have seen the other late.
func delayOfMarks(measure Measure, m Measured, tl *timeline.Timeline, delays delay.Record) time.Duration {
	var before, after, missed time.Duration
	slowStart := func(at int64) { before = max(before, delays.Total(at-int64(delay.SlowStart), at)) }
	slowStart(m.To)
	if life := tl.Life(measure.Container(), measure.LifeNumber()); life != nil && life.Started != nil {
		slowStart(life.Started.At)
	}
	see := func(at int64) time.Duration {
		if at > m.To {
			return 0
		}
		late := delays.Before(at, longestStep)
		before, after = max(before, late), max(after, min(time.Duration(m.To-at), delays.After(at, longestStep)))
		return late
	}
	see(m.From)
	see(m.To)
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
	if m.Unit == formula.Count {
		before = max(before, missed)
	}
	return before + after
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

// delayOfAnswers returns the longest delay of an answer to a probe that may have killed a life.
func delayOfAnswers(
	measure Measure, m Measured, p formula.Probe, tl *timeline.Timeline, delays delay.Record,
) time.Duration {
	late := time.Duration(0)
	container := tl.Containers[measure.Container()]
	if container == nil {
		return 0
	}
	failures := time.Duration(max(0, p.FailureThreshold-1)*max(p.PeriodSeconds, p.TimeoutSeconds)) * time.Second
	for _, life := range container.Lives {
		if term := life.SIGTERM(); term != nil && term.At <= m.To {
			begin := term.At - int64(delay.SlowStart+failures)
			late = max(late, delays.OfWork(term.At-int64(delay.SlowStart), term.At, formula.ExecStart),
				delays.OfTask(begin, term.At, formula.HTTPStart))
		}
	}
	return late
}

// longestHook returns the longest time that the kubelet can have measured for a hook on a busy node.
func (t Trial) longestHook(in formula.Input, tl *timeline.Timeline, delays delay.Record, name string) time.Duration {
	container := t.container(name)
	if container == nil || in.Kill.Hook == formula.NoHook {
		return 0
	}
	slow := func(firstMark int64, start time.Duration) time.Duration {
		return max(
			delays.OfTask(firstMark-int64(delay.SlowStart), firstMark, start), delays.Before(firstMark, start),
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
