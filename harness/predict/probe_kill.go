package predict

import (
	"fmt"

	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// The formulas of a kill by a probe, up to its first sign.
var (
	lastProbeToHook  = formula.ToHook(formula.LastProbeToKill)
	faultToHook      = formula.ToHook(formula.FaultKills)
	startToHook      = formula.ToHook(formula.ProbeKills)
	laterStartToHook = formula.ToHook(formula.LaterProbeKills)
)

func (d *draft) fails(first, kills *formula.Formula) {
	d.step(lifecycle.FirstProbe, "the first failing probe arrives", 1, reason{after: lifecycle.Fault, rule: first})
	d.failures(1)
	d.kill(1, reason{after: d.lastProbe(1), rule: &lastProbeToHook}, reason{after: lifecycle.Fault, rule: kills})
}

func (d *draft) failures(life int, also ...reason) {
	d.value(inLife("failing-probes", life), "failing probes until the kill", life, &formula.FailingProbes)
	if n := d.spec.Probe.FailureThreshold; n > 1 {
		reasons := append([]reason{{after: inLife(lifecycle.FirstProbe, life), rule: &formula.FailuresApart}}, also...)
		what := fmt.Sprintf("the %s failing probe in a row arrives", ordinal(n))
		d.step(lifecycle.LastProbe, what, life, reasons...)
	}
}

// lastProbe returns the step of the probe that kills a life.
func (d *draft) lastProbe(life int) string {
	if id := inLife(lifecycle.LastProbe, life); d.find(id) != nil {
		return id
	}
	return inLife(lifecycle.FirstProbe, life)
}

// restartedWithin returns the inputs of a life whose start comes in a span after the probe that killed the last one.
func (d *draft) restartedWithin(life int, took Span) []formula.Input {
	took = took.notBefore(0)
	in := d.input(life)
	edges := in.RestartEdges(formula.Range{Low: took.Earliest, High: took.Latest})
	inputs := make([]formula.Input, len(edges))
	for i, restart := range edges {
		inputs[i] = in
		inputs[i].Restart = restart
	}
	return inputs
}

// afterProbeKill draws what follows a death by a probe, and reports whether another life does.
func (p predictor) afterProbeKill(d *draft, life int) bool {
	if p.restarted() {
		d.restart(life, afterProbe(life)...)
		return true
	}
	if d.spec.Kill.WholePod {
		d.step(lifecycle.Failed, "the pod is shown as Failed", life,
			reason{after: inLife(lifecycle.Gone, life), rule: &formula.FinishedFailed})
	}
	return false
}

// freeRestarts is how many restarts after a probe's kills come at once, whatever the lives' lengths
// ([formula.FreeRestart]).
const freeRestarts = 2

// afterProbe returns the formulas of the restart after a probe's kill of life n.
func afterProbe(n int) []*formula.Formula {
	if n <= freeRestarts {
		return []*formula.Formula{&formula.RestartDelayAfterProbe, &formula.FreeRestart}
	}
	return []*formula.Formula{&formula.RestartDelayAfterProbe}
}
