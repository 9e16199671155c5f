package predict

import (
	"slices"

	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// livenessFails predicts a healthy container whose liveness probe begins to fail, and one that fails it from its
// start on unless a startup probe decides first.
func (p predictor) livenessFails() []*draft {
	if p.LivenessProbe == nil {
		return nil
	}
	t := trigger{
		id: "liveness", cause: formula.ByLiveness, kill: formula.ByLiveness, probe: podspec.Liveness,
		from: FromFault, variant: "once healthy",
		begins: "the moment from which a healthy container fails its liveness probe",
	}
	all := p.probeKills(t, func(d *draft) {
		d.started = -epoch / 2 // long ago
		d.fails(&formula.FaultSeen, &faultToHook)
		p.afterProbeKill(d, 1)
	})
	all = append(all, p.failsTogether(all[len(all)-1])...)
	if p.StartupProbe != nil {
		return all
	}
	t.id, t.from, t.variant = "liveness-from-start", FromStart, fromStart
	t.begins = "the start of a container that fails its liveness probe from the first time on"
	once := p.probeKills(t, p.failsTwice)
	return slices.Concat(all, once, p.probeLoop(t, once))
}

func (p predictor) startupFails() []*draft {
	if p.StartupProbe == nil {
		return nil
	}
	t := trigger{
		id: "startup", cause: formula.ByStartup, kill: formula.ByStartup, probe: podspec.Startup,
		from: FromStart, variant: fromStart,
		begins: "the start of a container that fails its startup probe from the first time on",
	}
	once := p.probeKills(t, func(d *draft) {
		p.failsTwice(d)
		if p.LivenessProbe != nil {
			d.valueOf(podspec.Liveness, "held-back", "liveness probes that it sees", &formula.HeldBack)
		}
	})
	return append(once, p.probeLoop(t, once)...)
}

func (p predictor) failsTwice(d *draft) {
	d.fails(&formula.FirstProbe, &startToHook)
	if p.afterProbeKill(d, 1) {
		d.failsAgain()
		p.afterProbeKill(d, 2)
	}
}

// failsAgain draws the second life, whose probes come by the first one's ticker.
func (d *draft) failsAgain() {
	const life = 2
	killed := d.lastProbe(life - 1)
	restarted := d.restartedWithin(life, d.between(killed, inLife(lifecycle.Started, life)))
	first := &formula.LaterProbe
	if p := d.spec.Probe; p.InitialDelaySeconds > 0 && p.PeriodSeconds > p.InitialDelaySeconds {
		first = &formula.LaterFirstProbe // its documented window differs
	}
	ticks := reason{after: killed, rule: &formula.KillTicks, inputs: restarted}
	firstSeen := []reason{{after: inLife(lifecycle.Started, life), rule: first, inputs: restarted}}
	if d.spec.Probe.FailureThreshold == 1 {
		firstSeen = append(firstSeen, ticks)
	}
	d.step(lifecycle.FirstProbe, "the first failing probe of the second life arrives", life, firstSeen...)
	d.failures(life, ticks)
	begins := []reason{
		{after: d.lastProbe(life), rule: &lastProbeToHook},
		{after: inLife(lifecycle.Started, life), rule: &laterStartToHook, inputs: restarted},
	}
	if !d.spec.RunsHook() { // the start of each hook adds to the time between two kills
		begins = append(begins,
			reason{after: inLife(lifecycle.SIGTERM, life-1), rule: &formula.KillSpacing, inputs: restarted})
	}
	d.kill(life, begins...)
}

// readinessFails predicts a ready container whose readiness probe begins to fail, and succeeds again.
func (p predictor) readinessFails() []*draft {
	if p.ReadinessProbe == nil {
		return nil
	}
	t := trigger{id: "readiness", cause: Unreadying, probe: podspec.Readiness,
		begins: "the moment from which a ready container fails its readiness probe"}
	var all []*draft
	for _, assumed := range []Assumption{
		{Name: "shortest", Description: "the probe fails at once"},
		{Name: "longest", Description: "the probe is not answered", ProbeHangs: true},
	} {
		d := p.draft(t, assumed)
		d.step(lifecycle.FirstProbe, "the first failing probe arrives", 1,
			reason{after: lifecycle.Fault, rule: &formula.FaultSeen})
		d.step(lifecycle.Unready, "the API shows the container as not ready", 1,
			reason{after: lifecycle.FirstProbe, rule: &formula.UnreadyLag})
		d.value("unready-after", "failing probes in a row until then", 1, &formula.UnreadyAfter)
		d.value("ends", "times that the container is killed for it", 1, &formula.ReadinessKillsNobody)
		d.assume("recovered", "the next readiness probe succeeds, or a later one", 1, lifecycle.Unready, 0)
		d.step(lifecycle.Ready, "the API shows the container as ready again", 1,
			reason{after: "recovered", rule: &formula.ReadyLag})
		all = append(all, d)
	}
	return all
}
