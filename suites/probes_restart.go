package suites

import (
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
)

// restartedUnderProbes is a worker whose kubelet is restarted while its pods are probed.
var restartedUnderProbes = &trial.Worker{Name: "probes-restart", Alone: true}

// probesOverRestarts are the trials of probes whose kubelet is restarted.
func probesOverRestarts() []trial.Trial {
	restart := trial.Cue{Action: trial.RestartKubelet}.At(trial.Started, 15*time.Second)
	return []trial.Trial{
		{
			ID:    "probes/kubelet-restart-phase",
			About: "A kubelet that was just started waits a random part of the period before a probe, and keeps to the period from then on; a ready pod stays ready meanwhile.",
			Pod: fixtures.Pod(2, fixtures.Victim(
				obeying(victim.Run{}),
				fixtures.Liveness(
					fixtures.Probe{Handler: fixtures.HTTP, PeriodSeconds: 12, TimeoutSeconds: 2, FailureThreshold: 3},
				),
				fixtures.Readiness(
					fixtures.Probe{
						Handler:             fixtures.HTTP,
						InitialDelaySeconds: served,
						PeriodSeconds:       5,
						TimeoutSeconds:      2,
						FailureThreshold:    3,
					},
				),
			)),
			Worker:    restartedUnderProbes,
			Cues:      []trial.Cue{restart},
			Labels:    []string{"liveness", "readiness"},
			KillCause: formula.ByLiveness,
			Lasts:     60 * time.Second,
			Claims: []trial.Claim{
				{
					Measure: trial.Between(trial.CueDone, trial.ProbeAfterRestart(victim.Liveness)),
					Formula: formula.AfterKubeletStart,
				},
				{
					Measure: trial.Between(
						trial.ProbeAfterRestart(victim.Liveness),
						trial.ProbeAfterRestart(victim.Liveness).Number(2),
					),
					Formula: formula.TickToTick,
				},
				{
					Measure: trial.Losses(ready, trial.Cued, 35*time.Second),
					Formula: formula.ReadyKeptOverRestart,
					Needs:   []formula.Change{formula.ReadyKept},
				},
			},
		},
		{
			ID:    "probes/kubelet-restart-opens-startup-gate",
			About: "The startup probe never succeeds, and the kubelet is restarted: from then on liveness probes reach the container, where the kubelet takes it for started.",
			Pod: fixtures.Pod(2, fixtures.Victim(
				obeying(victim.Run{Startup: "F"}),
				fixtures.Startup(
					fixtures.Probe{Handler: fixtures.HTTP, PeriodSeconds: 1, TimeoutSeconds: 1, FailureThreshold: 300},
				),
				// The delay outlasts the kubelet's restart: else it would be left to chance whether the
				// first liveness probe comes before the startup probe's.
				fixtures.Liveness(
					fixtures.Probe{
						Handler:             fixtures.HTTP,
						InitialDelaySeconds: 36,
						PeriodSeconds:       5,
						TimeoutSeconds:      2,
						FailureThreshold:    3,
					},
				),
			)),
			Worker:    restartedUnderProbes,
			Cues:      []trial.Cue{restart},
			Labels:    []string{"startup", "liveness"},
			KillCause: formula.ByStartup,
			Lasts:     62 * time.Second,
			Claims: []trial.Claim{
				{Measure: trial.ProbesWithin(victim.Liveness, 60*time.Second), Formula: formula.GateKept},
			},
		},
	}
}
