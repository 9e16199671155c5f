package probes

import (
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
	"github.com/podclock/podclock/suites/claims"
)

// firstTicks returns the trial of when the tickers of probes begin.
func firstTicks() []trial.Trial {
	// All containers must start well within a period.
	seldom := fixtures.Liveness(fixtures.Probe{PeriodSeconds: 15, TimeoutSeconds: 2, FailureThreshold: 3})
	obeying := victim.Run{Term: victim.ExitNow}
	firstTick := func(container string) trial.Claim {
		return claims.Between(
			trial.PodStartTime, trial.FirstProbe(victim.Liveness).Of(container),
			formula.FirstTick, formula.FirstTickAtRandom,
		)
	}
	return []trial.Trial{
		{
			ID: "probes/first-tick",
			About: "The probes of a pod's three containers begin together, a whole period after its first sync. " +
				"Only a kubelet that has just started delays them by a random part of it.",
			Pod: fixtures.Pod(2,
				fixtures.Victim(obeying, seldom),
				fixtures.Named("second", obeying, seldom),
				fixtures.Named("third", obeying, seldom),
			),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     18 * time.Second,
			Claims:    []trial.Claim{firstTick(trial.Main), firstTick("second"), firstTick("third")},
		},
	}
}

// restartedUnderProbes is a worker whose kubelet is restarted while its pods are probed.
var restartedUnderProbes = &trial.Worker{Name: "probes-restart", Alone: true}

// kubeletRestarts returns the trials of probes whose kubelet is restarted.
func kubeletRestarts() []trial.Trial {
	restart := trial.Cue{Action: trial.RestartKubelet}.At(trial.Started, 15*time.Second)
	after := trial.ProbeAfterRestart(victim.Liveness)
	keepsReady := claims.New(trial.Losses(ready, trial.Cued, 35*time.Second), formula.ReadyKeptOverRestart)
	keepsReady.Needs = []formula.Change{formula.ReadyKept}
	return []trial.Trial{
		{
			ID: "probes/kubelet-restart-phase",
			About: "A kubelet that has just started waits a random part of the period before a probe. " +
				"Then it keeps the period. A ready pod stays ready meanwhile.",
			Pod: fixtures.Pod(2, fixtures.Victim(
				victim.Run{Term: victim.ExitNow},
				fixtures.Liveness(fixtures.Probe{PeriodSeconds: 12, TimeoutSeconds: 2, FailureThreshold: 3}),
				fixtures.Readiness(fixtures.Probe{
					InitialDelaySeconds: served, PeriodSeconds: 5, TimeoutSeconds: 2, FailureThreshold: 3,
				}),
			)),
			Worker:    restartedUnderProbes,
			Cues:      []trial.Cue{restart},
			Labels:    []string{"liveness", "readiness"},
			KillCause: formula.ByLiveness,
			Lasts:     60 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.CueDone, after, formula.AfterKubeletStart),
				claims.Between(after, after.Number(2), formula.TickToTick),
				keepsReady,
			},
		},
		{
			ID: "probes/kubelet-restart-opens-startup-gate",
			About: "The startup probe never succeeds, and the kubelet restarts. " +
				"If the kubelet takes the container for started, liveness probes reach it from then on.",
			Pod: fixtures.Pod(2, fixtures.Victim(
				victim.Run{Term: victim.ExitNow, Startup: "F"},
				fixtures.Startup(fixtures.Probe{PeriodSeconds: 1, TimeoutSeconds: 1, FailureThreshold: 300}),
				// The delay is longer than the kubelet's restart. Otherwise chance would decide whether the first
				// liveness probe comes before the startup probe's.
				fixtures.Liveness(fixtures.Probe{
					InitialDelaySeconds: 36, PeriodSeconds: 5, TimeoutSeconds: 2, FailureThreshold: 3,
				}),
			)),
			Worker:    restartedUnderProbes,
			Cues:      []trial.Cue{restart},
			Labels:    []string{"startup", "liveness"},
			KillCause: formula.ByStartup,
			Lasts:     62 * time.Second,
			Claims: []trial.Claim{
				claims.New(trial.ProbesWithin(victim.Liveness, 60*time.Second), formula.GateKept),
			},
		},
	}
}
