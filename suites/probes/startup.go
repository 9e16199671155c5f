package probes

import (
	"slices"
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

func startupProbes() []trial.Trial {
	return []trial.Trial{
		{
			ID: "probes/startup-then-delay",
			About: "The liveness probe's initial delay counts from the container's start, not from the startup " +
				"probe's success.",
			Pod: fixtures.Single(2,
				victim.Run{Term: victim.ExitNow, Startup: "FFFS"},
				fixtures.Startup(fixtures.Probe{PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 10}),
				fixtures.Liveness(fixtures.Probe{
					InitialDelaySeconds: 12, PeriodSeconds: 3, TimeoutSeconds: 2, FailureThreshold: 3,
				}),
			),
			Labels:    []string{"startup", "liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     17 * time.Second,
			Claims:    slices.Concat([]trial.Claim{first(victim.Startup)}, released()),
		},
		{
			ID:    "probes/startup-again",
			About: "A restarted container sees its startup probe again, though the last life's succeeded.",
			Pod: fixtures.Single(2,
				victim.Run{Term: victim.ExitNow, Liveness: "F/S"},
				fixtures.Startup(fixtures.Probe{
					InitialDelaySeconds: served, PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 3,
				}),
				fixtures.Liveness(fixtures.Probe{PeriodSeconds: 4, TimeoutSeconds: 2, FailureThreshold: 1}),
			),
			Labels:    []string{"startup", "liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     18 * time.Second,
			Claims: []trial.Claim{
				claims.New(trial.FailingProbes(victim.Liveness, 1), formula.FailingProbes),
				claims.Between(
					trial.Started.Life(2), trial.FirstProbe(victim.Startup).Life(2),
					formula.StartupAgain, formula.StartupWorkerEnds,
				),
			},
		},
		{
			ID: "probes/startup-after-crash",
			About: "A container that crashes sees its startup probe again, before any liveness probe: the kubelet " +
				"has seen its end, so it inherits no started flag.",
			Pod: fixtures.Single(2,
				victim.Run{ExitAfter: []time.Duration{15 * time.Second, 11 * time.Second}, ExitCode: 1},
				fixtures.Startup(fixtures.Probe{PeriodSeconds: 9, TimeoutSeconds: 2, FailureThreshold: 3}),
				fixtures.Liveness(fixtures.Probe{PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 3}),
			),
			Labels:    []string{"startup", "liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     30 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Gone, trial.Started.Life(2), formula.FirstCrash),
				claims.Between(
					trial.Started.Life(2), trial.FirstProbe(victim.Startup).Life(2),
					formula.StartupAgain, formula.StartupWorkerEnds,
				),
				claims.New(trial.ProbesBefore(victim.Liveness, victim.Startup, 2), formula.HeldBack),
			},
		},
		{
			ID: "probes/unready-until-started-again",
			About: "A ready container that its liveness probe kills is not ready while the startup probe of the next " +
				"life fails, and then as soon as it succeeds.",
			Pod: fixtures.Single(2,
				victim.Run{Term: victim.ExitNow, Liveness: "SSSF/S", Startup: "S/FFS"},
				fixtures.Startup(fixtures.Probe{PeriodSeconds: 4, TimeoutSeconds: 2, FailureThreshold: 5}),
				fixtures.Liveness(fixtures.Probe{PeriodSeconds: 3, TimeoutSeconds: 2, FailureThreshold: 1}),
				fixtures.Readiness(fixtures.Probe{PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 3}),
			),
			Labels:    []string{"startup", "liveness", "readiness"},
			KillCause: formula.ByLiveness,
			Lasts:     36 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Started.Life(2), trial.NoCondition(ready), formula.UnreadyWithRestart),
				claims.New(
					trial.HasCondition(ready,
						trial.Answered(victim.Startup, victim.Fail).Life(2).Number(2), time.Second),
					formula.UnreadyUntilStarted,
				),
			},
		},
		{
			ID: "probes/unready-until-startup-tick",
			About: "A container without a readiness probe that its liveness probe kills inherits the started flag, " +
				"so it is ready until the next tick of its startup probe.",
			Pod: fixtures.Single(2,
				victim.Run{Term: victim.ExitNow, Liveness: "SSF/S", Startup: "S/FFS"},
				// The startup probe's tick comes about eight seconds after the kill: late enough for a slow restart
				// before it.
				fixtures.Startup(fixtures.Probe{PeriodSeconds: 16, TimeoutSeconds: 2, FailureThreshold: 5}),
				fixtures.Liveness(fixtures.Probe{PeriodSeconds: 3, TimeoutSeconds: 2, FailureThreshold: 1}),
			),
			Labels:    []string{"startup", "liveness", "readiness"},
			KillCause: formula.ByLiveness,
			Lasts:     85 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Started.Life(2), trial.NoCondition(ready), formula.UnreadyAtStartupTick),
				claims.New(
					trial.HasCondition(ready,
						trial.Answered(victim.Startup, victim.Fail).Life(2).Number(2), time.Second),
					formula.UnreadyUntilStarted,
				),
				claims.Between(trial.Answered(victim.Startup, victim.Succeed).Life(2),
					trial.Condition(ready).Number(2), formula.LastSuccessReady),
			},
		},
		{
			ID:    "probes/startup-outlasts-period",
			About: "A startup probe that takes longer than its period is on hold when its next tick comes.",
			Pod: fixtures.Single(2,
				victim.Run{Term: victim.ExitNow, Startup: "L", Slow: 1500 * time.Millisecond},
				fixtures.Startup(fixtures.Probe{
					InitialDelaySeconds: served, PeriodSeconds: 1, TimeoutSeconds: 3, FailureThreshold: 3,
				}),
				fixtures.Liveness(fixtures.Probe{PeriodSeconds: 5, TimeoutSeconds: 2, FailureThreshold: 3}),
			),
			Labels:    []string{"startup", "liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     10 * time.Second,
			Claims:    []trial.Claim{first(victim.Startup, formula.DelayIgnored), startupOnce},
		},
		{
			ID:    "probes/startup-outlasts-period-of-2s",
			About: "An HTTP startup probe that takes longer than its period of two seconds succeeds once, too.",
			Pod: fixtures.Single(2,
				victim.Run{Term: victim.ExitNow, Startup: "L", Slow: 2500 * time.Millisecond},
				fixtures.Startup(fixtures.Probe{
					Handler: fixtures.HTTP, InitialDelaySeconds: served, PeriodSeconds: 2, TimeoutSeconds: 4,
					FailureThreshold: 3,
				}),
				fixtures.Liveness(fixtures.Probe{PeriodSeconds: 5, TimeoutSeconds: 2, FailureThreshold: 3}),
			),
			Labels:    []string{"startup", "liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     13 * time.Second,
			Claims:    []trial.Claim{first(victim.Startup, formula.DelayIgnored), startupOnce},
		},
		{
			ID: "probes/startup-after-liveness-kill",
			About: "A restarted container's startup probe should come first. An inherited started flag lets liveness " +
				"probes through.",
			Pod: fixtures.Single(2,
				victim.Run{
					Term: victim.ExitNow, Liveness: "F/S", ExitAfter: []time.Duration{-time.Second, 9 * time.Second},
				},
				fixtures.Startup(fixtures.Probe{PeriodSeconds: 10, TimeoutSeconds: 2, FailureThreshold: 3}),
				fixtures.Liveness(fixtures.Probe{PeriodSeconds: 3, TimeoutSeconds: 2, FailureThreshold: 1}),
			),
			Labels:    []string{"startup", "liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     28 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.New(trial.ProbesBefore(victim.Liveness, victim.Startup, 1), formula.HeldBack),
			}, released(), []trial.Claim{
				claims.New(trial.FailingProbes(victim.Liveness, 1), formula.FailingProbes),
				restarted(2),
				claims.New(trial.ProbesBefore(victim.Liveness, victim.Startup, 2), formula.StartupFirst),
			}),
		},
	}
}
