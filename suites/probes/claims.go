package probes

import (
	"slices"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

func first(kind string, mistakes ...formula.Mistake) trial.Claim {
	return claims.Between(trial.Started, trial.FirstProbe(kind), formula.FirstProbe, mistakes...)
}

// released returns the claims on the liveness probe after the startup probe's success.
func released() []trial.Claim {
	return []trial.Claim{
		claims.Between(
			trial.Answered(victim.Startup, victim.Succeed), trial.FirstProbe(victim.Liveness), formula.Released,
		),
		startupOnce,
	}
}

var startupOnce = claims.New(
	trial.ProbesInARowUntil(victim.Startup, 1, trial.FirstProbe(victim.Liveness)),
	formula.StartupOnce, formula.StartupGoesOn,
)

// killedByProbe returns the claims on lives whose probe of a kind always fails.
func killedByProbe(kind string, lives int) []trial.Claim {
	all := []trial.Claim{claims.Between(trial.Started, trial.SIGTERM, formula.ProbeKills)}
	for life := 1; life <= lives; life++ {
		all = append(all, failures(kind, life)...)
		if life > 1 {
			all = append(all,
				claims.Between(
					trial.SIGTERM.Life(life-1), trial.SIGTERM.Life(life),
					formula.KillSpacing, formula.ResultRunOne, formula.NeverReset,
				),
				claims.Between(
					trial.LastProbe(kind).Life(life-1), trial.LastProbe(kind).Life(life),
					formula.KillTicks, formula.ResultRunOne, formula.NeverReset,
				),
				restarted(life),
			)
		}
	}
	return all
}

// killedOutOfStep is killedByProbe for a probe that takes longer than its period, so that none begins at a tick.
func killedOutOfStep(kind string, lives int) []trial.Claim {
	var all []trial.Claim
	for life := 1; life <= lives; life++ {
		all = append(all, claims.Between(trial.Started.Life(life), trial.SIGTERM.Life(life), formula.ProbeKills))
		all = append(all, failures(kind, life)...)
		if life > 1 {
			all = append(all, restarted(life))
		}
	}
	return all
}

func failures(kind string, life int) []trial.Claim {
	return []trial.Claim{
		claims.New(trial.FailingProbes(kind, life), formula.FailingProbes, formula.ResultRunOne, formula.NeverReset),
		claims.Between(trial.LastProbe(kind).Life(life), trial.SIGTERM.Life(life), formula.LastProbeToKill),
	}
}

func restarted(life int) trial.Claim {
	return claims.Between(trial.Gone.Life(life-1), trial.Started.Life(life), formula.FreeRestart)
}

// laterLife returns the claims on a later life, during whose restart the ticker continues.
func laterLife(life int) []trial.Claim {
	start := trial.Started.Life(life)
	return []trial.Claim{
		claims.Between(start, trial.FirstProbe(victim.Liveness).Life(life), formula.LaterProbe),
		claims.Between(
			start, trial.SIGTERM.Life(life),
			formula.LaterProbeKills, formula.ResultRunOne, formula.NeverReset,
		),
	}
}

// killedInGrace returns the claims on a container that its first failures kill and that ignores SIGTERM.
func killedInGrace(kind string, mistakes ...formula.Mistake) []trial.Claim {
	return slices.Concat(killedByProbe(kind, 1), claims.Death(trial.Main, formula.Remainder, mistakes...))
}

var twoFailures = fixtures.Probe{PeriodSeconds: 3, TimeoutSeconds: 2, FailureThreshold: 2}

// withGrace returns twoFailures with its own grace period in seconds.
func withGrace(seconds int64) fixtures.Probe {
	p := twoFailures
	p.TerminationGracePeriodSeconds = &seconds
	return p
}

var failing = victim.Run{Term: victim.ExitNow, Liveness: "F"}

var failingAndIgnoring = victim.Run{Term: victim.Ignore, Liveness: "F", Startup: "F"}

func needs(h fixtures.Handler) []formula.Change {
	if h == fixtures.GRPC {
		return []formula.Change{formula.GRPCProbes}
	}
	return nil
}
