package termination

import (
	"slices"
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
	"github.com/podclock/podclock/suites/claims"
)

// neighbour is the second container of a pod.
const neighbour = "neighbour"

// hangingHook is a preStop hook that never ends.
var hangingHook = fixtures.ExecPreStop(victim.Hook{Hang: true})

// execHook returns a preStop hook that is a process and takes a time.
func execHook(takes time.Duration) fixtures.Option {
	return fixtures.ExecPreStop(victim.Hook{Sleep: takes})
}

// httpHook returns a main process that ignores SIGTERM and serves a preStop hook that takes a time.
func httpHook(takes time.Duration) victim.Run {
	return victim.Run{Term: victim.Ignore, HookSleep: takes}
}

// killedAgainst returns the claims on a process that ignores SIGTERM, with rivals for its death.
func killedAgainst(rivals ...formula.Rival) []trial.Claim {
	return claims.Against(claims.KilledWithoutHook, rivals...)
}

// The claims on a process that ignores SIGTERM, by its preStop hook.
var (
	hookBegins = []trial.Claim{
		claims.Between(trial.Cued, trial.HookBegan, formula.KillStart),
		claims.New(trial.HookRuns(), formula.HookRuns, formula.HookNotRun),
	}
	hookHangs = []trial.Claim{claims.Between(trial.HookBegan, trial.SIGTERM, formula.HookBound)}
	// afterHook is claims.Killed if the result shows whether the hook's time is subtracted.
	afterHook = func() []trial.Claim {
		killed := claims.Against(claims.Killed, formula.FullGraceAgain)
		killed[1].Rivals = []formula.Rival{formula.FullGraceAgainLength}
		return killed
	}()
	// killedAfterQuickHook holds for a hook that takes less than a second.
	killedAfterQuickHook = slices.Concat(hookBegins, claims.Killed)
	// killedAfterHook holds for a hook that takes longer.
	killedAfterHook = slices.Concat(hookBegins, afterHook)
	// killedAfterRoundedHook holds for a hook whose time is not close to a whole number of seconds.
	killedAfterRoundedHook = claims.Against(killedAfterHook, formula.HookSubtractedExactly, formula.HookRoundedUp)
	// killedAfterHangingHook holds for a hook that never ends.
	killedAfterHangingHook = slices.Concat(claims.Against(killedAfterHook, formula.NoMinimum), hookHangs)
)

// slept returns the claim on the time from the delete to SIGTERM if the preStop hook is a sleep action.
func slept(rivals ...formula.Rival) []trial.Claim {
	return []trial.Claim{claims.Between(trial.Cued, trial.SIGTERM, formula.SleepThenSignal, rivals...)}
}

// failedAfter returns the claim on the time from the last death to the phase Failed.
func failedAfter(dead trial.Point) []trial.Claim {
	return claims.Needing(formula.TerminalPhaseLast, []trial.Claim{
		claims.Between(dead, trial.Phase("Failed"), formula.PhaseAfterDeath),
	})
}

// atOnce is a probe whose first failure kills.
var atOnce = fixtures.Probe{PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 1}

// failing ignores SIGTERM and fails every liveness probe.
var failing = victim.Run{Term: victim.Ignore, Liveness: "F"}
