package predict

import "github.com/podclock/podclock/harness/formula"

// probeLoop predicts the restarts of a container that fails a probe in every life. Once are its timelines of the first
// kill. In each life, probe, hook and process take any time between the shortest and the longest of these: a restart is
// free or waits, depending on the time since the death before, so the extremes alone do not bound it.
func (p predictor) probeLoop(t trigger, once []*draft) []*draft {
	if !p.restarted() || p.pastEnd(&once[0].Timeline) {
		return nil
	}
	t.id, t.cause, t.variant = t.probe+"-loop", Looping, t.probe
	d := p.draft(t, Assumption{})
	d.Assumes = Assumption{Says: "the probe fails from every start on; probe, hook and process take as long as in " +
		"the shortest or longest timeline of one kill, or any time between"}
	d.Grace = d.input(1).GracePeriod()
	first := []formula.Input{once[0].input(1), once[len(once)-1].input(1)} // the last one's probe hangs
	d.killed(1, once, reason{after: Zero, rule: &startToHook, inputs: first})
	p.again(d, afterProbe, func(life int) {
		start, wait := inLife(Start, life), d.find(inLife(Start, life)).Implemented
		var restarted []formula.Input
		for _, extreme := range []*draft{once[0], once[len(once)-1]} {
			took := over(once, func(o *draft) Span { return o.between(o.lastProbe(1), Death) }).plus(wait)
			restarted = append(restarted, extreme.restartedWithin(life, took)...)
		}
		d.killed(life, once, reason{after: start, rule: &laterStartToHook, inputs: restarted})
	})
	return []*draft{d}
}

// killed draws a kill that takes as long as in one of these timelines.
func (d *draft) killed(life int, once []*draft, begins reason) {
	const why = "as in the timelines of one kill"
	sigterm := inLife(SIGTERM, life)
	if d.spec.RunsHook() {
		began := inLife(HookBegan, life)
		d.step(began, "the probe has failed: the preStop hook begins", life, begins)
		d.within(sigterm, "SIGTERM", life, began, why, over(once, func(o *draft) Span {
			return o.between(HookBegan, SIGTERM)
		}))
	} else {
		d.step(sigterm, "the probe has failed: SIGTERM", life, begins)
	}
	d.within(inLife(Death, life), "the container is dead", life, sigterm, why, over(once, func(o *draft) Span {
		return o.between(SIGTERM, Death)
	}))
}

// over returns the span over those of all timelines.
func over(all []*draft, span func(*draft) Span) Span {
	s := span(all[0])
	for _, d := range all[1:] {
		s = s.or(span(d))
	}
	return s.notBefore(0)
}
