package termination

import (
	"slices"
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

const neighbour = "neighbour"

var hangingHook = fixtures.ExecPreStop(victim.Hook{Hang: true})

var oneDelete = []trial.Fault{trial.Delete()}

func execHook(takes time.Duration) fixtures.Option {
	return fixtures.ExecPreStop(victim.Hook{Sleep: takes})
}

// httpHook returns a main process that ignores SIGTERM and serves its hook.
func httpHook(takes time.Duration) victim.Run {
	return victim.Run{Term: victim.Ignore, HookSleep: takes}
}

func killedAgainst(mistakes ...formula.Mistake) []trial.Claim {
	return claims.Against(claims.KilledWithoutHook, mistakes...)
}

// The claims on a process that ignores SIGTERM, by its preStop hook.
var (
	hookBegins = []trial.Claim{
		claims.Between(trial.Injected, trial.HookBegan, formula.KillStart),
		claims.New(trial.HookRuns(), formula.HookRuns, formula.HookNotRun),
	}
	hookHangs = []trial.Claim{claims.Between(trial.HookBegan, trial.SIGTERM, formula.HookBound)}
	// afterHook is claims.Killed if the result shows whether the hook's time is subtracted.
	afterHook = claims.Against(claims.Killed, formula.FullGraceAgain)
	// killedAfterQuickHook is for a hook of less than a second.
	killedAfterQuickHook = slices.Concat(hookBegins, claims.Killed)
	// killedAfterHook is for a longer hook.
	killedAfterHook = slices.Concat(hookBegins, afterHook)
	// killedAfterRoundedHook is for a hook whose time is not close to whole seconds.
	killedAfterRoundedHook = claims.Against(killedAfterHook, formula.HookSubtractedExactly, formula.HookRoundedUp)
	killedAfterHangingHook = slices.Concat(claims.Against(killedAfterHook, formula.NoMinimum), hookHangs)
)

func slept(mistakes ...formula.Mistake) []trial.Claim {
	return []trial.Claim{claims.Between(trial.Injected, trial.SIGTERM, formula.SleepThenSignal, mistakes...)}
}

func failedAfter(dead trial.Point) []trial.Claim {
	return claims.Needing(formula.TerminalPhaseLast, []trial.Claim{
		claims.Between(dead, trial.Phase("Failed"), formula.PhaseAfterDeath),
	})
}

var atOnce = fixtures.Probe{PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 1}

var failing = victim.Run{Term: victim.Ignore, Liveness: "F", Startup: "F"}
