package predict

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// probeLoop predicts the restarts of a container that fails a probe in every life. Once are its timelines of the first
// kill. In each life, probe, hook and process take any time between the shortest and the longest of these: a restart is
// free or waits, depending on the time since the death before, so the extremes alone do not bound it.
func (p predictor) probeLoop(t trigger, once []*draft) []*draft {
	if !p.restarted() || p.pastEnd(&once[0].Timeline) {
		return nil
	}
	t.id, t.cause, t.variant = t.probe+"-loop", Looping, t.probe
	d := p.draft(t, Assumption{})
	d.Assumes = Assumption{Description: "the probe fails from every start on; probe, hook and process take as long " +
		"as in " +
		"the shortest or longest timeline of one kill, or any time between"}
	if podspec.RestartPolicy(&p.pod.Spec, p.Container.Container) == corev1.RestartPolicyOnFailure {
		// pkg/kubelet/container/helpers.go ShouldContainerBeRestarted, in the sync after the one that killed
		d.Assumes.Description += "; no process exits with 0, which ends a container whose restart has to wait"
	}
	d.Grace = d.input(1).GracePeriod()
	l := loop{
		draft: d, extremes: []*draft{once[0], once[len(once)-1]}, // the last one's probe hangs
		toDeath: ofAll(once, func(o *draft) Span { return o.between(o.lastProbe(1), lifecycle.Gone) }),
		dies:    ofAll(once, func(o *draft) Span { return o.between(lifecycle.SIGTERM, lifecycle.Gone) }),
	}
	if d.spec.RunsHook() {
		l.hook = ofAll(once, func(o *draft) Span { return o.between(lifecycle.HookBegan, lifecycle.SIGTERM) })
	}
	first := []formula.Input{l.extremes[0].input(1), l.extremes[1].input(1)}
	l.killed(1, func(point, what string) {
		d.step(point, what, 1, reason{after: lifecycle.Fault, rule: &startToHook, inputs: first})
	})
	p.again(d, afterProbe, func(life int) {
		l.killed(life, func(point, what string) { l.fails(point, what, life) })
	})
	return []*draft{d}
}

// loop is a probe's loop under construction.
type loop struct {
	*draft
	// extremes are the shortest and the longest timeline of one kill. The spans are over all of them: from the killing
	// probe to the death, from the hook to SIGTERM, from SIGTERM to the death.
	extremes            []*draft
	toDeath, hook, dies Span
	// anyPhase is the kill of a life that may have begun at any time between two ticks of its probe, nil if none has.
	anyPhase *Step
}

// fails draws how the probe fails in a later life, up to the kill's first sign.
func (l *loop) fails(point, what string, life int) {
	start := inLife(lifecycle.Started, life)
	took := l.toDeath.plus(l.find(start).Implemented)
	anyPhase := took.Latest-took.Earliest > 2*effective.Seconds(l.spec.Probe.PeriodSeconds)
	if anyPhase && l.anyPhase != nil {
		l.repeat(*l.anyPhase, life, start)
		return
	}
	var restarted []formula.Input
	for _, extreme := range l.extremes {
		restarted = append(restarted, extreme.restartedWithin(life, took)...)
	}
	l.step(point, what, life, reason{after: start, rule: &laterStartToHook, inputs: restarted})
	if anyPhase {
		l.anyPhase = new(l.Steps[len(l.Steps)-1])
	}
}

// killed draws a kill from its first sign on, which sign draws.
func (l *loop) killed(life int, sign func(point, what string)) {
	const why = "as in the timelines of one kill"
	if l.spec.RunsHook() {
		sign(lifecycle.HookBegan, "the probe has failed: the preStop hook begins")
		l.within(lifecycle.SIGTERM, "SIGTERM", life, inLife(lifecycle.HookBegan, life), why, l.hook)
	} else {
		sign(lifecycle.SIGTERM, "the probe has failed: SIGTERM")
	}
	l.within(lifecycle.Gone, "the container is dead", life, inLife(lifecycle.SIGTERM, life), why, l.dies)
}

// ofAll returns the span over those of all timelines.
func ofAll(all []*draft, span func(*draft) Span) Span {
	var s *Span
	for _, d := range all {
		s = Over(s, span(d))
	}
	return s.notBefore(0)
}
