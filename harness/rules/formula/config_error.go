package formula

import "time"

// ConfigErrorRetry is the time from one failed try to create a sandbox or a container to the next, in a pod in which
// nothing waits for a back-off. The first two tries of a container are left out: the start of the sandbox causes the
// second one.
var ConfigErrorRetry = Formula{
	ID: "restarts/config-error-retry",
	Description: "a sandbox or a container that cannot be created, or has no image to pull, is tried again ten to " +
		"fifteen seconds after each try, without a back-off that grows",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer (ErrCreateContainerConfig, " +
		"ErrCreateContainer); pkg/kubelet/images/image_manager.go EnsureImageExists (ErrImageNeverPull, " +
		"ErrInvalidImageName); pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod (ErrCreatePodSandbox); " +
		"pkg/kubelet/pod_workers.go completeWork; pkg/kubelet/kubelet.go backOffPeriod",
	Implemented: always(span(append(failedSync(), events)...)),
}

// failedSync returns the time from a sync that failed to the pod's next one, if nothing else causes a sync.
func failedSync() []Term {
	return []Term{
		exactly("time to the next sync", backOffPeriod),
		upTo("jitter of the next sync, up to half of it", backOffPeriod/2),
		upTo("work queue", syncTick),
	}
}

// ConfiguredStart is the time from the last failed try to the container's start, once the ConfigMap exists.
var ConfiguredStart = Formula{
	ID:          "restarts/start-with-config",
	Description: "a ConfigMap that appears causes no sync: the container starts with the pod's next try",
	Source:      ConfigErrorRetry.Source,
	Implemented: always(span(append(failedSync(),
		between("event on its way", -eventWay, 0),
		started,
	)...)),
}

// ConfigErrorBeside is the time from the end of a neighbour that then waits for a back-off to the start of a container
// whose ConfigMap is created meanwhile, after the sync that saw the end.
func ConfigErrorBeside(backOff time.Duration) Formula {
	return Formula{
		ID: "restarts/config-error-beside-crash-loop",
		Description: "a container that refers to a missing ConfigMap is tried again only when the back-off of its " +
			"crash-looping neighbour or syncFrequency ends; up to 1.34, after ten to fifteen seconds",
		Source: "pkg/kubelet/pod_workers.go completeWork; pkg/kubelet/container/sync_result.go MinBackoffExpiration",
		Implemented: func(in Input) Window {
			if in.Kubelet.Has(RequeueAtExpiry) {
				in.Neighbours = max(1, in.Neighbours)
				return in.waits(min(backOff, in.Kubelet.resyncInterval()))
			}
			return triedBeside(in)
		},
	}
}

func triedBeside(Input) Window { return span(append(failedSync(), relist, started)...) }

// PullSecretReported is the time from an attempt to pull a missing image to the event about its pod's missing pull
// secret.
var PullSecretReported = Formula{
	ID:          "restarts/pull-secret-reported",
	Description: "a missing pull secret is reported when the sync ends that pulled in vain",
	Source:      pullSecretSource,
	Implemented: always(span(upTo("answer to the pull", pullAnswer), events)),
}

const pullSecretSource = "pkg/kubelet/kubelet.go SyncPod; pkg/kubelet/kubelet_pods.go getPullSecretsForPod"

// PullSecretEvents is how many events about a missing pull secret exist after so many pulls that failed without it.
func PullSecretEvents(pulls int) Formula {
	return Formula{
		ID: "restarts/pull-secret-events",
		Description: "a missing pull secret is reported once for each pull that fails without it, and not if no " +
			"image is pulled; up to 1.36, once for each sync",
		Source: pullSecretSource,
		Implemented: func(in Input) Window {
			if in.Kubelet.Has(PullSecretsReportedByPulls) {
				return count("pulls that failed", pulls)
			}
			pulled, seldom := int64(pulls), int64(in.Watched/backOffPeriod)
			// The sandbox's start, and each life's start and end, may be seen by a relist of its own.
			seen := max(3, 2*int64(in.Life))
			return window(Count,
				Term{Name: "a sync for each pull, and at least one", Earliest: max(1, pulled), Latest: max(1, pulled)},
				Term{Name: "syncs after the starts and ends of sandbox and containers", Latest: seen},
				Term{Name: "syncs without a pull, two before each", Latest: 2*pulled + seldom})
		},
	}
}

// StartErrorRetry is the time from one failed start of a container to the next, by the number of the first, from 1.
func StartErrorRetry(number int) Formula {
	return Formula{
		ID: "restarts/start-error-retry",
		Description: "a container whose program cannot start has ended with code 128: it waits 0, 10, 20 s and so on " +
			"like one that crashes",
		Source: "pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer (ErrRunContainer); " +
			"pkg/kubelet/kuberuntime/kuberuntime_manager.go doBackOff",
		Implemented: func(in Input) Window {
			g, b := in.Kubelet.Growth(), time.Duration(0)
			for n := 1; n < number; n++ {
				b = g.After(b)
			}
			return in.waits(b).With(events)
		},
	}
}

// DeletedBeforeStart is the time from a delete to the object's end if no process of the pod runs, and its last sync has
// ended.
var DeletedBeforeStart = Formula{
	ID:          "deletion/before-start",
	Description: "a pod none of whose containers runs does not use its grace period",
	Source:      "pkg/kubelet/kubelet.go SyncTerminatingPod, SyncTerminatedPod",
	Implemented: always(fromDelete(tornDown)),
}

// DeletedWithin is the time from a delete to the object's end at any moment of a pod's life, if no sync takes longer.
func DeletedWithin(sync time.Duration) Formula {
	return Formula{
		ID: "deletion/at-any-moment",
		Description: "a deleted pod's object goes at the end of the sync under way, of the starts that follow in it, and of " +
			"the kill",
		Source: "pkg/kubelet/pod_workers.go podWorkerLoop; pkg/kubelet/kubelet.go SyncPod, SyncTerminatingPod, " +
			"SyncTerminatedPod",
		Implemented: func(in Input) Window {
			w := fromDelete(
				upTo("sync under way", sync),
				upTo("kill", seconds(max(minimumGracePeriodInSeconds, in.meanwhile()))),
				tornDown,
			)
			if in.Kubelet.Has(FinishedDeletes) {
				return w
			}
			return w.With(upTo("status manager's periodic look", statusSyncPeriod))
		},
	}
}

// HeldStart is the time from the beginning of a step of a pod's sync to the start of the pod's next container, if the
// step takes so long, whatever deletes the pod meanwhile.
func HeldStart(step time.Duration) Formula {
	return Formula{
		ID: "deletion/held-start",
		Description: "a delete cancels no sync: a pull, or a postStart hook, goes on to its end, and then the pod's " +
			"next container starts",
		Source: "pkg/kubelet/kubelet.go SyncPod (context.WithoutCancel, kubernetes#113606); " +
			"pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod",
		Implemented: always(span(
			exactly("the step", step), between("on its way", -processStart, pullAnswer), execStarts, started,
		)),
	}
}

// KilledAfterSync is the time from the last start of a sync to the kill of a pod that was deleted before.
var KilledAfterSync = Formula{
	ID:          "deletion/after-sync",
	Description: "a pod that is deleted during its sync is killed when the sync has ended, with its whole grace period",
	Source:      "pkg/kubelet/pod_workers.go podWorkerLoop (one sync at a time); pkg/kubelet/kubelet.go SyncPod",
	Implemented: always(span(between("first mark after the start", -containerStart, 0), relist, atRuntime)),
}

// SandboxRestart is the time from the end of a pod's sandbox, and of all its processes, to the first start of a
// container.
var SandboxRestart = Formula{
	ID: "restarts/sandbox-lost",
	Description: "a pod without its sandbox gets a new one when the kubelet sees the loss; its init containers run " +
		"again, and a container that succeeded does not start again with OnFailure",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions (PodSandboxChanged), SyncPod",
	Implemented: always(span(relist, upTo("end of the old sandbox", sandboxStop), upTo("new sandbox", sandboxStart),
		started)),
}

// SandboxLostForGood is the time from the end of a pod's sandbox, and of all its processes, to the phase Failed.
var SandboxLostForGood = Formula{
	ID:          "restarts/sandbox-lost-for-good",
	Description: "with restartPolicy Never a pod whose sandbox is lost has failed like one whose containers crashed",
	Source:      PodEnds.Source,
	Implemented: always(terminalPhase),
}

// SandboxShown is the time from a pod's first pull to its condition PodReadyToStartContainers.
var SandboxShown = Formula{
	ID:          "restarts/sandbox-shown",
	Description: "the condition PodReadyToStartContainers is true with the pod's sandbox, before an image is pulled",
	Source:      "pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod; pkg/kubelet/kubelet.go OnPodSandboxReady",
	Implemented: always(span(between("status", -statusWrite, statusWrite))),
}

// RebootRestart is the time from the kubelet's process after a reboot to the first start of a container of a pod.
var RebootRestart = Formula{
	ID: "restarts/reboot",
	Description: "after a reboot a pod is the same, and gets a new sandbox; its init containers run again, and a container " +
		"that succeeded does not start again with OnFailure",
	Source: SandboxRestart.Source,
	Implemented: always(span(upTo("start of the kubelet", kubeletStart), upTo("end of the old sandbox", sandboxStop),
		upTo("new sandbox", sandboxStart), started)),
}

// RebootedForGood is the time from the kubelet's process after a reboot to the phase Failed.
var RebootedForGood = Formula{
	ID:          "restarts/reboot-for-good",
	Description: "with restartPolicy Never a pod has failed after a reboot",
	Source:      PodEnds.Source,
	Implemented: always(span(append([]Term{upTo("start of the kubelet", kubeletStart)}, terminalPhase.Terms...)...)),
}

// UnknownCode is the exit code of a container whose end the runtime has not seen.
var UnknownCode = Formula{
	ID:          "restarts/unknown-code",
	Description: "the runtime gives a container that it finds without a process the exit code 255",
	Source:      "containerd internal/cri/server/restart.go loadContainer",
	Of:          Runtime,
	Implemented: always(count("exit code", 255)),
}

// CannotStart is how many lives a container has had that lacks something.
var CannotStart = Formula{
	ID: "restarts/cannot-start",
	Description: "a container has no life without its Secret's key or its program, nor with imagePullPolicy Never " +
		"and without the Secret with which the kubelet pulled its image",
	Source: "pkg/kubelet/kubelet_pods.go makeEnvironmentVariables; pkg/kubelet/images/image_manager.go " +
		"EnsureImageExists; pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer",
	Implemented: always(count("lives", 0)),
}

// PulledAgain is the time from the end of a container that does not wait for a back-off to the pull of its image.
var PulledAgain = documented(Formula{
	ID:           "restarts/pulled-again",
	Description:  "with imagePullPolicy Always, each start of a container pulls its image",
	Source:       "pkg/kubelet/images/image_manager.go EnsureImageExists",
	Implemented:  always(span(relist, synced, events)),
	Promise:      "Always: every time the kubelet launches a container, it asks the registry for the image.",
	DocumentedAt: "https://kubernetes.io/docs/concepts/containers/images/#image-pull-policy",
})

// Mistakes of these formulas.
var (
	// ConfigErrorBacksOff lets the time between tries grow.
	ConfigErrorBacksOff = mistake("a container that cannot be configured waits for a back-off that grows",
		"kubernetes PR 142033", func(in Input) Window { return in.waits(2 * initialCrashLoopBackOff).With(events) })
	// TriedAtResync tries again with the pod's regular sync.
	TriedAtResync = mistake("a container that cannot be configured is tried again when its pod is synced regularly",
		"pod_workers.go completeWork", func(in Input) Window {
			regular := in.Kubelet.resyncInterval()
			return span(
				exactly("syncFrequency", regular), upTo("jitter", regular/2), upTo("work queue", syncTick), events,
			)
		})
	// TriedBesideBackOff does not wait for the neighbour.
	TriedBesideBackOff = mistake("a container that cannot be configured does not wait for its neighbour's back-off",
		"pod_workers.go completeWork (up to 1.34)", triedBeside)
)
