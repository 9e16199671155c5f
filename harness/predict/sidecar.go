package predict

import (
	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// killPod draws the kill of a container with its pod. Only sidecars wait for their turn.
func (p predictor) killPod(d *draft, t trigger, begins reason) {
	if p.Role != effective.Sidecar {
		d.kill(1, begins)
		return
	}
	d.Grace = d.input(1).GracePeriod()
	first := d.input(1)
	first.Kill.Hook = p.firstSign(t)
	begins.inputs = []formula.Input{first}
	d.step(lifecycle.KillBegan,
		"the kill of the pod begins: with hooks, and with SIGTERM for main containers without one", 1, begins)
	p.killInTurn(d, t)
	d.counts(1)
}

// firstSign returns the hook that is a pod's first sign, or NoHook if a main container gets SIGTERM at once.
func (p predictor) firstSign(t trigger) formula.HookKind {
	kind := formula.NoHook
	for _, other := range p.others() {
		if other.Role != effective.Main {
			continue
		}
		in := other.input(t)
		if !in.RunsHook() {
			return formula.NoHook
		}
		kind = in.Kill.Hook
	}
	return kind
}

func (p predictor) killInTurn(d *draft, t trigger) {
	turn, mains := p.turn(t, d.asked)
	early, late := d.input(1), d.input(1)
	early.Turn, early.MainsTurn = turn.Earliest, mains.Earliest
	late.Turn, late.MainsTurn = turn.Latest, mains.Latest
	turns := []formula.Input{early, late}
	reasons := []reason{{after: lifecycle.KillBegan, rule: &formula.SidecarSignal, inputs: turns}}
	hangs := false
	if in := d.input(1); in.RunsHook() {
		d.step(lifecycle.HookBegan, "the preStop hook begins, with those of all other containers", 1,
			reason{after: lifecycle.KillBegan, rule: &formula.SidecarHook})
		took, grace := in.Kill.HookElapsed.Low, in.GracePeriod()
		if took < grace || in.Kill.Hook == formula.SleepHook {
			d.assume(lifecycle.HookEnded, "the preStop hook ends", 1, lifecycle.HookBegan, min(took, grace))
		} else {
			reasons, hangs = append(reasons, reason{after: lifecycle.HookBegan, rule: d.hookBound()}), true
		}
	}
	d.step(lifecycle.SIGTERM, "SIGTERM: its turn, or the end of the grace period", 1, reasons...)
	early, late = d.input(1), d.input(1)
	since := d.between(lifecycle.KillBegan, lifecycle.SIGTERM)
	early.SinceKill, late.SinceKill = max(0, since.Earliest), since.Latest
	killed := []reason{
		{after: lifecycle.SIGTERM, rule: &formula.SidecarRemainder, inputs: []formula.Input{early, late}},
		{after: lifecycle.KillBegan, rule: &formula.SidecarGrace, inputs: turns},
	}
	if hangs { // no time is left
		killed = append(killed, reason{after: lifecycle.SIGTERM, rule: d.remainder()})
	}
	d.dies(1, killed...)
}

// turn returns when the containers for which a sidecar waits are dead, counted from the beginning of the pod's
// kill: all, and the main ones.
func (p predictor) turn(t trigger, assumed Assumption) (all, mains Span) {
	if assumed.OthersObey {
		assumed = Assumption{Obeys: true}
	}
	for _, other := range p.others() {
		dead := other.deadAfter(t, assumed)
		if other.Role == effective.Main {
			mains = mains.later(dead)
		}
		all = all.later(dead)
	}
	return all, mains
}

// deadAfter returns when the container is dead after the first sign of its pod's kill. It keeps answers, because
// every earlier sidecar asks.
func (p predictor) deadAfter(t trigger, assumed Assumption) Span {
	if t.kill == formula.ByCompletion && p.Role == effective.Main {
		return Span{} // its end begins the kill
	}
	key := deathKey{container: p.Name, trigger: t.id, assumed: assumed}
	if dead, known := p.deaths[key]; known {
		return dead
	}
	d, sign := p.draft(t, assumed), lifecycle.SIGTERM
	if p.Role == effective.Sidecar {
		d.step(lifecycle.KillBegan, "", 1, reason{after: lifecycle.Fault, rule: &formula.SidecarsAfterMain})
		p.killInTurn(d, t)
		sign = lifecycle.KillBegan
	} else {
		if d.spec.RunsHook() {
			sign = lifecycle.HookBegan
		}
		d.signal(1, []reason{{after: lifecycle.Fault, rule: &formula.KillStart}})
		d.dies(1, reason{after: lifecycle.SIGTERM, rule: d.remainder()})
	}
	p.deaths[key] = d.between(sign, lifecycle.Gone).notBefore(0)
	return p.deaths[key]
}
