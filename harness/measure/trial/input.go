package trial

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// Input returns all that a claim's formula may look at.
func (t Trial) Input(c Claim, tl *timeline.Timeline, delays delay.Record, k formula.Kubelet) formula.Input {
	m := c.Measure
	pod, container := t.Victim(c)
	in := t.question(c, container.Name, tl).Input(k)
	in.Life, in.Attempt, in.Watched = m.LifeNumber(), m.attempt(), m.watched(tl)
	in.ContainerStart = t.ContainerStart
	behaviour := behaviour(container)
	in.Obeys, in.OwnDelay = behaviour.Term != victim.Ignore, behaviour.TermDelay
	in.OwnExitCode = behaviour.ExitCodeIn(in.Life)
	in.Deletes = t.deletes(m.number, tl)
	in.Kill.Ended = t.Unscheduled && len(faultsOf(tl, BindPod)) == 0 || endedBefore(tl, in.Deletes)
	in.Kill.Hook, in.Kill.HookElapsed = hook(container, tl, in.Kill.Cause, in.Life, delayMeanwhile(delays))
	m.probesOf(container, tl, &in)
	killed(pod, container.Name, tl, &in)
	if in.Sidecar {
		life := tl.Life(container.Name, in.Life)
		in.Kill.HookElapsed = sidecarHook(life, in.Kill.Hook, in.Kill.HookElapsed, noDelay)
	}
	in.Lives, in.Restarts, in.Tuned = lives(tl, container.Name), faultsOf(tl, restarts...), tuned(tl)
	in.Recreations, in.Changes = faultsOf(tl, RecreatePod), faultsOf(tl, changes...)
	life, before := tl.Life(container.Name, in.Life), tl.Life(container.Name, in.Life-1)
	if life != nil && in.Probe.Handler != "" {
		in.Probe.Takes = takes(life, in.Probe, in.Kill.Cause)
	}
	if life != nil && before != nil {
		if before.SIGTERM() == nil {
			in.CarriedFailures = tl.FailuresBefore(container.Name, in.Life, string(in.Kill.Cause))
		} else if last := lastProbeOf(before, string(in.Kill.Cause)); last != nil && life.Started != nil {
			in.Restart = time.Duration(life.Started.At - last.At)
		}
	}
	return in
}

// Victim returns the pod and the container that a claim is about: by default, the Pod's first container.
func (t Trial) Victim(c Claim) (*corev1.Pod, *corev1.Container) {
	container := t.container(c.Measure.Container())
	if container == nil {
		container = &t.Pod.Spec.Containers[0]
	}
	return t.PodOf(container.Name), container
}

// question asks about the kill by the claim's cause, else the trial's, else the first fault that deletes the pod.
func (t Trial) question(c Claim, container string, tl *timeline.Timeline) podspec.Question {
	q := podspec.Question{
		Pod:       t.PodOf(container),
		Container: container,
		Cause:     cmp.Or(c.KillCause, t.KillCause),
		Taint:     &corev1.Taint{Key: TaintKey, Effect: corev1.TaintEffectNoExecute},
		Probe:     c.Measure.probeKind(),
		Over:      over(tl, container, c.Measure.LifeNumber()),
	}
	if q.Cause != "" && q.Cause != formula.ByDelete {
		return q
	}
	if i := slices.IndexFunc(t.Faults, Fault.Deletes); i >= 0 {
		q.Cause, q.GracePeriodSeconds = formula.ByDelete, t.Faults[i].GracePeriodSeconds
	}
	return q
}

// over returns whether another container had ended for the last time when this life was killed.
func over(tl *timeline.Timeline, killed string, number int) func(container string) bool {
	term := tl.Life(killed, number).SIGTERM()
	return func(container string) bool {
		last := lastLife(tl, container)
		return last != nil && last.Gone != nil && (term == nil || last.Gone.At <= term.At)
	}
}

// watched returns how long the measure's life is watched. A life that was stopped or died sees no more liveness probes.
func (m Measure) watched(tl *timeline.Timeline) time.Duration {
	life := tl.Life(m.at.Container, m.at.LifeNumber)
	if m.counted != probes || life == nil || life.Started == nil {
		return m.within
	}
	watched := m.within
	for _, end := range []*timeline.Instant{life.SIGTERM(), life.Gone} {
		if end != nil {
			watched = min(watched, time.Duration(end.At-life.Started.At))
		}
	}
	return watched
}

func behaviour(c *corev1.Container) victim.Run {
	run, err := victim.ParseRun(c.Args)
	if err != nil {
		return victim.Run{Term: victim.Ignore}
	}
	return run
}

// deletes returns the requests that deleted the pod before the fault of this number, 0 for all.
func (t Trial) deletes(until int, tl *timeline.Timeline) []formula.Delete {
	var all []formula.Delete
	for i, fault := range t.Faults {
		if i < len(tl.Faults) && (until == 0 || i < until) && fault.Deletes() {
			at := time.Duration(tl.Faults[i].At.At)
			all = append(all, formula.Delete{GracePeriodSeconds: fault.GracePeriodSeconds, At: at})
		}
	}
	return all
}

// endedBefore reports whether the API showed the pod's end before its first delete.
func endedBefore(tl *timeline.Timeline, deletes []formula.Delete) bool {
	return len(deletes) > 0 && slices.ContainsFunc(tl.API, func(c timeline.Change) bool {
		return c.At.At < int64(deletes[0].At) && podEnded(c)
	})
}

func podEnded(c timeline.Change) bool {
	return c.Pod == "" && (c.Phase == string(corev1.PodSucceeded) || c.Phase == string(corev1.PodFailed))
}

func lives(tl *timeline.Timeline, container string) []formula.Life {
	c := tl.Containers[container]
	if c == nil {
		return nil
	}
	all := make([]formula.Life, 0, len(c.Lives))
	for _, l := range c.Lives {
		life := formula.Life{Signalled: l.SIGTERM() != nil, Collected: l.Collected, ExitCode: -1,
			EndReason: l.EndReason}
		life.Signal, life.Started, life.Gone = since1970(l.SIGTERM()), since1970(l.Started), since1970(l.Gone)
		if l.ExitCode != nil {
			life.ExitCode = int(*l.ExitCode)
		}
		all = append(all, life)
	}
	return all
}

func since1970(i *timeline.Instant) time.Duration {
	if i == nil {
		return 0
	}
	return time.Duration(i.At)
}
