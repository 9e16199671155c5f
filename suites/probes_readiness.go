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

// ready is the condition that a readiness probe decides about.
const ready = string(corev1.PodReady)

// served is an initial delay after which a victim surely serves its probes. A sync of an unready pod probes
// it out of turn, perhaps before that: such a failure the container would never see.
const served = 2

// readinessProbes are the trials of readiness: thresholds both ways, and what becomes of probes while the
// pod terminates.
func readinessProbes() []trial.Trial {
	return []trial.Trial{
		{
			ID:    "probes/readiness-fault-and-recovery",
			About: "A readiness probe fails four times after it had succeeded: the pod is unready with the third failure, ready again with the second success, and nobody is killed.",
			Pod: fixtures.Pod(2, fixtures.Victim(
				obeying(victim.Run{Readiness: "SSSSSFFFFS"}),
				fixtures.Readiness(
					fixtures.Probe{
						Handler:             fixtures.HTTP,
						InitialDelaySeconds: served,
						PeriodSeconds:       3,
						TimeoutSeconds:      2,
						FailureThreshold:    3,
						SuccessThreshold:    2,
					},
				),
			)),
			Labels: []string{"readiness"},
			Lasts:  40 * time.Second,
			Claims: []trial.Claim{
				{Measure: trial.Between(trial.Started, trial.Condition(ready)), Formula: formula.FirstReady},
				{
					Measure: trial.ProbesInARowUntil(victim.Readiness, 1, trial.Condition(ready)),
					Formula: formula.ReadyAfter,
				},
				{
					Measure: trial.ProbesInARowUntil(victim.Readiness, 1, trial.NoCondition(ready)),
					Formula: formula.UnreadyAfter,
				},
				{
					Measure: trial.Between(trial.Answered(victim.Readiness, victim.Fail), trial.NoCondition(ready)),
					Formula: formula.UnreadyLag,
				},
				{
					Measure: trial.ProbesInARowUntil(victim.Readiness, 1, trial.Condition(ready).Number(2)),
					Formula: formula.ReadyAfter,
				},
				{
					Measure: trial.Between(
						trial.Answered(victim.Readiness, victim.Succeed).Number(6),
						trial.Condition(ready).Number(2),
					),
					Formula: formula.ReadyLag,
				},
				{Measure: trial.EndsWithin(38 * time.Second), Formula: formula.ReadinessKillsNobody},
			},
		},
		{
			ID:    "probes/readiness-streak-survives-crash",
			About: "A container crashes by itself after some successful readiness probes of the six that it needs. The next life is ready after what is missing: the count outlives the container.",
			// The crash comes when no probe is due until the kubelet has noticed it, whether probes count
			// from the pod's creation or from the container's start: one that reached nobody would end the
			// streak.
			Pod: fixtures.Pod(
				2,
				fixtures.Victim(
					obeying(victim.Run{ExitAfter: []time.Duration{12 * time.Second, -time.Second}, ExitCode: 1}),
					fixtures.Readiness(
						fixtures.Probe{
							Handler:             fixtures.HTTP,
							InitialDelaySeconds: served,
							PeriodSeconds:       5,
							TimeoutSeconds:      2,
							FailureThreshold:    3,
							SuccessThreshold:    6,
						},
					),
				),
			),
			Labels: []string{"readiness"},
			Lasts:  33 * time.Second,
			Claims: []trial.Claim{
				{
					Measure: trial.ProbesInARowUntil(victim.Readiness, 2, trial.Condition(ready)),
					Formula: formula.ReadyAfter,
					Rivals:  []formula.Rival{formula.ForgetsSuccesses},
				},
				{Measure: trial.Between(trial.Gone, trial.Started.Life(2)), Formula: formula.FirstCrash},
			},
		},
		{
			ID:    "probes/terminating-http",
			About: "While a pod terminates its readiness probe over HTTP goes on; its liveness probe stops at once.",
			Pod: fixtures.Pod(
				11,
				fixtures.Victim(
					ignoring,
					fixtures.Readiness(everyThirdSecond(fixtures.HTTP)),
					fixtures.Liveness(everyThirdSecond(fixtures.HTTP)),
				),
			),
			Cues:   []trial.Cue{trial.Delete()},
			Labels: []string{"readiness", "liveness"},
			Lasts:  19 * time.Second,
			Claims: slices.Concat(killedWithoutHook, []trial.Claim{
				{Measure: trial.ProbesSince(victim.Readiness, trial.SIGTERM), Formula: formula.ProbesOfTerminating},
				{
					Measure: trial.ProbesSince(victim.Liveness, trial.SIGTERM),
					Formula: formula.ProbesOfTerminating,
					Rivals:  []formula.Rival{formula.GoesOnWhileTerminating},
				},
			}),
		},
		{
			ID:     "probes/terminating-exec",
			About:  "While a pod terminates its readiness probe over exec goes on, too, but for the releases that cancel it: then the container sees none.",
			Pod:    fixtures.Pod(11, fixtures.Victim(ignoring, fixtures.Readiness(everyThirdSecond(fixtures.Exec)))),
			Cues:   []trial.Cue{trial.Delete()},
			Labels: []string{"readiness"},
			Lasts:  19 * time.Second,
			Claims: slices.Concat(killedWithoutHook, []trial.Claim{
				{Measure: trial.ProbesSince(victim.Readiness, trial.SIGTERM), Formula: formula.ProbesOfTerminating},
			}),
		},
	}
}

func everyThirdSecond(h fixtures.Handler) fixtures.Probe {
	return fixtures.Probe{
		Handler:             h,
		InitialDelaySeconds: served,
		PeriodSeconds:       3,
		TimeoutSeconds:      2,
		FailureThreshold:    3,
	}
}
