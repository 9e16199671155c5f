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

// Restarts is the area of containers that end and are started again: how long each restart waits, and what
// makes the kubelet forget.
func Restarts() []trial.Trial {
	return slices.Concat(
		crashLoops(),
		nodeRestartPeriods(),
		probeLoops(),
		forgottenBackOffs(),
		freshBackOffs(),
		restartsInPods(),
		imagePulls(),
	)
}

// livesOn is the life of a container that does not end by itself.
const livesOn = -time.Second

// ending is a main process that ends by itself with an exit code, after these times in its lives: the last
// one holds for all later lives.
func ending(exitCode int, after ...time.Duration) victim.Run {
	return victim.Run{Term: victim.ExitNow, ExitAfter: after, ExitCode: exitCode}
}

// crashing is a main process that ends by itself after a second in so many lives, and then lives on.
func crashing(exitCode, lives int) victim.Run {
	return ending(exitCode, append(slices.Repeat([]time.Duration{time.Second}, lives), livesOn)...)
}

// of are the same claims on another container.
func of(container string, claims []trial.Claim) []trial.Claim {
	claims = slices.Clone(claims)
	for i := range claims {
		claims[i].Measure = claims[i].Measure.Of(container)
	}
	return claims
}

// counted is the claim that the API's restartCount agrees with the lives seen, in a life that lasts.
func counted(life int) []trial.Claim {
	return []trial.Claim{{Measure: trial.RestartCount(life), Formula: formula.RestartCount}}
}

// shown are the claims that the API shows CrashLoopBackOff after the lives from one to another.
func shown(from, to int) []trial.Claim {
	var claims []trial.Claim
	for life := from; life <= to; life++ {
		claims = append(claims, trial.Claim{
			Measure: trial.Between(
				trial.Gone.Life(life),
				trial.Waiting("CrashLoopBackOff").Life(life),
			),
			Formula: formula.ShownAsCrashLoop,
		})
	}
	return claims
}

// crashLoops are containers that end by themselves again and again.
func crashLoops() []trial.Trial {
	ended := []trial.Claim{{Measure: trial.DeathCode(), Formula: formula.DeathCode}}
	return []trial.Trial{
		{
			ID:     "restarts/crash-exit-1",
			About:  "A container that crashes again and again is restarted after 0, 10, 20, 40 and 80 s, and shown as CrashLoopBackOff meanwhile.",
			Pod:    fixtures.Pod(5, fixtures.Victim(crashing(1, 5))),
			Labels: []string{"crash-loop"},
			Lasts:  3 * time.Minute,
			Claims: slices.Concat(ordinary.delays(0, 10, 20, 40, 80), shown(2, 5), counted(6), ended),
		},
		{
			ID:     "restarts/crash-exit-0",
			About:  "A container that ends well again and again waits as long as one that crashes.",
			Pod:    fixtures.Pod(5, fixtures.Victim(crashing(0, 3))),
			Labels: []string{"crash-loop"},
			Lasts:  48 * time.Second,
			Claims: slices.Concat(ordinary.delays(0, 10, 20), counted(4), ended),
		},
		{
			ID:     "restarts/crash-exit-1-to-300s",
			About:  "The whole series of a container that crashes: 0, 10, 20, 40, 80, 160, 300 and 300 s.",
			Pod:    fixtures.Pod(5, fixtures.Victim(crashing(1, 8))),
			Labels: []string{"crash-loop"},
			Lasts:  16*time.Minute + 20*time.Second,
			Claims: slices.Concat(ordinary.delays(0, 10, 20, 40, 80, 160, 300, 300), counted(9)),
		},
		{
			ID:     "restarts/crash-exit-0-to-300s",
			About:  "The whole series of a container that ends well: 0, 10, 20, 40, 80, 160, 300 and 300 s.",
			Pod:    fixtures.Pod(5, fixtures.Victim(crashing(0, 8))),
			Labels: []string{"crash-loop"},
			Lasts:  16*time.Minute + 20*time.Second,
			Claims: slices.Concat(ordinary.delays(0, 10, 20, 40, 80, 160, 300, 300), counted(9)),
		},
		{
			ID:    "restarts/on-failure",
			About: "With restartPolicy OnFailure two failures are restarted like any other, and the success ends the pod.",
			Pod: fixtures.With(
				fixtures.Pod(
					5,
					fixtures.Victim(victim.Run{ExitAfter: []time.Duration{time.Second}, ExitCodes: []int{1, 1, 0}}),
				),
				fixtures.RestartPolicy(corev1.RestartPolicyOnFailure),
			),
			Lasts:  42 * time.Second,
			Claims: slices.Concat(ordinary.delays(0, 10), endsForGood(3, corev1.PodSucceeded)),
		},
		{
			ID:    "restarts/restart-rule",
			About: "A rule that restarts one exit code in spite of restartPolicy Never waits like any other restart, and another code ends the pod.",
			Pod: fixtures.With(
				fixtures.Pod(5, fixtures.Victim(
					victim.Run{ExitAfter: []time.Duration{time.Second}, ExitCodes: []int{42, 42, 1}},
					fixtures.ContainerRestartPolicy(
						corev1.ContainerRestartPolicyNever,
					),
					fixtures.RestartOn(corev1.ContainerRestartRuleActionRestart, 42),
				)),
				fixtures.RestartPolicy(corev1.RestartPolicyNever),
			),
			Needs:  []formula.Change{formula.ContainerRestartRules},
			Lasts:  42 * time.Second,
			Claims: slices.Concat(ordinary.delays(0, 10), endsForGood(3, corev1.PodFailed)),
		},
	}
}

// endsForGood are the claims on a pod whose container is not restarted after a life.
func endsForGood(life int, phase corev1.PodPhase) []trial.Claim {
	return []trial.Claim{
		{Measure: trial.Between(trial.Gone.Life(life), trial.Phase(string(phase))), Formula: formula.PodEnds},
		{Measure: trial.Starts(trial.Main, trial.Gone.Life(life), 20*time.Second), Formula: formula.Starts},
	}
}
