// Package claims holds the claims that trials of several areas share, and short constructors of claims and trials.
// The lists are values that trials combine; nothing may change one in place.
package claims

import (
	"slices"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// New returns the claim that a formula predicts a measure. Mistakes explain a deviation.
func New(m trial.Measure, f formula.Formula, mistakes ...formula.Mistake) trial.Claim {
	return trial.Claim{Measure: m, Formula: f, Mistakes: mistakes}
}

// Between returns the claim that a formula predicts the time between two points.
func Between(from, to trial.Point, f formula.Formula, mistakes ...formula.Mistake) trial.Claim {
	return New(trial.Between(from, to), f, mistakes...)
}

// Death returns the claims on a container's death after one SIGTERM.
func Death(container string, f formula.Formula, mistakes ...formula.Mistake) []trial.Claim {
	return []trial.Claim{
		New(trial.Between(trial.SIGTERM, trial.Gone).Of(container), f, mistakes...),
		New(trial.StopSignals().Of(container), formula.StopSignals),
	}
}

// Against returns the claims with more known mistakes for the time from SIGTERM to the death. Each known mistake must
// predict another time in this trial.
func Against(claims []trial.Claim, mistakes ...formula.Mistake) []trial.Claim {
	claims = slices.Clone(claims)
	for i := range claims {
		if claims[i].Formula.ID == formula.Remainder.ID {
			claims[i].Mistakes = slices.Concat(claims[i].Mistakes, mistakes)
		}
	}
	return claims
}

// Needing returns the claims for kubelets that have a change.
func Needing(c formula.Change, claims []trial.Claim) []trial.Claim {
	claims = slices.Clone(claims)
	for i := range claims {
		claims[i].Needs = append(slices.Clone(claims[i].Needs), c)
	}
	return claims
}

// The claims on a container of a deleted pod.
var (
	// Killed is for a container that ignores SIGTERM.
	Killed = []trial.Claim{
		Between(trial.SIGTERM, trial.Gone, formula.Remainder),
		Between(trial.Injected, trial.Gone, formula.KillLength),
		New(trial.StopSignals(), formula.StopSignals),
	}
	// KilledWithoutHook is for a container that ignores SIGTERM and runs no hook.
	KilledWithoutHook = slices.Concat([]trial.Claim{Between(trial.Injected, trial.SIGTERM, formula.KillStart)}, Killed)
	// Obeyed is for a container that ends on SIGTERM and has no hook.
	Obeyed = slices.Concat([]trial.Claim{
		Between(trial.Injected, trial.SIGTERM, formula.KillStart),
	}, Death(trial.Main, formula.ObeyedSignal))
	// HookCompletes is for a hook that ends within the grace period.
	HookCompletes = []trial.Claim{Between(trial.HookEnded, trial.SIGTERM, formula.HookThenSignal)}
)

// The claims on the object of a deleted pod.
var (
	// DeletedGracefully is for a delete with a grace period.
	DeletedGracefully = []trial.Claim{
		New(trial.DeathCode(), formula.DeathCode),
		Between(trial.Gone, trial.ObjectDeleted, formula.ObjectDeleted),
	}
	// DeletedAtOnce is for a delete without a grace period.
	DeletedAtOnce = []trial.Claim{Between(trial.Injected, trial.ObjectDeleted, formula.ObjectForced)}
)

// ByGate returns a trial for the releases with a change, in which feature gates are off. Its worker turns them on.
func ByGate(t trial.Trial, c formula.Change, gates ...string) trial.Trial {
	on := map[string]any{}
	for _, gate := range gates {
		on[gate] = true
	}
	t.ID += "-by-gate"
	t.About += " Its feature gate is off by default, and turned on."
	t.Worker = &trial.Worker{Name: gates[0], KubeletConfig: map[string]any{"featureGates": on}}
	t.Needs = []formula.Change{c}
	return t
}
