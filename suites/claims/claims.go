// Package claims holds the claims that trials of several areas share, and short constructors of claims.
// The lists are values that trials combine; nothing may change one in place.
package claims

import (
	"slices"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
)

// New returns the claim that a formula predicts a measure. Rivals are wrong predictions that explain a deviation.
func New(m trial.Measure, f formula.Formula, rivals ...formula.Rival) trial.Claim {
	return trial.Claim{Measure: m, Formula: f, Rivals: rivals}
}

// Between returns the claim that a formula predicts the time from one point to another.
func Between(from, to trial.Point, f formula.Formula, rivals ...formula.Rival) trial.Claim {
	return New(trial.Between(from, to), f, rivals...)
}

// Death returns the claims on a container's death: a formula predicts when it follows SIGTERM, and one stop
// signal is sent.
func Death(container string, f formula.Formula, rivals ...formula.Rival) []trial.Claim {
	return []trial.Claim{
		New(trial.Between(trial.SIGTERM, trial.Gone).Of(container), f, rivals...),
		New(trial.StopSignals().Of(container), formula.StopSignals),
	}
}

// Against returns the claims with more rivals for the time from SIGTERM to the death. Name only rivals that
// predict another time in this very trial: an ignored option, for example, needs a request with an option.
func Against(claims []trial.Claim, rivals ...formula.Rival) []trial.Claim {
	claims = slices.Clone(claims)
	for i := range claims {
		if claims[i].Formula.ID == formula.Remainder.ID {
			claims[i].Rivals = slices.Concat(claims[i].Rivals, rivals)
		}
	}
	return claims
}

// Needing returns the claims for kubelets that have a change; other kubelets are not judged by them.
func Needing(c formula.Change, claims []trial.Claim) []trial.Claim {
	claims = slices.Clone(claims)
	for i := range claims {
		claims[i].Needs = append(slices.Clone(claims[i].Needs), c)
	}
	return claims
}

// The claims on a container of a deleted pod.
var (
	// Killed holds for every container that ignores SIGTERM, whatever its hook does.
	Killed = []trial.Claim{
		Between(trial.SIGTERM, trial.Gone, formula.Remainder),
		Between(trial.Cued, trial.Gone, formula.KillLength),
		New(trial.StopSignals(), formula.StopSignals),
	}
	// KilledWithoutHook holds for a container that ignores SIGTERM and has no hook, or one that never starts.
	KilledWithoutHook = slices.Concat([]trial.Claim{Between(trial.Cued, trial.SIGTERM, formula.KillStart)}, Killed)
	// Obeyed holds for a container that ends on SIGTERM and has no hook.
	Obeyed = slices.Concat([]trial.Claim{
		Between(trial.Cued, trial.SIGTERM, formula.KillStart),
	}, Death(trial.Main, formula.ObeyedSignal))
	// HookCompletes holds if the preStop hook ends within the grace period.
	HookCompletes = []trial.Claim{Between(trial.HookEnded, trial.SIGTERM, formula.HookThenSignal)}
)

// The claims on the object of a deleted pod.
var (
	// DeletedGracefully holds for a delete with a grace period: the object stays until after the death and
	// shows how the container ended.
	DeletedGracefully = []trial.Claim{
		New(trial.DeathCode(), formula.DeathCode),
		Between(trial.Gone, trial.ObjectDeleted, formula.ObjectDeleted),
	}
	// DeletedAtOnce holds for a delete without a grace period.
	DeletedAtOnce = []trial.Claim{Between(trial.Cued, trial.ObjectDeleted, formula.ObjectForced)}
)
