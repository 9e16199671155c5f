package formula

import (
	"slices"
	"time"
)

// The numbers of the image pull's back-off (pkg/kubelet/kubelet.go imageBackOffPeriod, MaxImageBackOff).
const (
	imageBackOffPeriod = 10 * time.Second
	maxImageBackOff    = 300 * time.Second
)

// PullDelay is the time between two attempts to pull a missing image, in a pod of one container.
var PullDelay = Formula{
	ID:          "restarts/pull-delay",
	Description: "pulls of a missing image wait 10, 20, 40 … 300 s, and come with the pod's next sync",
	Source: "pkg/kubelet/images/image_manager.go EnsureImageExists (IsInBackOffSinceUpdate); " +
		"pkg/kubelet/pod_workers.go completeWork (a pull's back-off is no BackoffError)",
	Implemented: func(in Input) Window {
		b := in.pullBackOff()
		return span(append([]Term{exactly("back-off", b)}, pullSlack(b)...)...)
	},
	Documented: promised(func(Input) Window {
		return span(append([]Term{upTo("back-off, at most", maxImageBackOff)}, pullSlack(maxImageBackOff)...)...)
	}),
	Promise:      "The delay between attempts grows, up to 300 seconds.",
	DocumentedAt: "https://kubernetes.io/docs/concepts/containers/images/#imagepullbackoff",
}

func (in Input) pullBackOff() time.Duration {
	g, b := Growth{imageBackOffPeriod, maxImageBackOff}, time.Duration(0)
	for n := 1; n < in.Attempt; n++ {
		b = g.After(b)
	}
	return b
}

func pullSlack(b time.Duration) []Term {
	return []Term{
		upTo("failure of the attempt", pullAnswer),
		upTo("checks ten to fifteen seconds apart, and the work queue", polled(b)),
		atRuntime,
	}
}

// AfterKubeletRestart is the time from a new kubelet process to the start of a container that waited for its back-off.
var AfterKubeletRestart = Formula{
	ID:          "restarts/after-kubelet-restart",
	Description: "a back-off is in the kubelet's memory only: a restarted kubelet starts the container at once",
	Source: "pkg/kubelet/kubelet.go NewMainKubelet (crashLoopBackOff); " +
		"pkg/kubelet/kuberuntime/kuberuntime_manager.go doBackOff",
	Implemented: always(span(append([]Term{upTo("start of the kubelet", kubeletStart)}, seenExit()...)...)),
}

// containerGCPeriod is the time between two garbage collections (pkg/kubelet/kubelet.go ContainerGCPeriod).
const containerGCPeriod = time.Minute

// collecting returns the input with all dead instances collected before the next one starts, or none.
func (in Input) collecting(all bool) Input {
	in.Lives = slices.Clone(in.Lives)
	for i := range in.Lives {
		in.Lives[i].Collected = all
	}
	return in
}

// AfterCollection is the time from a probe's kill to the next start if a start takes longer than the time between two
// garbage collections.
var AfterCollection = Formula{
	ID: "restarts/after-collection",
	Description: "a created container counts as the dead instance that the garbage collection keeps, so that it removes the " +
		"real one, and the next kill by a probe finds none to count a back-off from",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_gc.go evictableContainers; " +
		"pkg/kubelet/kuberuntime/kuberuntime_manager.go doBackOff; pkg/kubelet/kubelet.go ContainerGCPeriod",
	Implemented: func(in Input) Window {
		return in.slowly(in.collecting(in.ContainerStart > containerGCPeriod).restarts(itself))
	},
	Documented: func(in Input) *Window {
		b, _ := in.documentedBackOff(in.Life - 1)
		return new(in.slowly(in.waits(b)))
	},
	Promise:      RestartDelay.Promise,
	DocumentedAt: restartsPage,
}

// RuntimeAnswers is the time from the start of a failure of the runtime to the restart of a container that ended in it.
func RuntimeAnswers(failing time.Duration) Formula {
	return Formula{
		ID: "restarts/runtime-answers",
		Description: "while the runtime does not list or describe a pod, its containers are as they were: an end is " +
			"seen with the first relist that succeeds",
		Source: "pkg/kubelet/pleg/generic.go Relist, updateCache; pkg/kubelet/kuberuntime/kuberuntime_manager.go " +
			"GetPods, GetPodStatus",
		Implemented: always(span(exactly("failure of the runtime", failing), relist, started)),
	}
}

// Forgotten is the time from the end of another container to the start of one that was removed from the runtime.
var Forgotten = Formula{
	ID: "restarts/forgotten",
	Description: "the kubelet knows from the runtime alone that a container has ended for good: the next sync starts " +
		"one that somebody removed",
	Source: "pkg/kubelet/container/helpers.go ShouldContainerBeRestarted (no status); pkg/kubelet/kubelet.go " +
		"isSyncPodWorthy (ContainerRemoved causes no sync)",
	Implemented: always(span(seenExit()...)),
}

// AfterNewImage is the time from a waiting container's image change to its start.
var AfterNewImage = Formula{
	ID:          "restarts/after-new-image",
	Description: "a waiting container starts at once with another image, which has its own back-off",
	Source:      "pkg/kubelet/kuberuntime/helpers.go GetBackoffKey (in 1.23 of the whole spec)",
	Implemented: always(span(watched, relist, started)),
}

// RestartCount is a running container's restartCount in the API.
var RestartCount = Formula{
	ID:          "restarts/restart-count",
	Description: "restartCount is the number of earlier lives of the container",
	Source:      "pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer",
	Implemented: func(in Input) Window {
		return count("lives before", in.Life-1).unless(in.Delay > 0 && in.Life > 1, "not shown yet", -1)
	},
	Documented: promised(func(in Input) Window {
		return count("lives before", in.Life-1)
	}),
	Promise:      "restartCount is how often the container has been restarted.",
	DocumentedAt: "https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#PodStatus",
}

// ShownAsCrashLoop is the time from a death to CrashLoopBackOff in the API.
var ShownAsCrashLoop = Formula{
	ID:          "restarts/shown-as-crash-loop",
	Description: "the second sync after an end shows CrashLoopBackOff; it may already start the container",
	Source: "pkg/kubelet/kubelet.go SyncPod (reasonCache.Update after generateAPIPodStatus); " +
		"pkg/kubelet/pod_workers.go completeWork",
	Implemented: func(in Input) Window {
		possible, least := in.backOffs(in.Life), time.Duration(0)
		if in.undisturbed() && !in.syncedLate(in.Life) {
			least = max(0, in.Kubelet.nextCheck(slices.Min(possible))-in.Delay)
		}
		return span(relist,
			between("the next sync", least, in.Kubelet.requeue(slices.Max(possible))),
			shown,
		)
	},
}

// syncedLate reports whether the sync of a short life's start may be the first one after its end. Then that of the end
// is the second. The PLEG lists running containers and reads their states later (pleg/generic.go Relist), so a kubelet
// that is delayed by more than the runtime's latency may notice the start only then. And each sync waits for a status
// newer than the last sync (pod_workers.go podWorkerLoop), up to 1.35 for the next relist. A pod's sandbox and its
// first container cause two syncs, so each sync is a relist behind for as long as each relist finds something.
func (in Input) syncedLate(life int) bool {
	l := in.life(life)
	return l.Gone-l.Started <= PLEGRelist+in.Delay &&
		(in.Delay >= runtimeLatency || !in.Kubelet.Has(RelistsOnDemand))
}

// Busy returns the input with the shortest delay that makes a kubelet notice a start late.
func (in Input) Busy() Input {
	in.Delay = runtimeLatency
	return in
}

// OutOfMemory is whether an end is shown as one for memory.
var OutOfMemory = Formula{
	ID:          "restarts/out-of-memory",
	Description: "a process that the kernel killed because a memory limit was exceeded is shown as OOMKilled",
	Source:      "pkg/kubelet/kuberuntime/kuberuntime_container.go toKubeContainerStatus (the runtime's reason)",
	Implemented: func(in Input) Window {
		return shownAsOOM(in).unless(in.losesOOM(), "the kernel's event after that of the end", -1)
	},
	Documented:   promised(shownAsOOM),
	Promise:      "A container that exceeds its memory limit may be ended by the kernel, with the reason OOMKilled.",
	DocumentedAt: "https://kubernetes.io/docs/tasks/configure-pod-container/assign-memory-resource/#exceed-a-container-s-memory-limit",
	Issues:       issues("containerd#8893, containerd#12372"),
}

var shownAsOOM = always(count("end by OOMKilled", 1))

// losesOOM reports whether the runtime may have learned of the end before it learned of the kernel's kill. It then
// calls the end an error. Other ends of the container must be shown as OOMKilled. A virtual node's runtime knows at
// once.
func (in Input) losesOOM() bool {
	l, other := in.life(in.Life), func(o Life) bool { return o.EndReason == oomKilled }
	return l.EndReason == failed && l.ExitCode == unknownCode && !in.Kubelet.OwnServer &&
		in.Kubelet.Has(OOMBesideEnd) &&
		slices.ContainsFunc(in.Lives, other)
}

// The reasons of ends that a runtime gives.
const oomKilled, failed = "OOMKilled", "Error"

// OutOfMemoryCode is the exit code of a process that the kernel killed for memory.
var OutOfMemoryCode = Formula{
	ID:          "restarts/out-of-memory-code",
	Description: "a process that the kernel killed because a memory limit was exceeded ends with 137, as by SIGKILL",
	Source:      "containerd exit status of the init process",
	Of:          Runtime,
	Implemented: always(window(ExitCode, Term{Name: "exit code", Earliest: 137, Latest: 137})),
}

// HookSkipped is how often the preStop hook runs if its container ends without the kubelet.
var HookSkipped = documented(Formula{
	ID:          "restarts/no-hook",
	Description: "a container that ends without the kubelet runs no preStop hook",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_container.go killContainer (the only caller of " +
		"executePreStopHook)",
	Implemented:  always(count("runs", 0)),
	Promise:      "preStop is called before a container is terminated by a request or a management event.",
	DocumentedAt: "https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks/",
})

// InitThenNext is the time from an init container's success to the next container's start.
var InitThenNext = documented(Formula{
	ID:          "restarts/init-then-next",
	Description: "the next container starts only after the init container has succeeded",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_container.go computeInitContainerActions; " +
		"pkg/kubelet/kubelet.go genericPlegRelistPeriod",
	Implemented:  always(span(seenExit()...)),
	Promise:      "Each init container must succeed before the next container is started.",
	DocumentedAt: "https://kubernetes.io/docs/concepts/workloads/pods/init-containers/",
})

// PodEnds is the time from the last end to the pod's terminal phase.
var PodEnds = Formula{
	ID:          "restarts/pod-ends",
	Description: "a pod without a container to restart ends when the kubelet sees the last end",
	Source:      "pkg/kubelet/kubelet_pods.go getPhase; pkg/kubelet/pod_workers.go completeSync, completeTerminating",
	Implemented: always(terminalPhase),
}

// JobFails is the time from the last end of a pod of a Job to the stop signal of the Job's other pod, if the Job's
// podFailurePolicy has the action FailJob for the exit code.
var JobFails = documented(Formula{
	ID: "restarts/job-fails",
	Description: "the podFailurePolicy of a Job looks at the exit codes of a failed pod, not at those that a rule restarts; " +
		"the action FailJob deletes the Job's other pods",
	Source: "pkg/controller/job/job_controller.go updatePod, syncJob, deleteActivePods; " + PodEnds.Source,
	Of:     Controller,
	Implemented: always(span(slices.Concat(terminalPhase.Terms,
		[]Term{watched, upTo("the Job controller's batch", jobBatch), upTo("controller's delete", apiRequest)},
		deleteToKill())...)),
	Promise:      "FailJob marks the Job as failed, and its running pods are terminated.",
	DocumentedAt: "https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-failure-policy",
})

// jobBatch is how long the Job controller collects changes of pods (job_controller.go SyncJobBatchPeriod).
const jobBatch = time.Second

// Starts is how many lives a container has had after it should not restart.
var Starts = Formula{
	ID:          "restarts/starts",
	Description: "a container that ended for good is not started again",
	Source:      "pkg/kubelet/container/helpers.go ShouldContainerBeRestarted",
	Implemented: func(in Input) Window { return count("lives", in.Life) },
	Documented: promised(func(in Input) Window {
		return count("lives", in.Life)
	}),
	Promise:      "OnFailure restarts a container only if it ended with an error. Never restarts none.",
	DocumentedAt: "https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy",
}

// NeverStarts is how many lives a container has had that must not start.
var NeverStarts = documented(Formula{
	ID:           "restarts/never-starts",
	Description:  "no main container starts when an init container has failed for good",
	Source:       "pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions",
	Implemented:  always(count("lives", 0)),
	Promise:      "With restartPolicy Never an init container that fails makes the whole pod fail.",
	DocumentedAt: InitThenNext.DocumentedAt,
})

// Undisturbed is how often a container ends while its neighbour crashes.
var Undisturbed = Formula{
	ID:          "restarts/undisturbed",
	Description: "a container is not restarted because its neighbour is",
	Source:      "pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions",
	Implemented: always(count("ends", 0)),
}
