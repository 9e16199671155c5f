package predict

import (
	"strings"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// failsTogether predicts the last kill of several containers that begin to fail their liveness probes at once, if all
// of them are restarted: the pod worker kills one after another. The longest case bounds every order of the kills.
// Before this container's turn, each of the others is killed at most once.
func (p predictor) failsTogether(longest *draft) []*draft {
	var names []string
	var first []predictor
	for _, other := range p.containers() {
		if other.LivenessProbe == nil || other.Role == effective.Init || other.Name == p.Name {
			continue
		}
		if !other.restarted() {
			return nil
		}
		first, names = append(first, other), append(names, other.Name)
	}
	if len(first) == 0 || !p.restarted() {
		return nil
	}
	t := trigger{
		id: "liveness-together", cause: formula.ByLiveness, kill: formula.ByLiveness, probe: podspec.Liveness,
		from: FromFaults, variant: "together with " + strings.Join(names, ", "),
		begins: "the moment from which all containers with a liveness probe fail it; this one is killed last",
	}
	d := p.draft(t, longest.asked)
	d.started = longest.started
	d.step(lifecycle.FirstProbe, "the first failing probe arrives", 1,
		reason{after: lifecycle.Fault, rule: &formula.FaultSeen})
	d.failures(1)
	turn := reason{after: d.lastProbe(1), rule: &formula.LastProbeToKill}
	for _, other := range first {
		turn = d.othersTurn(other.draft(t, longest.asked), other.Name, turn)
	}
	d.Grace = d.input(1).GracePeriod()
	if in := d.input(1); in.RunsHook() {
		d.step("turn", "its turn", 1, turn)
		d.within(lifecycle.HookBegan, "the preStop hook begins", 1, "turn", "start of the hook", hookStart(in))
		d.afterHook(1)
	} else {
		d.step(lifecycle.SIGTERM, "its turn: SIGTERM", 1, turn)
	}
	d.counts(1)
	d.death(1)
	p.afterProbeKill(d, 1)
	return []*draft{d}
}

// othersTurn draws the kill of another container, and returns the reason for the next one's.
func (d *draft) othersTurn(other *draft, name string, turn reason) reason {
	other.signal(1, []reason{{after: lifecycle.Fault, rule: &formula.KillStart}})
	other.dies(1, reason{after: lifecycle.SIGTERM, rule: other.remainder()})
	in, sigterm := other.input(1), "sigterm-of-"+name
	if in.RunsHook() {
		began := "turn-of-" + name
		d.step(began, "the turn of container "+name, 1, turn)
		start := hookStart(in)
		hook := other.between(lifecycle.HookBegan, lifecycle.SIGTERM)
		hook.Latest += start.Latest
		d.within(sigterm, "its SIGTERM, after its preStop hook", 1, began, "start and time of its hook", hook)
	} else {
		d.step(sigterm, "the turn of container "+name+": its SIGTERM", 1, turn)
	}
	return reason{after: sigterm, rule: &formula.KilledInTurn, inputs: []formula.Input{in}}
}

func hookStart(in formula.Input) Span { return Span{Latest: formula.HookStart(in.Kill.Hook)} }
