package trial

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/podspec"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/victim"
)

// Input is everything that a claim's formula may look at: what the pod's spec, the trial's cues and the
// kubelet tell, and what was measured.
func (t Trial) Input(c Claim, tl *timeline.Timeline, n delay.Record, k formula.Kubelet) formula.Input {
	m := c.Measure
	pod, container := t.Victim(c)
	in := t.question(c, container.Name, tl).Input(k)
	in.Life, in.Attempt, in.Watched = m.LifeNumber(), m.attempt(), m.within
	behaviour := behaviour(container)
	in.Obeys, in.OwnDelay, in.OwnExitCode = behaviour.Term != victim.Ignore, behaviour.TermDelay, behaviour.ExitCodeIn(
		in.Life,
	)
	in.Deletes = t.deletes(m.number, tl)
	in.Kill.Ended = t.Unscheduled && len(cuesOf(tl, BindPod)) == 0 || endedBefore(tl, in.Deletes)
	in.Kill.Hook, in.Kill.HookElapsed = hook(container, tl, in.Kill.Cause, in.Life, keptMeanwhile(n))
	m.probesOf(container, tl, &in)
	killed(pod, container.Name, tl, &in)
	if in.Sidecar {
		in.Kill.HookElapsed = sidecarHook(
			tl.Life(container.Name, in.Life),
			in.Kill.Hook,
			in.Kill.HookElapsed,
			keptNothing,
		)
	}
	in.Lives, in.Restarts = lives(tl, container.Name), cuesOf(tl, RestartKubelet, TuneKubelet)
	in.Recreations, in.Changes = cuesOf(tl, RecreatePod), cuesOf(tl, SetImage)
	life, before := tl.Life(container.Name, in.Life), tl.Life(container.Name, in.Life-1)
	if life != nil && in.Probe.Handler != "" {
		in.Probe.Takes = takes(life, in.Probe, in.Kill.Cause)
	}
	if life != nil && before != nil {
		if before.SIGTERM() == nil {
			in.CarriedFailures = carried(tl, container.Name, in.Life, string(in.Kill.Cause))
		} else if last := lastProbeOf(before, string(in.Kill.Cause)); last != nil && life.Started != nil {
			in.Restart = time.Duration(life.Started.At - last.At)
		}
	}
	return in
}

// Victim is the container that a claim speaks of, and its pod: the first one of the trial's Pod where the
// claim speaks of none.
func (t Trial) Victim(c Claim) (*corev1.Pod, *corev1.Container) {
	container := t.container(c.Measure.Container())
	if container == nil {
		container = &t.Pod.Spec.Containers[0]
	}
	return t.podOf(container.Name), container
}

// nodeTaint is the taint that TaintNode puts on a node.
var nodeTaint = corev1.Taint{Key: TaintKey, Effect: corev1.TaintEffectNoExecute}

// question is what a claim asks of a container's spec: about the kill by the claim's own cause, else by the
// trial's, else by the first cue that deletes the pod.
func (t Trial) question(c Claim, container string, tl *timeline.Timeline) podspec.Question {
	q := podspec.Question{
		Pod: t.podOf(
			container,
		),
		Container: container,
		Cause:     cmp.Or(c.KillCause, t.KillCause),
		Taint:     &nodeTaint,
		Probe:     c.Measure.probeKind(),
		Over:      over(tl, container, c.Measure.LifeNumber()),
	}
	if q.Cause != "" && q.Cause != formula.ByDelete {
		return q
	}
	if i := slices.IndexFunc(t.Cues, Cue.deletes); i >= 0 {
		q.Cause, q.GracePeriodSeconds = formula.ByDelete, t.Cues[i].GracePeriodSeconds
	}
	return q
}

// over says of the other containers of a pod whether they had ended, each for the last time, when one of
// them was killed in a life.
func over(tl *timeline.Timeline, killed string, number int) func(container string) bool {
	var term *timeline.Instant
	if life := tl.Life(killed, number); life != nil {
		term = life.SIGTERM()
	}
	return func(container string) bool {
		last := lastLife(tl, container)
		return last != nil && last.Gone != nil && (term == nil || last.Gone.At <= term.At)
	}
}

// behaviour is what a container's main process does; one that is no victim obeys nobody.
func behaviour(c *corev1.Container) victim.Run {
	run, err := victim.ParseRun(c.Args)
	if err != nil {
		return victim.Run{Term: victim.Ignore}
	}
	return run
}

// deletes are the requests that deleted the pod so far, up to the cue of this number; 0 is all of them.
func (t Trial) deletes(until int, tl *timeline.Timeline) []formula.Delete {
	var all []formula.Delete
	for i, cue := range t.Cues {
		if i < len(tl.Cues) && (until == 0 || i < until) && cue.deletes() {
			all = append(
				all,
				formula.Delete{GracePeriodSeconds: cue.GracePeriodSeconds, At: time.Duration(tl.Cues[i].At.At)},
			)
		}
	}
	return all
}

// endedBefore says whether the API showed a terminal phase of the pod before its first delete.
func endedBefore(tl *timeline.Timeline, deletes []formula.Delete) bool {
	return len(deletes) > 0 && slices.ContainsFunc(tl.API, func(c timeline.Change) bool {
		return c.Pod == "" && c.At.At < int64(deletes[0].At) &&
			(c.Phase == string(corev1.PodSucceeded) || c.Phase == string(corev1.PodFailed))
	})
}

// lives are the measured lives of a container, on the recorder's clock.
func lives(tl *timeline.Timeline, container string) []formula.Life {
	c := tl.Containers[container]
	if c == nil {
		return nil
	}
	all := make([]formula.Life, 0, len(c.Lives))
	for _, l := range c.Lives {
		life := formula.Life{Signalled: l.SIGTERM() != nil, ExitCode: -1}
		if term := l.SIGTERM(); term != nil {
			life.Signal = time.Duration(term.At)
		}
		if l.Started != nil {
			life.Started = time.Duration(l.Started.At)
		}
		if l.Gone != nil {
			life.Gone = time.Duration(l.Gone.At)
		}
		if l.ExitCode != nil {
			life.ExitCode = int(*l.ExitCode)
		}
		all = append(all, life)
	}
	return all
}

// takes is how long a failing probe of this life takes: its timeout when it was never answered. A probe
// that no measure speaks of is the one that kills.
func takes(life *timeline.Life, p formula.Probe, cause formula.Cause) time.Duration {
	kind := cmp.Or(p.Kind, victim.Liveness)
	if p.Kind == "" && cause == formula.ByStartup {
		kind = victim.Startup
	}
	for _, seen := range life.Probes {
		if seen.For == kind && seen.Answer == "H" {
			return time.Duration(p.TimeoutSeconds) * time.Second
		}
	}
	return 0
}

// hookWait is how long the start of a hook's process or request, which takes this long by itself, may have
// waited before its first mark.
type hookWait func(firstMark int64, start time.Duration) time.Duration

// keptNothing is the wait on a node that keeps nothing waiting.
func keptNothing(int64, time.Duration) time.Duration { return 0 }

// keptMeanwhile is the wait of a start that took no longer than it does by itself: what the node kept
// waiting in that time.
func keptMeanwhile(n delay.Record) hookWait {
	return func(firstMark int64, start time.Duration) time.Duration {
		return n.Total(firstMark-int64(start), firstMark)
	}
}

// keptFor is the wait of a start that a busy node made slow.
func keptFor(n delay.Record) hookWait {
	return func(firstMark int64, start time.Duration) time.Duration {
		return n.OfTask(firstMark-int64(delay.SlowStart), firstMark, start)
	}
}

// before is how long before its first mark a hook may have begun for the kubelet.
func (w hookWait) before(kind formula.HookKind, firstMark int64) time.Duration {
	start := formula.HookStart(kind)
	return start + w(firstMark, start)
}

// hook finds the container's hook and bounds what the kubelet can have measured as its duration: at least
// from the first mark to the last, at most from the earliest beginning to SIGTERM. A hook begins for the
// kubelet before its first mark, by the start of its process or request, but not before what the kill
// answers to.
func hook(
	c *corev1.Container,
	tl *timeline.Timeline,
	cause formula.Cause,
	number int,
	wait hookWait,
) (formula.HookKind, formula.Range) {
	kind, told := podspec.Hook(c)
	if kind == formula.NoHook || kind == formula.SleepHook {
		return kind, told
	}
	life := tl.Life(c.Name, number)
	if life == nil || life.SIGTERM() == nil {
		return kind, formula.Range{}
	}
	term := life.SIGTERM().At
	most := time.Duration(term) // since the epoch: no bound
	if reason := killReason(tl, life, cause); reason != nil {
		most = time.Duration(term - reason.At + reason.Early)
	}
	if len(life.Hooks) == 0 {
		// It never got to its first mark: all the kubelet can have measured is the attempt to start it.
		return kind, formula.Range{High: min(formula.HookStart(kind), most)}
	}
	began := life.Hooks[0].Began
	if reason := killReason(tl, life, cause); reason != nil && reason.At-reason.Early > began.At {
		most = time.Duration(term) // what came after the hook began is not what it answers to
	}
	high := min(time.Duration(term-began.At+began.Early)+wait.before(kind, began.At), most)
	ended := life.Hooks[0].Ended
	if ended == nil || ended.At-ended.Early > term {
		return kind, formula.Range{Low: high, High: high} // it was running still when the kubelet gave it up
	}
	return kind, formula.Range{Low: min(time.Duration(ended.At-ended.Early-began.At), high), High: high}
}

// killReason is the event that a kill answers to, and cannot come before: the request that deletes the pod
// or changes its spec, the last probe that failed, the end of the postStart hook that did. It is nil where
// none was seen.
func killReason(tl *timeline.Timeline, life *timeline.Life, cause formula.Cause) *timeline.Instant {
	switch cause {
	case formula.ByLiveness, formula.ByStartup:
		return lastProbeOf(life, string(cause))
	case formula.ByPostStart:
		return PostStartEnded.ofHook(life.PostStarts)
	case formula.ByDelete:
		return firstCue(tl, DeletePod, EvictPod, TaintNode)
	case formula.ByChange:
		return firstCue(tl, SetImage)
	}
	return nil
}

// firstCue is the first cue of one of these actions that was not refused, nil where there is none.
func firstCue(tl *timeline.Timeline, actions ...Action) *timeline.Instant {
	for i := range tl.Cues {
		if c := &tl.Cues[i]; c.Status == 0 && slices.Contains(actions, Action(c.What)) {
			return &c.At
		}
	}
	return nil
}

// carried counts the failing probes in a row that a life inherits from those before it, which ended by
// themselves: back to the last kill or the last success.
func carried(tl *timeline.Timeline, container string, number int, kind string) int {
	n := 0
	for number--; number >= 1; number-- {
		life := tl.Life(container, number)
		if life == nil || life.SIGTERM() != nil {
			break
		}
		n += life.FailedInARow(kind)
		if slices.ContainsFunc(
			life.Probes,
			func(p timeline.Probe) bool { return p.For == kind && !timeline.Fails(p.Answer) },
		) {
			break
		}
	}
	return n
}

// LongestHook returns the longest time that the kubelet can have measured for a container's hook, if the node
// was slow to start it.
func (t Trial) LongestHook(in formula.Input, tl *timeline.Timeline, n delay.Record, name string) time.Duration {
	container := t.container(name)
	if container == nil || in.Kill.Hook == formula.NoHook {
		return 0
	}
	_, took := hook(container, tl, in.Kill.Cause, in.Life, keptFor(n))
	if in.Sidecar {
		took = sidecarHook(tl.Life(name, in.Life), in.Kill.Hook, took, keptFor(n))
	}
	return took.High
}
