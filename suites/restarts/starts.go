package restarts

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

const (
	neighbour = "neighbour"
	prepare   = "prepare"
)

// retried returns the claim that a container, or the sandbox, is tried again after this failure. The first ones can
// come sooner after each other: beside containers that start, each start and each relist that shows it cause a sync.
func retried(failed trial.Point, n int) trial.Claim {
	return claims.Between(failed.Number(n), failed.Number(n+1), formula.ConfigErrorRetry, formula.TriedAtResync)
}

// startsThatFail returns the trials of containers that the kubelet cannot create or start.
func startsThatFail() []trial.Trial {
	const keyless, lenient, missing, profile = "keyless", "lenient", "missing", "profile"
	failed := func(container string) trial.Point { return trial.Event("Failed").Of(container) }
	deleted := claims.Between(trial.Injected, trial.ObjectDeleted, formula.DeletedBeforeStart)
	return []trial.Trial{
		{
			ID: "restarts/config-error-of-secret",
			About: "A container waits for its Secret, and for a ConfigMap's and a Secret's keys. A key that never " +
				"comes keeps another one waiting. What is optional may be missing.",
			Pod: fixtures.With(fixtures.Pod(5,
				fixtures.Victim(victim.Run{}, fixtures.NeedsSecret(), fixtures.Prefixed("a"),
					fixtures.NeedsKeys(victim.Key, victim.Key)),
				fixtures.Named(keyless, victim.Run{}, fixtures.NeedsKeys(victim.Key, "another")),
				fixtures.Named(lenient, victim.Run{}, fixtures.MayLack(), fixtures.OwnAddress()),
			), fixtures.Groups(2000, 3000, 4000)),
			Labels: []string{"config-error"},
			Faults: []trial.Fault{
				{Action: trial.CreateConfigMap, When: failed(keyless).Number(2), After: 3 * time.Second},
				{Action: trial.CreateSecret, When: failed(keyless).Number(3), After: 4 * time.Second},
			},
			Lasts: 55 * time.Second,
			Claims: []trial.Claim{
				// The starts of the sandbox and of the lenient container are seen by one relist or by two, which sync.
				retried(failed(keyless), 3),
				claims.Between(failed(trial.Main).Number(3), trial.Started, formula.ConfiguredStart),
				claims.New(trial.Starts(keyless, trial.Started, 4*time.Second), formula.CannotStart),
				claims.New(trial.EndsWithin(25*time.Second).Of(lenient), formula.Undisturbed),
			},
		},
		{
			ID: "restarts/never-created",
			About: "An image that is missing and never pulled, and a seccomp profile that is missing, are tried again " +
				"every ten to fifteen seconds, beside a container that runs.",
			Pod: fixtures.Pod(5,
				fixtures.Victim(victim.Run{}, fixtures.Pull(corev1.PullNever)),
				fixtures.Named(missing, victim.Run{}, fixtures.Image(victim.UnpullableImage),
					fixtures.Pull(corev1.PullNever)),
				fixtures.Named(profile, victim.Run{}, fixtures.MissingProfile()),
			),
			Labels: []string{"image-pull", "config-error"},
			// Two containers that fail, for an older kubelet sends no more than 25 events of a pod at once
			// (client-go/tools/record/events_cache.go).
			Faults: []trial.Fault{trial.Delete().At(failed(profile).Number(4), 3*time.Second)},
			Lasts:  50 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				retried(failed(missing), 3), retried(failed(profile), 3),
			}, claims.Obeyed, claims.DeletedGracefully),
		},
		{
			ID:      "restarts/invalid-image-name",
			About:   "An image whose name is none is tried again every ten to fifteen seconds.",
			Pod:     fixtures.Single(5, victim.Run{}, fixtures.Image(victim.InvalidImage)),
			Labels:  []string{"image-pull"},
			Nightly: true,
			Lasts:   50 * time.Second,
			Claims:  []trial.Claim{retried(failed(trial.Main), 3)},
		},
		{
			ID: "restarts/start-error",
			About: "A container whose program is missing has ended when it starts: it waits 0, 10 and 20 s like one " +
				"that crashes.",
			Pod:    fixtures.Single(5, victim.Run{}, fixtures.MissingProgram()),
			Labels: []string{"crash-loop"},
			Lasts:  65 * time.Second,
			Claims: []trial.Claim{
				claims.Between(failed(trial.Main), failed(trial.Main).Number(2), formula.StartErrorRetry(1)),
				claims.Between(failed(trial.Main).Number(2), failed(trial.Main).Number(3), formula.StartErrorRetry(2),
					formula.NoBackOff),
				claims.Between(failed(trial.Main).Number(3), failed(trial.Main).Number(4), formula.StartErrorRetry(3),
					formula.NoBackOff),
			},
		},
		{
			ID: "restarts/start-error-for-good",
			About: "With restartPolicy Never a container whose program is missing ends its pod, and is not tried " +
				"again.",
			Pod: fixtures.With(fixtures.Single(5, victim.Run{}, fixtures.MissingProgram()),
				fixtures.RestartPolicy(corev1.RestartPolicyNever)),
			Lasts: 38 * time.Second,
			Claims: []trial.Claim{
				claims.Between(failed(trial.Main), trial.Phase(string(corev1.PodFailed)), formula.PodEnds),
				claims.New(trial.Starts(trial.Main, failed(trial.Main), 4*time.Second), formula.CannotStart),
			},
		},
		{
			ID: "restarts/sandbox-fails",
			About: "A pod whose sandbox cannot be made is tried again every ten to fifteen seconds. A delete ends it " +
				"at once.",
			Pod:    fixtures.With(fixtures.Single(20, victim.Run{}), fixtures.InvalidSysctl),
			Faults: []trial.Fault{trial.Delete().At(trial.Event("FailedCreatePodSandBox").Number(3), 3*time.Second)},
			Lasts:  52 * time.Second,
			Claims: []trial.Claim{
				claims.Between(
					trial.Event("FailedCreatePodSandBox"), trial.Event("FailedCreatePodSandBox").Number(2),
					formula.ConfigErrorRetry, formula.TriedAtResync,
				),
				retried(trial.Event("FailedCreatePodSandBox"), 2),
				deleted,
			},
		},
		{
			ID: "restarts/full-name-too-long",
			About: "A pod whose full hostname has more than 64 characters gets no sandbox. One with a shorter name " +
				"starts.",
			Pod: fixtures.With(fixtures.Single(20, victim.Run{}),
				fixtures.FullName(strings.Repeat("a", 50), "podclock")),
			Companions: []*corev1.Pod{namedPod(fixtures.With(
				fixtures.Pod(5, fixtures.Named(neighbour, victim.Run{})),
				fixtures.FullName("a", "b"), fixtures.OwnUsers,
			), neighbour)},
			Faults: []trial.Fault{trial.Delete().At(trial.Event("FailedCreatePodSandBox").Number(2), 3*time.Second)},
			Lasts:  44 * time.Second,
			Claims: []trial.Claim{
				claims.Between(
					trial.Event("FailedCreatePodSandBox"), trial.Event("FailedCreatePodSandBox").Number(2),
					formula.ConfigErrorRetry, formula.TriedAtResync,
				),
				deleted, claims.New(trial.EndsWithin(15*time.Second).Of(neighbour), formula.Undisturbed),
			},
		},
		{
			ID: "restarts/image-pull-deleted",
			About: "A pod that is deleted while it waits for the back-off of its image's pull ends at once. A " +
				"missing image of imagePullPolicy Always waits like others.",
			Pod: fixtures.Single(20, victim.Run{}, fixtures.Image(victim.UnpullableImage),
				fixtures.Pull(corev1.PullAlways)),
			Labels: []string{"image-pull"},
			Faults: []trial.Fault{trial.Delete().At(trial.PullAttempt(2), 6*time.Second)},
			Lasts:  32 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.PullAttempt(1), trial.PullAttempt(2), formula.PullDelay,
					formula.PullsWithoutGrowth),
				deleted,
			},
		},
		{
			ID: "restarts/image-pull-goes-on",
			About: "A delete does not cancel a pull. When the pull has failed, the pod's next container still " +
				"starts, and is then killed with the whole grace period.",
			Pod: fixtures.Pod(4, fixtures.Victim(victim.Run{}, fixtures.Image(victim.SlowImage)),
				fixtures.Named(neighbour, fixtures.Ignoring)),
			Labels: []string{"image-pull"},
			Faults: []trial.Fault{trial.Delete().At(trial.PullAttempt(1), 3*time.Second)},
			Lasts:  24 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.PullAttempt(1), trial.Started.Of(neighbour), formula.HeldStart(victim.SlowPull)),
				claims.New(trial.Between(trial.Started, trial.SIGTERM).Of(neighbour), formula.KilledAfterSync),
				claims.Between(trial.Gone.Of(neighbour), trial.ObjectDeleted, formula.ObjectDeleted),
			}, claims.Needing(formula.SandboxShownFirst, []trial.Claim{
				claims.Between(trial.PullAttempt(1), trial.Condition(string(corev1.PodReadyToStartContainers)),
					formula.SandboxShown),
			}), claims.Death(neighbour, formula.Remainder)),
		},
		{
			ID: "restarts/start-goes-on",
			About: "A delete does not cancel the start of a container. When the runtime has started it, it is killed " +
				"with the whole grace period.",
			Pod:            fixtures.Single(4, fixtures.Ignoring),
			ContainerStart: 15 * time.Second,
			Faults:         []trial.Fault{trial.Delete().At(trial.Event("Created"), 4*time.Second)},
			Lasts:          26 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Started, trial.SIGTERM, formula.KilledAfterSync),
			}, claims.Death(trial.Main, formula.Remainder), claims.DeletedGracefully),
		},
		{
			ID: "restarts/image-pull-always",
			About: "With imagePullPolicy Always, a container's image is pulled before each of its lives. A pod that " +
				"never pulls can use it, because no Secret was needed.",
			Pod: fixtures.Single(5, crashing(1, 1), fixtures.Pull(corev1.PullAlways)),
			Companions: []*corev1.Pod{
				namedPod(fixtures.Pod(5,
					fixtures.Named(neighbour, victim.Run{}, fixtures.Pull(corev1.PullNever))), neighbour),
			},
			Labels: []string{"image-pull"},
			Faults: []trial.Fault{{Action: trial.CreatePod, Pod: neighbour, When: trial.Started, After: time.Second}},
			Lasts:  14 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Gone, trial.Event("Pulling").Number(2), formula.PulledAgain),
				claims.Between(trial.Gone, trial.Started.Life(2), formula.FirstCrash),
				claims.Between(trial.Injected, trial.Started.Of(neighbour), formula.PodStarts),
			},
		},
		{
			ID:    "restarts/image-pulls-at-once",
			About: "A node may pull thousands of images at once. Its containers start as always.",
			Pod:   fixtures.Single(5, crashing(1, 1), fixtures.Pull(corev1.PullAlways)),
			Worker: &trial.Worker{Name: "image-pulls-at-once", KubeletConfig: map[string]any{
				"serializeImagePulls": false, "maxParallelImagePulls": 10_000,
			}},
			Needs:  []formula.Change{formula.ManyPulls},
			Labels: []string{"image-pull"},
			Lasts:  14 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Gone, trial.Event("Pulling").Number(2), formula.PulledAgain),
				claims.Between(trial.Gone, trial.Started.Life(2), formula.FirstCrash),
			},
		},
		messages(), pulledWithSecret(),
		{
			ID: "restarts/pull-secret-missing",
			About: "Each pull that fails without its pod's Secret causes an event about the Secret. When the Secret " +
				"exists, a failing pull causes none.",
			Pod: fixtures.With(fixtures.Single(5, victim.Run{}, fixtures.Image(victim.UnpullableImage)),
				fixtures.PullSecret),
			Needs:  []formula.Change{formula.PullSecretsReported},
			Labels: []string{"image-pull"},
			Faults: []trial.Fault{{Action: trial.CreateSecret, When: trial.PullAttempt(2), After: 3 * time.Second}},
			Lasts:  50 * time.Second,
			Claims: append(claims.Needing(formula.PullSecretsReportedByPulls, []trial.Claim{
				claims.Between(trial.PullAttempt(1), secretMissing, formula.PullSecretReported),
				claims.Between(trial.PullAttempt(2), secretMissing.Number(2), formula.PullSecretReported),
			}), claims.New(trial.Events(secretMissing.Kind, trial.PullAttempt(3), 3*time.Second),
				formula.PullSecretEvents(2))),
		},
		{
			ID:     "restarts/pull-secret-unneeded",
			About:  "A pod whose image is present causes no event about a Secret for its pulls that is missing.",
			Pod:    fixtures.With(fixtures.Single(5, crashing(1, 1)), fixtures.PullSecret),
			Needs:  []formula.Change{formula.PullSecretsReported},
			Labels: []string{"image-pull"},
			Lasts:  14 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Gone, trial.Started.Life(2), formula.FirstCrash),
				claims.New(trial.Events(secretMissing.Kind, trial.Started.Life(2), 5*time.Second),
					formula.PullSecretEvents(0)),
			},
		},
	}
}

// secretMissing is the event about a missing Secret for the pulls of a pod's images.
var secretMissing = trial.Event("FailedToRetrieveImagePullSecret")

// messages returns the trial of containers that end with a termination message, or with a log in its place.
func messages() trial.Trial {
	const logged, silent, succeeded = "logged", "silent", "succeeded"
	ends := func(code int, message string) victim.Run {
		return victim.Run{
			Message: message, Log: "a line", ExitCode: code, ExitAfter: []time.Duration{2 * time.Second},
		}
	}
	return trial.Trial{
		ID: "restarts/messages",
		About: "The message of a container's end is what it wrote, or the end of its log if it failed, wrote nothing " +
			"and has the policy FallbackToLogsOnError.",
		Pod: fixtures.With(fixtures.Pod(5,
			fixtures.Victim(ends(3, "a message"), fixtures.LogsAsMessage()),
			fixtures.Named(logged, ends(4, ""), fixtures.LogsAsMessage()),
			fixtures.Named(silent, ends(5, "")),
			fixtures.Named(succeeded, ends(0, ""), fixtures.LogsAsMessage()),
		), fixtures.RestartPolicy(corev1.RestartPolicyNever)),
		Lasts: 10 * time.Second,
		Claims: []trial.Claim{
			claims.New(trial.Starts(trial.Main, trial.Gone, 5*time.Second), formula.Starts),
		},
	}
}

func namedPod(pod *corev1.Pod, name string) *corev1.Pod {
	pod.Name = name
	return pod
}

// pulledWithSecret returns the trial of three pods with the same image. The second has the Secret of the first.
func pulledWithSecret() trial.Trial {
	const friend, stranger = "friend", "stranger"
	create := func(pod string, after time.Duration) trial.Fault {
		return trial.Fault{Action: trial.CreatePod, Pod: pod, When: trial.Started, After: after}
	}
	never := fixtures.Pull(corev1.PullNever)
	return trial.Trial{
		ID: "restarts/image-of-secret",
		About: "An image that was pulled with a Secret is as good as missing for a pod without the Secret: one that " +
			"never pulls does not start. A pod with the Secret does.",
		Pod: fixtures.With(fixtures.Single(5, victim.Run{}, fixtures.Pull(corev1.PullAlways)), fixtures.PullSecret,
			fixtures.Scheduler("podclock-nobody")),
		Unscheduled: true,
		Companions: []*corev1.Pod{
			fixtures.With(
				namedPod(fixtures.Pod(5, fixtures.Named(friend, victim.Run{}, never)), friend), fixtures.PullSecret,
			),
			namedPod(fixtures.Pod(5, fixtures.Named(stranger, victim.Run{}, never)), stranger),
		},
		Needs:  []formula.Change{formula.PullsVerified},
		Labels: []string{"image-pull"},
		Faults: []trial.Fault{
			{Action: trial.CreateSecret, After: time.Second}, {Action: trial.BindPod, After: 2 * time.Second},
			create(stranger, 2*time.Second), create(friend, 0),
		},
		Lasts: 24 * time.Second,
		Claims: []trial.Claim{
			claims.New(trial.EndsWithin(8*time.Second).Of(friend), formula.Undisturbed),
			claims.New(trial.Starts(stranger, trial.Started.Of(friend), 16*time.Second), formula.CannotStart),
		},
	}
}

// lostSandboxes returns the trials of pods whose pause process ends. All processes of the pod end with it.
func lostSandboxes() []trial.Trial {
	const done, other, early = "done", "other", "early"
	loses := victim.Run{EndSandboxAfter: []time.Duration{6 * time.Second, livesOn}}
	// The victim starts last: on a busy node, the sandbox would end before a later container has started.
	containers := []corev1.Container{
		fixtures.Named(done, victim.Run{ExitAfter: []time.Duration{2 * time.Second}}),
		fixtures.Named(neighbour, victim.Run{}),
		fixtures.Victim(loses),
	}
	return []trial.Trial{
		{
			ID: "restarts/sandbox-lost",
			About: "The containers of a pod whose sandbox is lost start in a new one. With restartPolicy OnFailure, " +
				"the one that had succeeded does not.",
			Pod: fixtures.With(fixtures.Pod(5, containers...), fixtures.ShareProcesses,
				fixtures.RestartPolicy(corev1.RestartPolicyOnFailure)),
			Labels: []string{"crash-loop"},
			Lasts:  20 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Gone, trial.Started.Life(2), formula.SandboxRestart),
				claims.Between(trial.Gone, trial.Started.Of(neighbour).Life(2), formula.SandboxRestart),
				claims.New(trial.Starts(done, trial.Started.Life(2), 8*time.Second).Life(1), formula.Starts),
			},
		},
		{
			ID:    "restarts/sandbox-lost-with-init",
			About: "A pod whose sandbox is lost begins anew with its init containers, whatever it restarts.",
			Pod: fixtures.With(fixtures.Pod(5, containers[1:]...), fixtures.ShareProcesses,
				fixtures.Init(fixtures.Named(prepare, victim.Run{ExitAfter: []time.Duration{time.Second}}))),
			Companions: []*corev1.Pod{namedPod(
				fixtures.With(
					fixtures.Pod(5, fixtures.Named(other, loses)), fixtures.ShareProcesses,
					fixtures.Init(fixtures.Named(early,
						victim.Run{ExitAfter: []time.Duration{time.Second, 3 * time.Second}})),
					fixtures.RestartPolicy(corev1.RestartPolicyOnFailure),
				), other)},
			Labels: []string{"crash-loop"},
			Lasts:  20 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Gone, trial.Started.Of(prepare).Life(2), formula.SandboxRestart),
				claims.Between(trial.Gone.Of(prepare).Life(2), trial.Started.Life(2), formula.InitThenNext),
				claims.Between(trial.Gone.Of(other), trial.Started.Of(early).Life(2), formula.SandboxRestart),
				claims.Between(trial.Gone.Of(early).Life(2), trial.Started.Of(other).Life(2), formula.InitThenNext),
			},
		},
		{
			ID:    "restarts/sandbox-lost-for-good",
			About: "With restartPolicy Never a pod whose sandbox is lost has failed, and no container starts again.",
			Pod: fixtures.With(fixtures.Pod(5, containers...), fixtures.ShareProcesses,
				fixtures.RestartPolicy(corev1.RestartPolicyNever)),
			Labels: []string{"crash-loop"},
			Lasts:  20 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Gone, trial.Phase(string(corev1.PodFailed)), formula.SandboxLostForGood),
				claims.New(trial.Starts(trial.Main, trial.Gone, 8*time.Second), formula.Starts),
			},
		},
	}
}

// reboots returns the trial of pods whose node reboots.
func reboots() []trial.Trial {
	const done, early, other = "done", "early", "other"
	again := namedPod(fixtures.With(
		fixtures.Pod(5, fixtures.Named(other, fixtures.Ignoring),
			fixtures.Named(done, victim.Run{ExitAfter: []time.Duration{2 * time.Second}})),
		fixtures.Init(fixtures.Named(early, victim.Run{ExitAfter: []time.Duration{time.Second}})),
		fixtures.RestartPolicy(corev1.RestartPolicyOnFailure),
	), other)
	return []trial.Trial{{
		ID: "restarts/reboot",
		About: "A node reboots. A pod begins anew with its init containers, without the one that had succeeded. With " +
			"restartPolicy Never a pod has failed.",
		Pod: fixtures.With(fixtures.Single(5, fixtures.Ignoring),
			fixtures.RestartPolicy(corev1.RestartPolicyNever)),
		Companions: []*corev1.Pod{again},
		Worker:     &trial.Worker{Name: "reboot", Alone: true},
		Faults:     []trial.Fault{{Action: trial.RebootNode, After: 8 * time.Second}},
		Lasts:      50 * time.Second,
		Claims: []trial.Claim{
			claims.Between(trial.FaultDone, trial.Phase(string(corev1.PodFailed)), formula.RebootedForGood),
			claims.New(trial.DeathCode(), formula.UnknownCode),
			claims.New(trial.Starts(trial.Main, trial.FaultDone, 30*time.Second), formula.Starts),
			claims.Between(trial.FaultDone, trial.Started.Of(early).Life(2), formula.RebootRestart),
			claims.Between(trial.Gone.Of(early).Life(2), trial.Started.Of(other).Life(2), formula.InitThenNext),
			claims.New(trial.DeathCode().Of(other), formula.UnknownCode),
			claims.New(trial.RestartCount(2).Of(other), formula.RestartCount),
			claims.New(trial.Starts(done, trial.Started.Of(other).Life(2), 8*time.Second).Life(1), formula.Starts),
		},
	}}
}
