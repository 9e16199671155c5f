package predict

import (
	"slices"
	"strconv"
	"time"

	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// kill draws a kill in a life. Begins are the reasons for its first sign: its hook, or SIGTERM if no hook is run.
func (d *draft) kill(life int, begins ...reason) {
	d.Grace = d.input(life).GracePeriod()
	d.signal(life, begins)
	d.counts(life)
	d.death(life)
}

func (d *draft) signal(life int, begins []reason) {
	in := d.input(life)
	switch {
	case in.RunsHook():
		d.hook(life, begins)
	case in.Kill.Hook != formula.NoHook:
		d.step(lifecycle.SIGTERM, "SIGTERM; without a grace period the preStop hook is not run", life, begins...)
	default:
		d.step(lifecycle.SIGTERM, "SIGTERM", life, begins...)
	}
}

func (d *draft) hook(life int, begins []reason) {
	d.step(lifecycle.HookBegan, "the preStop hook begins", life, begins...)
	d.afterHook(life)
}

// afterHook draws SIGTERM after a hook that has begun.
func (d *draft) afterHook(life int) {
	in := d.input(life)
	began, ended := inLife(lifecycle.HookBegan, life), inLife(lifecycle.HookEnded, life)
	grace, took := in.GracePeriod(), in.Kill.HookElapsed.Low
	returned := reason{after: ended, rule: &formula.HookThenSignal}
	switch {
	case in.Kill.Hook == formula.SleepHook:
		what := "the sleep action is over"
		if took > grace {
			what = "the sleep action is cut: the grace period is over"
		}
		d.assume(lifecycle.HookEnded, what, life, began, min(took, grace))
		reasons := []reason{returned}
		if d.spec.Kill.Cause == formula.ByDelete && d.find(lifecycle.DeletionBegan) == nil {
			reasons = append(reasons, reason{after: lifecycle.Fault, rule: &formula.SleepThenSignal})
		}
		d.step(lifecycle.SIGTERM, "SIGTERM", life, reasons...)
	case took >= grace:
		d.step(lifecycle.SIGTERM, "SIGTERM: the grace period is over, the kubelet stops waiting for the preStop hook",
			life, reason{after: began, rule: d.hookBound()})
	default:
		d.assume(lifecycle.HookEnded, "the preStop hook ends", life, began, took)
		d.step(lifecycle.SIGTERM, "SIGTERM", life, returned)
	}
}

// evicts reports whether the kubelet ends the pod for its use of resources. A preemption leaves a pod its own grace
// period.
func (d *draft) evicts() bool {
	evictions := []formula.Cause{formula.ByHardEviction, formula.BySoftEviction, formula.ByStorageLimit}
	return slices.Contains(evictions, d.spec.Kill.Cause)
}

func (d *draft) hookBound() *formula.Formula {
	if d.evicts() {
		return &formula.EvictionHookBound
	}
	return &formula.HookBound
}

func (d *draft) remainder() *formula.Formula {
	switch k := d.spec.Kill; {
	case d.evicts():
		return &formula.EvictionRemainder
	case k.WholePod && k.ProbeTerminationGracePeriodSeconds != nil:
		return &formula.ProbeGraceIgnored
	}
	return &formula.Remainder
}

func (d *draft) counts(life int) {
	if life > 1 {
		return
	}
	if d.spec.Kill.Hook != formula.NoHook {
		d.value("hook-runs", "runs of the preStop hook", life, &formula.HookRuns)
	}
	d.value("sigterms", "stop signals", life, &formula.StopSignals)
}

func (d *draft) death(life int) {
	killed := []reason{{after: inLife(lifecycle.SIGTERM, life), rule: d.remainder()}}
	if d.spec.Kill.Cause == formula.ByDelete && d.find(lifecycle.DeletionBegan) == nil {
		killed = append(killed, reason{after: lifecycle.Fault, rule: &formula.KillLength})
		if d.find(lifecycle.ObjectDeleted) != nil {
			killed = append(killed, reason{after: lifecycle.ObjectDeleted, rule: &formula.DeathAfterObject})
		}
	}
	d.dies(life, killed...)
}

// dies draws SIGKILL for these reasons, or the process' own exit if that comes first.
func (d *draft) dies(life int, killed ...reason) {
	if d.Assumes.Obeys {
		soonest := time.Duration(d.predicted(killed[0], life).Implemented.Earliest)
		if d.Assumes.ExitsAfter <= max(0, soonest) {
			d.step(lifecycle.Gone, "the process exits, and the container is dead", life,
				reason{after: inLife(lifecycle.SIGTERM, life), rule: &formula.ObeyedSignal})
			return
		}
		d.Assumes.Obeys, d.facts.Obeys, d.inputs = false, false, nil // SIGKILL comes first
	}
	d.step(lifecycle.Gone, "SIGKILL: the container is dead", life, killed...)
	d.Steps[len(d.Steps)-1].SIGKILL = true
	if life == 1 {
		d.value("exit-code", "exit code", life, &formula.DeathCode)
	}
}

func (d *draft) failed() {
	d.step(lifecycle.Failed, "the pod is shown as Failed, if no other container lives longer", 1,
		reason{after: lifecycle.Gone, rule: &formula.PhaseAfterDeath})
}

func (d *draft) restart(life int, rules ...*formula.Formula) {
	death := inLife(lifecycle.Gone, life)
	if d.find(death) == nil {
		death = lifecycle.Fault
	}
	reasons, inputs := make([]reason, len(rules)), d.lived(life)
	for i, rule := range rules {
		reasons[i] = reason{after: death, rule: rule, inputs: inputs}
	}
	if life == 1 && d.held.Latest > 0 {
		d.within(Held, "the sync that started it is over: it waits for the postStart hooks of other containers",
			1, death,
			"postStart hooks of other containers", d.held)
		for i := range reasons {
			reasons[i].after = Held
		}
	}
	what := "the container is started again"
	if life > 1 {
		what += ", for the " + ordinal(life) + " time"
	}
	d.step(lifecycle.Started, what, life+1, reasons...)
}

func ordinal(n int) string {
	suffix := "th"
	switch {
	case n%100 >= 11 && n%100 <= 13:
	case n%10 == 1:
		suffix = "st"
	case n%10 == 2:
		suffix = "nd"
	case n%10 == 3:
		suffix = "rd"
	}
	return strconv.Itoa(n) + suffix
}

// lived returns the inputs of the restart after a life: with all lives at their earliest, and at their latest.
func (d *draft) lived(life int) []formula.Input {
	for n := len(d.early) + 1; n <= life; n++ {
		early := formula.Life{
			Started:   epoch + d.started,
			Gone:      epoch,
			Signalled: d.find(inLife(lifecycle.SIGTERM, n)) != nil,
			ExitCode:  -1,
		}
		late := early
		if n > 1 {
			start := d.at(inLife(lifecycle.Started, n))
			early.Started, late.Started = epoch+start.Earliest, epoch+start.Latest
		}
		if s := d.find(inLife(lifecycle.Gone, n)); s != nil {
			early.Gone, late.Gone = epoch+s.At.Earliest, epoch+s.At.Latest
		}
		d.early, d.late = append(d.early, early), append(d.late, late)
	}
	early, late := d.input(life+1), d.input(life+1)
	early.Lives, late.Lives = d.early[:life:life], d.late[:life:life]
	return []formula.Input{early, late}
}
