package predict

import (
	"strconv"
	"time"

	"github.com/podclock/podclock/harness/formula"
)

// kill is what follows when a container is killed in a life, by itself or with its pod: its hook, SIGTERM,
// death. Begins are the reasons for the first thing that the victim sees of it: its hook, or SIGTERM where
// no hook is run.
func (l *line) kill(life int, begins ...reason) {
	l.Grace = l.input(life).GracePeriod()
	l.signal(life, begins)
	l.counts(life)
	l.death(life)
}

// signal is a kill up to its SIGTERM.
func (l *line) signal(life int, begins []reason) {
	in, sigterm := l.input(life), numbered(SIGTERM, life)
	switch {
	case in.RunsHook():
		l.hook(life, begins)
	case in.Kill.Hook != formula.NoHook:
		l.step(sigterm, "SIGTERM; without a grace period the preStop hook is not run", life, begins...)
	default:
		l.step(sigterm, "SIGTERM", life, begins...)
	}
}

// hook is a preStop hook and the SIGTERM after it.
func (l *line) hook(life int, begins []reason) {
	in, began, ended, sigterm := l.input(
		life,
	), numbered(
		HookBegan,
		life,
	), numbered(
		HookEnded,
		life,
	), numbered(
		SIGTERM,
		life,
	)
	l.step(began, "the preStop hook begins", life, begins...)
	all, took := in.GracePeriod(), in.Kill.HookElapsed.Low
	switch {
	case in.Kill.Hook == formula.SleepHook:
		what := "the sleep action is over"
		if took > all {
			what = "the sleep action is cut: the grace period is over"
		}
		l.assume(ended, what, life, began, min(took, all))
		reasons := []reason{{after: ended, rule: &formula.HookThenSignal}}
		if l.spec.Kill.Cause == formula.ByDelete && l.begun() == Zero {
			reasons = append(reasons, reason{after: Zero, rule: &formula.SleepThenSignal})
		}
		l.step(sigterm, "SIGTERM", life, reasons...)
	case took >= all:
		l.step(
			sigterm,
			"SIGTERM: the grace period is over, the preStop hook is waited for no longer",
			life,
			reason{after: began, rule: l.hookBound()},
		)
	default:
		l.assume(ended, "the preStop hook ends", life, began, took)
		l.step(sigterm, "SIGTERM", life, reason{after: ended, rule: &formula.HookThenSignal})
	}
}

// begun is the step that a delete counts from: a taint is there before.
func (l *line) begun() string {
	if l.find(DeleteBegan) != nil {
		return DeleteBegan
	}
	return Zero
}

// evicts says whether the kubelet itself ends the pod because of what it uses. A preemption, which leaves a
// pod its own grace period, is none.
func (l *line) evicts() bool {
	switch l.spec.Kill.Cause {
	case formula.ByHardEviction, formula.BySoftEviction, formula.ByStorageLimit:
		return true
	}
	return false
}

func (l *line) hookBound() *formula.Formula {
	if l.evicts() {
		return &formula.EvictionHookBound
	}
	return &formula.HookBound
}

func (l *line) remainder() *formula.Formula {
	if l.evicts() {
		return &formula.EvictionRemainder
	}
	return &formula.Remainder
}

// counts are what a kill is counted by.
func (l *line) counts(life int) {
	if life > 1 {
		return // as in the first
	}
	if l.spec.Kill.Hook != formula.NoHook {
		l.value("hook-runs", "runs of the preStop hook", life, &formula.HookRuns)
	}
	l.value("sigterms", "stop signals", life, &formula.StopSignals)
}

// death is the end of a killed process: its own, or SIGKILL where that comes first.
func (l *line) death(life int) {
	sigterm, also := numbered(SIGTERM, life), []reason(nil)
	if l.spec.Kill.Cause == formula.ByDelete && l.find(DeleteBegan) == nil {
		also = append(also, reason{after: Zero, rule: &formula.KillLength})
		if l.find(Deleted) != nil {
			also = append(also, reason{after: Deleted, rule: &formula.DeathAfterObject})
		}
	}
	l.dies(life, append([]reason{{after: sigterm, rule: l.remainder()}}, also...)...)
}

// dies is death by SIGKILL for these reasons, or before by the process itself.
func (l *line) dies(life int, killed ...reason) {
	death := numbered(Death, life)
	if l.Assumes.Obeys {
		if soonest := l.predicted(
			killed[0],
			life,
		).Implemented.Earliest; l.Assumes.ExitsAfter <= time.Duration(
			max(0, soonest),
		) {
			l.step(
				death,
				"the process exits, and the container is dead",
				life,
				reason{after: numbered(SIGTERM, life), rule: &formula.ObeyedSignal},
			)
			return
		}
		l.Assumes.Obeys, l.facts.Obeys, l.inputs = false, false, nil // SIGKILL comes first
	}
	l.step(death, "SIGKILL: the container is dead", life, killed...)
	if life == 1 {
		l.value("exit-code", "exit code", life, &formula.DeathCode)
	}
}

// ended is when a pod that the kubelet ended is shown so, after the death of the container.
func (l *line) ended() {
	l.step(
		Failed,
		"the pod is shown as Failed, if no other container lives longer",
		1,
		reason{after: Death, rule: &formula.PhaseAfterDeath},
	)
}

// restarts is the start of the next life after one that ended.
func (l *line) restarts(life int, rules ...*formula.Formula) {
	death := numbered(Death, life)
	if l.find(death) == nil {
		death = Zero
	}
	reasons, inputs := make([]reason, len(rules)), l.lived(life)
	for i, rule := range rules {
		reasons[i] = reason{after: death, rule: rule, inputs: inputs}
	}
	what := "the container is started again"
	if life > 1 {
		what += ", for the " + ordinal(life) + " time"
	}
	l.step(numbered(Start, life+1), what, life+1, reasons...)
}

// ordinal is the English ordinal of a small number.
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

// lived are what the formula of the restart after a life may look at, by the lives so far: all of them as
// early as they may be, or as late.
func (l *line) lived(life int) []formula.Input {
	for n := len(l.early) + 1; n <= life; n++ {
		early := formula.Life{
			Started:   epoch + l.started,
			Gone:      epoch,
			Signalled: l.find(numbered(SIGTERM, n)) != nil,
			ExitCode:  -1,
		}
		late := early
		if n > 1 {
			start := l.at(numbered(Start, n))
			early.Started, late.Started = epoch+start.Earliest, epoch+start.Latest
		}
		if s := l.find(numbered(Death, n)); s != nil {
			early.Gone, late.Gone = epoch+s.At.Earliest, epoch+s.At.Latest
		}
		l.early, l.late = append(l.early, early), append(l.late, late)
	}
	inputs := []formula.Input{l.input(life + 1), l.input(life + 1)}
	inputs[0].Lives, inputs[1].Lives = l.early[:life:life], l.late[:life:life]
	return inputs
}
