package predict

import (
	"fmt"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/podspec"
	"github.com/podclock/podclock/harness/victim"
)

// restarted says whether a container that a probe or a failed hook kills is started again.
func (s scene) restarted() bool { return !podspec.NeverRestarted(s.pod, s.spec) }

// livenessFails are a healthy container that begins to fail its liveness probe, and one that fails it from
// its start on. Where there is a startup probe, that one decides first.
func (s scene) livenessFails() []*line {
	if s.spec.LivenessProbe == nil {
		return nil
	}
	a := about{
		id: "liveness", cause: formula.ByLiveness, kill: formula.ByLiveness, probe: victim.Liveness,
		variant: "once healthy", begins: "the moment from which a healthy container fails its liveness probe",
	}
	all := s.failing(a, func(l *line) {
		l.started = -epoch / 2 // long ago
		l.fails(&formula.FaultSeen, &faultToHook)
		s.afterProbeKill(l, 1)
	})
	if s.spec.StartupProbe != nil {
		return all
	}
	a.id, a.variant, a.begins = "liveness-from-start", fromStart, "the start of a container that fails its liveness probe from the first time on"
	return append(all, s.failing(a, func(l *line) { s.failsTwice(l) })...)
}

// fromStart is the variant of a probe that never succeeds.
const fromStart = "from its start"

// startupFails is a container whose startup probe never succeeds.
func (s scene) startupFails() []*line {
	if s.spec.StartupProbe == nil {
		return nil
	}
	a := about{
		id: "startup", cause: formula.ByStartup, kill: formula.ByStartup, probe: victim.Startup,
		variant: fromStart, begins: "the start of a container that fails its startup probe from the first time on",
	}
	return s.failing(a, func(l *line) {
		s.failsTwice(l)
		if s.spec.LivenessProbe != nil {
			l.valueOf(victim.Liveness, "held-back", "liveness probes that it sees", &formula.HeldBack)
		}
	})
}

// failsTwice is two lives that both fail the probe from the first time on.
func (s scene) failsTwice(l *line) {
	l.fails(&formula.FirstProbe, &startToHook)
	if !s.afterProbeKill(l, 1) {
		return
	}
	l.failsAgain()
	s.afterProbeKill(l, 2)
}

// The formulas of a probe's kill, to the first that its container sees of it: its hook, or SIGTERM where no
// hook is run.
var (
	lastProbeToHook  = formula.ToHook(formula.LastProbeToKill)
	faultToHook      = formula.ToHook(formula.FaultKills)
	startToHook      = formula.ToHook(formula.ProbeKills)
	laterStartToHook = formula.ToHook(formula.LaterProbeKills)
)

// fails is the kill of the first life: the first failing probe after zero, those that are needed, the kill.
func (l *line) fails(first, kills *formula.Formula) {
	l.step(FirstProbe, "the first failing probe arrives", 1, reason{after: Zero, rule: first})
	l.failures(1)
	l.kill(1, reason{after: lastProbe(l, 1), rule: &lastProbeToHook}, reason{after: Zero, rule: kills})
}

// failures are the failing probes of a life after the first.
func (l *line) failures(life int, also ...reason) {
	l.value(numbered("failing-probes", life), "failing probes until the kill", life, &formula.FailingProbes)
	if l.spec.Probe.FailureThreshold > 1 {
		reasons := append([]reason{{after: numbered(FirstProbe, life), rule: &formula.FailuresApart}}, also...)
		l.step(
			numbered(LastProbe, life),
			fmt.Sprintf("the %s failing probe in a row arrives", ordinal(l.spec.Probe.FailureThreshold)),
			life,
			reasons...)
	}
}

// lastProbe is the step of the probe that kills a life.
func lastProbe(l *line, life int) string {
	if id := numbered(LastProbe, life); l.find(id) != nil {
		return id
	}
	return numbered(FirstProbe, life)
}

// failsAgain is the second life, which fails as the first did: its ticker is the first one's.
func (l *line) failsAgain() {
	const life = 2
	killed := lastProbe(l, life-1)
	var restarted []formula.Input
	took := l.between(killed, numbered(Start, life)).notBefore(0)
	for _, restart := range l.input(life).RestartEdges(formula.Range{Low: took.Earliest, High: took.Latest}) {
		in := l.input(life)
		in.Restart = restart
		restarted = append(restarted, in)
	}
	first := &formula.LaterProbe
	if p := l.spec.Probe; p.InitialDelaySeconds > 0 && p.PeriodSeconds > p.InitialDelaySeconds {
		first = &formula.LaterFirstProbe // of which the documentation says something else
	}
	ticks := reason{after: killed, rule: &formula.KillTicks, inputs: restarted}
	firstSeen := []reason{{after: numbered(Start, life), rule: first, inputs: restarted}}
	if l.spec.Probe.FailureThreshold == 1 {
		firstSeen = append(firstSeen, ticks)
	}
	l.step(numbered(FirstProbe, life), "the first failing probe of the second life arrives", life, firstSeen...)
	l.failures(life, ticks)
	begins := []reason{
		{after: lastProbe(l, life), rule: &lastProbeToHook},
		{after: numbered(Start, life), rule: &laterStartToHook, inputs: restarted},
	}
	if !l.spec.RunsHook() { // between two hooks there are their own starts, too
		begins = append(begins, reason{after: numbered(SIGTERM, life-1), rule: &formula.KillSpacing, inputs: restarted})
	}
	l.kill(life, begins...)
}

// afterProbeKill is what follows the death of a life that a probe ended, and says whether that is another life.
func (s scene) afterProbeKill(l *line, life int) bool {
	if s.restarted() {
		l.restarts(life, &formula.RestartDelayAfterProbe, &formula.FreeRestart)
		return true
	}
	if l.spec.Kill.WholePod {
		l.step(
			Failed,
			"the pod is shown as Failed",
			life,
			reason{after: numbered(Death, life), rule: &formula.FinishedFailed},
		)
	}
	return false
}

// readinessFails is a ready container that begins to fail its readiness probe, and succeeds again.
func (s scene) readinessFails() []*line {
	if s.spec.ReadinessProbe == nil {
		return nil
	}
	a := about{
		id:     "readiness",
		cause:  Unreadying,
		probe:  victim.Readiness,
		begins: "the moment from which a ready container fails its readiness probe",
	}
	var all []*line
	for _, assumed := range []Assumption{{Name: "shortest", Says: "the probe fails at once"}, {Name: "longest", Says: "the probe is not answered", ProbeHangs: true}} {
		l := s.line(a, assumed)
		l.step(FirstProbe, "the first failing probe arrives", 1, reason{after: Zero, rule: &formula.FaultSeen})
		l.step(
			Unready,
			"the API shows the container as not ready",
			1,
			reason{after: FirstProbe, rule: &formula.UnreadyLag},
		)
		l.value("unready-after", "failing probes in a row until then", 1, &formula.UnreadyAfter)
		l.value("ends", "times that the container is killed for it", 1, &formula.ReadinessKillsNobody)
		l.assume("recovered", "the next readiness probe succeeds, or a later one", 1, Unready, 0)
		l.step(
			Ready,
			"the API shows the container as ready again",
			1,
			reason{after: "recovered", rule: &formula.ReadyLag},
		)
		all = append(all, l)
	}
	return all
}
