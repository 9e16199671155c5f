package restarts

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

func restartsInPods() []trial.Trial {
	const initContainer, calm = "init", "calm"
	failsThenSucceeds := victim.Run{ExitAfter: []time.Duration{time.Second}, ExitCodes: []int{1, 1, 0}}
	fails := victim.Run{ExitAfter: []time.Duration{time.Second}, ExitCode: 1}
	initGone := trial.Gone.Of(initContainer)
	inOnePod := func(what string, exitCode int, about string) trial.Trial {
		return trial.Trial{
			ID:    "restarts/three-containers" + what,
			About: about,
			Pod: fixtures.Pod(5,
				fixtures.Victim(crashing(exitCode, 3)),
				fixtures.Named(neighbour, ending(exitCode, 6*time.Second, 6*time.Second, livesOn)),
				fixtures.Named(calm, victim.Run{})),
			Labels: []string{"crash-loop"},
			Lasts:  48 * time.Second,
			Claims: slices.Concat(
				ordinary.delays(0, 10, 20), counted(4),
				of(neighbour, ordinary.delays(0, 10)), of(neighbour, counted(3)),
				[]trial.Claim{claims.New(trial.EndsWithin(40*time.Second).Of(calm), formula.Undisturbed)}),
		}
	}
	return []trial.Trial{
		inOnePod("", 1,
			"Two containers of one pod crash, each with a series of its own. The third is not disturbed."),
		inOnePod("-exit-0", 0,
			"Two containers of one pod succeed again and again, each with a series of its own."),
		{
			ID: "restarts/beside-sidecar",
			About: "A main container crashes twice. Its back-off does not count from the end of a sidecar that comes " +
				"later.",
			Pod: fixtures.With(
				fixtures.Pod(5, fixtures.Victim(crashing(1, 2))),
				fixtures.Init(fixtures.Named(neighbour, ending(1, 8*time.Second, livesOn), fixtures.Sidecar())),
			),
			Needs:  []formula.Change{formula.Sidecars},
			Labels: []string{"crash-loop"},
			Lasts:  22 * time.Second,
			Claims: slices.Concat(ordinary.delays(0, 10), counted(3), of(neighbour, ordinary.delays(0))),
		},
		{
			ID: "restarts/init-container",
			About: "An init container that fails twice is restarted after 0 and 10 s. The main container waits for " +
				"its success.",
			Pod: fixtures.With(
				fixtures.Single(5, victim.Run{}),
				fixtures.Init(fixtures.Named(initContainer, failsThenSucceeds)),
			),
			Lasts: 22 * time.Second,
			Claims: slices.Concat(of(initContainer, ordinary.delays(0, 10)), []trial.Claim{
				claims.Between(initGone.Life(3), trial.Started, formula.InitThenNext),
			}),
		},
		{
			ID:    "restarts/init-container-fails-pod",
			About: "With restartPolicy Never an init container that fails ends the pod.",
			Pod: fixtures.With(
				fixtures.Single(5, victim.Run{}),
				fixtures.Init(fixtures.Named(initContainer, fails)), fixtures.RestartPolicy(corev1.RestartPolicyNever),
			),
			Lasts: 20 * time.Second,
			Claims: []trial.Claim{
				claims.Between(initGone, trial.Phase(string(corev1.PodFailed)), formula.PodEnds),
				claims.New(trial.Starts(initContainer, initGone, 15*time.Second), formula.Starts),
				claims.New(trial.Starts(trial.Main, initGone, 15*time.Second), formula.NeverStarts),
			},
		},
		{
			ID: "restarts/restart-rule-of-init",
			About: "Rules restart an init container of a pod that restarts none. With its success the main container " +
				"starts.",
			Pod: fixtures.With(
				fixtures.Single(5, victim.Run{}),
				fixtures.Init(fixtures.Named(initContainer,
					victim.Run{ExitAfter: []time.Duration{time.Second}, ExitCodes: []int{7, 1, 0}},
					fixtures.ContainerRestartPolicy(corev1.ContainerRestartPolicyNever),
					fixtures.RestartUnless(corev1.ContainerRestartRuleActionRestart, 0, 1),
					fixtures.RestartOn(corev1.ContainerRestartRuleActionRestart, 1, 2))),
				fixtures.RestartPolicy(corev1.RestartPolicyNever),
			),
			Needs: []formula.Change{formula.ContainerRestartRules},
			Lasts: 22 * time.Second,
			Claims: slices.Concat(of(initContainer, ordinary.delays(0, 10)), []trial.Claim{
				claims.Between(initGone.Life(3), trial.Started, formula.InitThenNext),
			}),
		},
		{
			ID: "restarts/post-start-fails",
			About: "A failed postStart hook kills its container with the pod's grace period. Its restarts are those " +
				"of a crash.",
			Pod: fixtures.Single(3,
				fixtures.Ignoring, fixtures.ExecPostStart(victim.Hook{ExitCode: 1}),
			),
			Labels:    []string{"crash-loop"},
			KillCause: formula.ByPostStart,
			Lasts:     28 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.PostStartEnded, trial.SIGTERM, formula.PostStartKills),
				claims.Between(trial.SIGTERM, trial.Gone, formula.Remainder),
			}, ordinary.delays(0, 10)),
		},
		{
			ID: "restarts/http-post-start-refused",
			About: "An HTTP postStart hook to which nobody listens fails at once, is not repeated, and kills its " +
				"container with the pod's grace period. The status says why.",
			Pod:       fixtures.Single(4, fixtures.Ignoring, fixtures.HTTPPostStart(trial.Main, "/hook")),
			Labels:    []string{"crash-loop"},
			KillCause: formula.ByPostStart,
			Lasts:     32 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Started, postStartFails, formula.PostStartRefused),
				claims.Between(postStartFails, trial.Gone, formula.PostStartDeath),
				claims.Between(trial.Gone, trial.Waiting("PostStartHookError"), formula.PostStartShown),
			}, ordinary.delays(0, 10)),
		},
		{
			ID:    "restarts/http-post-start-not-found",
			About: "An HTTP postStart hook that is answered with the status 404 has succeeded: its container lives on.",
			// The hook of the container that answers gives it time to listen.
			Pod: fixtures.Pod(4,
				fixtures.Named(neighbour, victim.Run{}, fixtures.SleepPostStart(2), fixtures.Liveness(fixtures.Probe{
					InitialDelaySeconds: 2, PeriodSeconds: 20, TimeoutSeconds: 2, FailureThreshold: 3,
				})),
				fixtures.Victim(victim.Run{}, fixtures.HTTPPostStart(neighbour, "/no-such-path")),
			),
			Needs:  []formula.Change{formula.SleepAction},
			Labels: []string{"crash-loop"},
			Lasts:  14 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Started.Of(neighbour), trial.Started, formula.HeldStart(2*time.Second)),
				claims.New(trial.EndsWithin(9*time.Second), formula.HookStatusIgnored),
				claims.New(trial.Events(postStartFails.Kind, trial.Started, 3*time.Second), formula.HookStatusIgnored),
			},
		},
	}
}

var postStartFails = trial.Event("FailedPostStartHook")

// configErrors returns the trials of containers whose ConfigMap does not exist when their pod starts.
func configErrors() []trial.Trial {
	const initContainer, comes = "init", 4 * time.Second
	// The start of the sandbox causes the second try.
	try := func(n int) trial.Point { return trial.Event("Failed").Number(n) }
	// beside has a neighbour that waits for so many seconds after its last life but one.
	beside := func(what string, life, wait int, lasts time.Duration, about string) trial.Trial {
		ended := trial.Gone.Of(neighbour).Life(life)
		return trial.Trial{
			ID:    "restarts/config-error-beside-crash-loop" + what,
			About: about,
			Pod: fixtures.Pod(5,
				fixtures.Victim(victim.Run{}, fixtures.NeedsConfigMap()), fixtures.Named(neighbour, crashing(1, life)),
			),
			Labels: []string{"config-error", "crash-loop"},
			Needs:  []formula.Change{formula.LongBackOff},
			// A busy kubelet may see the end after seconds. The next try comes at least ten seconds after that.
			Faults: []trial.Fault{{Action: trial.CreateConfigMap, When: ended, After: 2 * comes}},
			Lasts:  lasts,
			Claims: append(of(neighbour, ordinary.delays([]int{0, 10, 20, 40}[:life]...)), claims.Between(
				ended, trial.Started, formula.ConfigErrorBeside(time.Duration(wait)*time.Second),
				formula.TriedBesideBackOff,
			)),
		}
	}
	return []trial.Trial{
		{
			ID: "restarts/config-error",
			About: "A container whose ConfigMap is missing is tried again every ten to fifteen seconds. It starts " +
				"with the first try that finds the ConfigMap.",
			Pod:    fixtures.Single(5, victim.Run{}, fixtures.NeedsConfigMap()),
			Labels: []string{"config-error"},
			Faults: []trial.Fault{{Action: trial.CreateConfigMap, When: try(4), After: comes}},
			Lasts:  time.Minute,
			Claims: []trial.Claim{
				claims.Between(try(2), try(3), formula.ConfigErrorRetry, formula.TriedAtResync),
				claims.Between(try(3), try(4), formula.ConfigErrorRetry, formula.ConfigErrorBacksOff),
				claims.Between(try(4), trial.Started, formula.ConfiguredStart),
			},
		},
		{
			ID:    "restarts/config-error-of-init",
			About: "An init container whose ConfigMap is missing is tried again like any other.",
			Pod: fixtures.With(fixtures.Single(5, victim.Run{}), fixtures.Init(fixtures.Named(initContainer,
				victim.Run{ExitAfter: []time.Duration{time.Second}}, fixtures.NeedsConfigMap()))),
			Labels: []string{"config-error"},
			Faults: []trial.Fault{{Action: trial.CreateConfigMap, When: try(4), After: comes}},
			Lasts:  time.Minute,
			Claims: []trial.Claim{
				claims.Between(try(2), try(3), formula.ConfigErrorRetry, formula.TriedAtResync),
				claims.Between(try(3), try(4), formula.ConfigErrorRetry, formula.ConfigErrorBacksOff),
				claims.Between(try(4), trial.Started.Of(initContainer), formula.ConfiguredStart),
				claims.Between(trial.Gone.Of(initContainer), trial.Started, formula.InitThenNext),
			},
		},
		beside("", 4, 40, 95*time.Second,
			"A container's ConfigMap is created while its neighbour waits for its back-off of 40 s. The container "+
				"starts only when the neighbour does."),
		beside("-of-20s", 3, 20, 55*time.Second,
			"A missing ConfigMap that comes in a neighbour's back-off of 20 s counts from that back-off's end."),
	}
}

// imagePulls returns the trials of missing images. The recorder plays the registry.
func imagePulls() []trial.Trial {
	pulls := func(what, about string, attempts int, lasts time.Duration) trial.Trial {
		t := trial.Trial{
			ID:     "restarts/" + what,
			About:  about,
			Pod:    fixtures.Single(5, victim.Run{}, fixtures.Image(victim.UnpullableImage)),
			Labels: []string{"image-pull"},
			Lasts:  lasts,
		}
		for attempt := 2; attempt <= attempts; attempt++ {
			t.Claims = append(t.Claims, claims.Between(
				trial.PullAttempt(attempt-1), trial.PullAttempt(attempt), formula.PullDelay, formula.PullsWithoutGrowth,
			))
		}
		return t
	}
	return []trial.Trial{
		pulls("image-pull", "The kubelet asks for a missing image again after 10, 20 and 40 s.", 4, 95*time.Second),
		pulls("image-pull-to-300s",
			"The whole series of a missing image: 10, 20, 40, 80, 160 and 300 s.", 7, 11*time.Minute),
	}
}
