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

// initContainer is the name of the init container of this area's pods.
const initContainer = "init"

// restartsInPods are restarts of one container among others, and of those that are not main containers or
// never got to run.
func restartsInPods() []trial.Trial {
	second := []time.Duration{time.Second}
	return []trial.Trial{
		{
			ID:    "restarts/three-containers",
			About: "Two containers of one pod crash, each with a series of its own; the third is not disturbed.",
			Pod: fixtures.Pod(5,
				fixtures.Victim(crashing(1, 3)),
				fixtures.Named("neighbour", ending(1, 6*time.Second, 6*time.Second, livesOn)),
				fixtures.Named("calm", victim.Run{})),
			Labels: []string{"crash-loop"},
			Lasts:  48 * time.Second,
			Claims: slices.Concat(
				ordinary.delays(0, 10, 20), counted(4),
				of("neighbour", ordinary.delays(0, 10)), of("neighbour", counted(3)),
				[]trial.Claim{{Measure: trial.EndsWithin(40 * time.Second).Of("calm"), Formula: formula.Undisturbed}}),
		},
		{
			ID:    "restarts/init-container",
			About: "An init container that fails twice is restarted after 0 and 10 s like any other, and the main container starts only when it has succeeded.",
			Pod: fixtures.With(fixtures.Pod(5, fixtures.Victim(victim.Run{})),
				fixtures.Init(fixtures.Named(initContainer, victim.Run{ExitAfter: second, ExitCodes: []int{1, 1, 0}}))),
			Lasts: 22 * time.Second,
			Claims: slices.Concat(of(initContainer, ordinary.delays(0, 10)), []trial.Claim{
				{
					Measure: trial.Between(trial.Gone.Of(initContainer).Life(3), trial.Started),
					Formula: formula.InitThenNext,
				},
			}),
		},
		{
			ID:    "restarts/init-container-fails-pod",
			About: "With restartPolicy Never an init container that fails ends the pod: it is not restarted, and no main container starts.",
			Pod: fixtures.With(fixtures.Pod(5, fixtures.Victim(victim.Run{})),
				fixtures.Init(fixtures.Named(initContainer, victim.Run{ExitAfter: second, ExitCode: 1})),
				fixtures.RestartPolicy(corev1.RestartPolicyNever)),
			Lasts: 20 * time.Second,
			Claims: []trial.Claim{
				{
					Measure: trial.Between(trial.Gone.Of(initContainer), trial.Phase(string(corev1.PodFailed))),
					Formula: formula.PodEnds,
				},
				{
					Measure: trial.Starts(initContainer, trial.Gone.Of(initContainer), 15*time.Second),
					Formula: formula.Starts,
				},
				{
					Measure: trial.Starts(trial.Main, trial.Gone.Of(initContainer), 15*time.Second),
					Formula: formula.NeverStarts,
				},
			},
		},
		{
			ID:        "restarts/post-start-fails",
			About:     "A postStart hook that fails kills its container with the pod's grace period; the restarts after it are those of a crash.",
			Pod:       fixtures.Pod(3, fixtures.Victim(ignoring, fixtures.ExecPostStart(victim.Hook{ExitCode: 1}))),
			Labels:    []string{"crash-loop"},
			KillCause: formula.ByPostStart,
			Lasts:     28 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				{Measure: trial.Between(trial.PostStartEnded, trial.SIGTERM), Formula: formula.PostStartKills},
				{Measure: trial.Between(trial.SIGTERM, trial.Gone), Formula: formula.Remainder},
			}, ordinary.delays(0, 10)),
		},
	}
}

// imagePulls are pods whose image can't be had. The recorder of their node plays the registry.
func imagePulls() []trial.Trial {
	attempts := func(n int) (claims []trial.Claim) {
		for attempt := 2; attempt <= n; attempt++ {
			claims = append(claims, trial.Claim{
				Measure: trial.Between(
					trial.PullAttempt(attempt-1),
					trial.PullAttempt(attempt),
				),
				Formula: formula.PullDelay,
				Rivals:  []formula.Rival{formula.PullsWithoutGrowth},
			})
		}
		return claims
	}
	return []trial.Trial{
		{
			ID: "restarts/image-pull", About: "An image that can't be had is asked for again after 10, 20 and 40 s.",
			Pod:    fixtures.Pod(5, fixtures.Victim(victim.Run{}, fixtures.Image(victim.UnpullableImage))),
			Labels: []string{"image-pull"},
			Lasts:  95 * time.Second,
			Claims: attempts(4),
		},
		{
			ID:     "restarts/image-pull-to-300s",
			About:  "The whole series of an image that can't be had: 10, 20, 40, 80, 160 and 300 s.",
			Pod:    fixtures.Pod(5, fixtures.Victim(victim.Run{}, fixtures.Image(victim.UnpullableImage))),
			Labels: []string{"image-pull"},
			Lasts:  11 * time.Minute,
			Claims: attempts(7),
		},
	}
}
