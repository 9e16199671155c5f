package suites

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
)

// startupProbes are the trials of the startup probe's hand-over to the liveness probe, and of delays and
// lives that need more than one probe.
func startupProbes() []trial.Trial {
	return []trial.Trial{
		{
			ID:    "probes/startup-then-delay",
			About: "The liveness probe's initial delay of twelve seconds counts from the container's start, not from the startup probe's success.",
			Pod: fixtures.Pod(2, fixtures.Victim(
				obeying(victim.Run{Startup: "FFFS"}),
				fixtures.Startup(
					fixtures.Probe{Handler: fixtures.HTTP, PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 10},
				),
				fixtures.Liveness(
					fixtures.Probe{
						Handler:             fixtures.HTTP,
						InitialDelaySeconds: 12,
						PeriodSeconds:       3,
						TimeoutSeconds:      2,
						FailureThreshold:    3,
					},
				),
			)),
			Labels:    []string{"startup", "liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     17 * time.Second,
			Claims: []trial.Claim{
				{Measure: trial.Between(trial.Started, trial.FirstProbe(victim.Startup)), Formula: formula.FirstProbe},
				{
					Measure: trial.Between(
						trial.Answered(victim.Startup, victim.Succeed),
						trial.FirstProbe(victim.Liveness),
					),
					Formula: formula.Released,
				},
				{
					Measure: trial.ProbesInARowUntil(victim.Startup, 1, trial.FirstProbe(victim.Liveness)),
					Formula: formula.StartupOnce,
					Rivals:  []formula.Rival{formula.StartupGoesOn},
				},
			},
		},
		{
			ID:    "probes/startup-again",
			About: "A restarted container sees its startup probe again, though the one before it had succeeded.",
			Pod: fixtures.Pod(2, fixtures.Victim(
				obeying(victim.Run{Liveness: "F/S"}),
				fixtures.Startup(
					fixtures.Probe{
						Handler:             fixtures.HTTP,
						InitialDelaySeconds: served,
						PeriodSeconds:       2,
						TimeoutSeconds:      1,
						FailureThreshold:    3,
					},
				),
				fixtures.Liveness(
					fixtures.Probe{Handler: fixtures.HTTP, PeriodSeconds: 4, TimeoutSeconds: 2, FailureThreshold: 1},
				),
			)),
			Labels:    []string{"startup", "liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     18 * time.Second,
			Claims: []trial.Claim{
				{Measure: trial.FailingProbes(victim.Liveness, 1), Formula: formula.FailingProbes},
				{
					Measure: trial.Between(trial.Started.Life(2), trial.FirstProbe(victim.Startup).Life(2)),
					Formula: formula.StartupAgain,
					Rivals:  []formula.Rival{formula.StartupWorkerEnds},
				},
			},
		},
		{
			ID:    "probes/startup-outlasts-period",
			About: "A startup probe whose success takes longer than its period has its next tick due at once. It is on hold by then, and does not come again.",
			Pod: fixtures.Pod(2, fixtures.Victim(
				obeying(victim.Run{Startup: "L", Slow: 1500 * time.Millisecond}),
				fixtures.Startup(
					fixtures.Probe{
						Handler:             fixtures.HTTP,
						InitialDelaySeconds: served,
						PeriodSeconds:       1,
						TimeoutSeconds:      3,
						FailureThreshold:    3,
					},
				),
				fixtures.Liveness(
					fixtures.Probe{Handler: fixtures.HTTP, PeriodSeconds: 5, TimeoutSeconds: 2, FailureThreshold: 3},
				),
			)),
			Labels:    []string{"startup", "liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     10 * time.Second,
			Claims: []trial.Claim{
				{
					Measure: trial.Between(trial.Started, trial.FirstProbe(victim.Startup)),
					Formula: formula.FirstProbe,
					Rivals:  []formula.Rival{formula.DelayIgnored},
				},
				{
					Measure: trial.ProbesInARowUntil(victim.Startup, 1, trial.FirstProbe(victim.Liveness)),
					Formula: formula.StartupOnce,
					Rivals:  []formula.Rival{formula.StartupGoesOn},
				},
			},
		},
		{
			ID:    "probes/startup-after-liveness-kill",
			About: "After a kill by the liveness probe the startup probe should come first again; a container that inherits the flag of the one before is open to liveness probes until the startup probe's next tick.",
			Pod: fixtures.Pod(
				2,
				fixtures.Victim(
					obeying(victim.Run{Liveness: "F/S", ExitAfter: []time.Duration{-time.Second, 9 * time.Second}}),
					fixtures.Startup(
						fixtures.Probe{
							Handler:          fixtures.HTTP,
							PeriodSeconds:    10,
							TimeoutSeconds:   2,
							FailureThreshold: 3,
						},
					),
					fixtures.Liveness(
						fixtures.Probe{
							Handler:          fixtures.HTTP,
							PeriodSeconds:    3,
							TimeoutSeconds:   2,
							FailureThreshold: 1,
						},
					),
				),
			),
			Labels:    []string{"startup", "liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     28 * time.Second,
			Claims: []trial.Claim{
				{Measure: trial.ProbesBefore(victim.Liveness, victim.Startup, 1), Formula: formula.HeldBack},
				{
					Measure: trial.Between(
						trial.Answered(victim.Startup, victim.Succeed),
						trial.FirstProbe(victim.Liveness),
					),
					Formula: formula.Released,
				},
				{
					Measure: trial.ProbesInARowUntil(victim.Startup, 1, trial.FirstProbe(victim.Liveness)),
					Formula: formula.StartupOnce,
					Rivals:  []formula.Rival{formula.StartupGoesOn},
				},
				{Measure: trial.FailingProbes(victim.Liveness, 1), Formula: formula.FailingProbes},
				{Measure: trial.Between(trial.Gone, trial.Started.Life(2)), Formula: formula.FreeRestart},
				{Measure: trial.ProbesBefore(victim.Liveness, victim.Startup, 2), Formula: formula.StartupFirst},
			},
		},
		{
			ID:    "probes/delay-below-period",
			About: "An initial delay of seven seconds is not ignored because the period is eight: in the second life, which begins well after a tick, it costs a whole period more.",
			Pod: fixtures.Pod(
				10,
				fixtures.Victim(
					victim.Run{Term: victim.ExitAfter, TermDelay: 2500 * time.Millisecond, Liveness: "F"},
					fixtures.Liveness(
						fixtures.Probe{
							Handler:             fixtures.HTTP,
							InitialDelaySeconds: 7,
							PeriodSeconds:       8,
							TimeoutSeconds:      2,
							FailureThreshold:    1,
						},
					),
				),
			),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     33 * time.Second,
			Claims: []trial.Claim{
				{
					Measure: trial.Between(trial.Started, trial.FirstProbe(victim.Liveness)),
					Formula: formula.FirstProbe,
					Rivals:  []formula.Rival{formula.DelayIgnored},
				},
				{Measure: trial.Between(trial.SIGTERM, trial.Gone), Formula: formula.ObeyedSignal},
				{Measure: trial.Between(trial.Gone, trial.Started.Life(2)), Formula: formula.FreeRestart},
				{
					Measure: trial.Between(trial.Started.Life(2), trial.FirstProbe(victim.Liveness).Life(2)),
					Formula: formula.LaterFirstProbe,
				},
				{Measure: trial.FailingProbes(victim.Liveness, 2), Formula: formula.FailingProbes},
			},
		},
		{
			ID:    "probes/liveness-never-restarted",
			About: "With restartPolicy Never a container that its liveness probe kills is not started again: the pod has Failed, with the code of SIGKILL.",
			Pod: fixtures.With(fixtures.Pod(3, fixtures.Victim(
				victim.Run{Term: victim.Ignore, Liveness: "F"},
				fixtures.Liveness(
					fixtures.Probe{Handler: fixtures.HTTP, PeriodSeconds: 3, TimeoutSeconds: 2, FailureThreshold: 2},
				),
			)),
				fixtures.RestartPolicy(corev1.RestartPolicyNever)),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     13 * time.Second,
			Claims: slices.Concat(killedByProbe(victim.Liveness, 1), probeGrace, []trial.Claim{
				{Measure: trial.DeathCode(), Formula: formula.DeathCode},
				{
					Measure: trial.Between(trial.Gone, trial.Phase(string(corev1.PodFailed))),
					Formula: formula.FinishedFailed,
				},
			}),
		},
	}
}
