package probes

import (
	"slices"
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
	"github.com/podclock/podclock/suites/claims"
)

// startupProbes returns the trials of how the startup probe hands over to the liveness probe.
func startupProbes() []trial.Trial {
	return []trial.Trial{
		{
			ID: "probes/startup-then-delay",
			About: "The liveness probe's initial delay of twelve seconds counts from the container's start, " +
				"not from the startup probe's success.",
			Pod: fixtures.Pod(2, fixtures.Victim(
				victim.Run{Term: victim.ExitNow, Startup: "FFFS"},
				fixtures.Startup(fixtures.Probe{PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 10}),
				fixtures.Liveness(fixtures.Probe{
					InitialDelaySeconds: 12, PeriodSeconds: 3, TimeoutSeconds: 2, FailureThreshold: 3,
				}),
			)),
			Labels:    []string{"startup", "liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     17 * time.Second,
			Claims:    slices.Concat([]trial.Claim{first(victim.Startup)}, released()),
		},
		{
			ID:    "probes/startup-again",
			About: "A restarted container sees its startup probe again, though the last life's succeeded.",
			Pod: fixtures.Pod(2, fixtures.Victim(
				victim.Run{Term: victim.ExitNow, Liveness: "F/S"},
				fixtures.Startup(fixtures.Probe{
					InitialDelaySeconds: served, PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 3,
				}),
				fixtures.Liveness(fixtures.Probe{PeriodSeconds: 4, TimeoutSeconds: 2, FailureThreshold: 1}),
			)),
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
			ID: "probes/startup-outlasts-period",
			About: "If a startup probe's success takes longer than its period, its next tick is due at once. " +
				"The probe is on hold by then and does not come again.",
			Pod: fixtures.Pod(2, fixtures.Victim(
				victim.Run{Term: victim.ExitNow, Startup: "L", Slow: 1500 * time.Millisecond},
				fixtures.Startup(fixtures.Probe{
					InitialDelaySeconds: served, PeriodSeconds: 1, TimeoutSeconds: 3, FailureThreshold: 3,
				}),
				fixtures.Liveness(fixtures.Probe{PeriodSeconds: 5, TimeoutSeconds: 2, FailureThreshold: 3}),
			)),
			Labels:    []string{"startup", "liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     10 * time.Second,
			Claims:    []trial.Claim{first(victim.Startup, formula.DelayIgnored), startupOnce},
		},
		{
			ID: "probes/startup-after-liveness-kill",
			About: "After a kill by the liveness probe the startup probe should come first again. A container that " +
				"inherits the last life's started flag gets liveness probes until the startup probe's next tick.",
			Pod: fixtures.Pod(2, fixtures.Victim(
				victim.Run{
					Term: victim.ExitNow, Liveness: "F/S", ExitAfter: []time.Duration{-time.Second, 9 * time.Second},
				},
				fixtures.Startup(fixtures.Probe{PeriodSeconds: 10, TimeoutSeconds: 2, FailureThreshold: 3}),
				fixtures.Liveness(fixtures.Probe{PeriodSeconds: 3, TimeoutSeconds: 2, FailureThreshold: 1}),
			)),
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
