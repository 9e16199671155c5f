package formula

import "time"

// The numbers of the image pull's back-off (pkg/kubelet/kubelet.go imageBackOffPeriod, MaxImageBackOff).
const (
	imageBackOffPeriod = 10 * time.Second
	maxImageBackOff    = 300 * time.Second
)

// PullDelay is the time from one attempt to pull a missing image to the next, in a pod of one container.
var PullDelay = Formula{
	ID: "restarts/pull-delay",
	Says: "attempts to pull an image wait 10, 20, 40 … 300 s after the last failure, and come with the pod's next " +
		"sync, every ten to fifteen seconds",
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

// pullBackOff returns the back-off before an attempt; the second attempt waits the first value.
func (in Input) pullBackOff() time.Duration {
	g, b := growth{imageBackOffPeriod, maxImageBackOff}, time.Duration(0)
	for n := 1; n < in.Attempt; n++ {
		b = g.after(b)
	}
	return b
}

func pullSlack(b time.Duration) []Term {
	return []Term{
		upTo("failure of the attempt", pullAnswer),
		upTo("checks ten to fifteen seconds apart, and the work queue", polled(b)),
		upTo("runtime", runtimeLatency),
	}
}

// AfterKubeletRestart is the time from the start of a new kubelet process to the start of a container that waited for
// its back-off.
var AfterKubeletRestart = Formula{
	ID: "restarts/after-kubelet-restart",
	Says: "a back-off exists in the kubelet's memory only: a restarted kubelet starts the waiting container " +
		"at once",
	Source:      "pkg/kubelet/kubelet.go (crashLoopBackOff); pkg/kubelet/kuberuntime/kuberuntime_manager.go doBackOff",
	Implemented: always(span(append([]Term{upTo("start of the kubelet", kubeletStart)}, seenExit()...)...)),
}

// AfterNewImage is the time from a change of a waiting container's image to its start.
var AfterNewImage = Formula{
	ID: "restarts/after-new-image",
	Says: "a container that waits for its back-off starts at once with another image, which has a back-off of its " +
		"own",
	Source: "pkg/kubelet/kuberuntime/helpers.go GetBackoffKey (1.23.1: getStableKey, over the container's whole spec)",
	Implemented: func(Input) Window {
		return span(
			upTo("watch", watchLatency), upTo("PLEG relist", plegRelist), upTo("create and start", containerStart),
		)
	},
}

// RestartCount is the restartCount of a running container in the API.
var RestartCount = Formula{
	ID:          "restarts/restart-count",
	Says:        "restartCount is the number of earlier lives of the container",
	Source:      "pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer",
	Implemented: func(in Input) Window { return count("lives before", in.Life-1) },
	Documented: promised(func(in Input) Window {
		return count("lives before", in.Life-1)
	}),
	Promise:      "restartCount is the number of times the container has been restarted.",
	DocumentedAt: "https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#PodStatus",
}

// ShownAsCrashLoop is the time from a death to the status CrashLoopBackOff in the API.
var ShownAsCrashLoop = Formula{
	ID: "restarts/shown-as-crash-loop",
	Says: "the second sync after an end shows CrashLoopBackOff, because the first one computes the status before it " +
		"finds the container in its back-off; the second may already start the container",
	Source: "pkg/kubelet/kubelet.go SyncPod (reasonCache.Update after generateAPIPodStatus); " +
		"pkg/kubelet/pod_workers.go completeWork",
	Implemented: func(in Input) Window {
		longest := time.Duration(0)
		for _, b := range in.backOffs(in.Life) {
			longest = max(longest, b)
		}
		return span(upTo("PLEG relist", plegRelist),
			upTo("the next sync", in.Kubelet.requeue(longest)),
			upTo("status", statusWrite),
		)
	},
}

// InitThenNext is the time from the successful end of an init container to the start of the container after it.
var InitThenNext = Formula{
	ID:   "restarts/init-then-next",
	Says: "the next container starts only after the init container has succeeded",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_container.go computeInitContainerActions; " +
		"pkg/kubelet/kubelet.go genericPlegRelistPeriod",
	Implemented:  always(span(seenExit()...)),
	Documented:   promised(always(span(seenExit()...))),
	Promise:      "Each init container must succeed before the next container is started.",
	DocumentedAt: "https://kubernetes.io/docs/concepts/workloads/pods/init-containers/",
}

// PodEnds is the time from the last end of a container that is not restarted to the pod's terminal phase in the API.
var PodEnds = Formula{
	ID:          "restarts/pod-ends",
	Says:        "a pod without a container to restart ends as soon as the kubelet sees the last container's end",
	Source:      "pkg/kubelet/kubelet_pods.go getPhase; pkg/kubelet/pod_workers.go completeSync, completeTerminating",
	Implemented: terminalPhase,
}

// Starts is how many lives a container has had after it should not restart any more.
var Starts = Formula{
	ID:          "restarts/starts",
	Says:        "a container that ended for good is not started again",
	Source:      "pkg/kubelet/container/helpers.go ShouldContainerBeRestarted",
	Implemented: func(in Input) Window { return count("lives", in.Life) },
	Documented: promised(func(in Input) Window {
		return count("lives", in.Life)
	}),
	Promise:      "OnFailure restarts a container only if it ended with an error. Never restarts none.",
	DocumentedAt: "https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy",
}

// NeverStarts is how many lives a container has had that must not start at all.
var NeverStarts = Formula{
	ID:           "restarts/never-starts",
	Says:         "no main container starts when an init container has failed for good",
	Source:       "pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions",
	Implemented:  always(count("lives", 0)),
	Documented:   promised(always(count("lives", 0))),
	Promise:      "With restartPolicy Never an init container that fails makes the whole pod fail.",
	DocumentedAt: InitThenNext.DocumentedAt,
}

// Undisturbed is how often a container is ended while its neighbour ends again and again.
var Undisturbed = Formula{
	ID:          "restarts/undisturbed",
	Says:        "a container is not restarted because its neighbour is",
	Source:      "pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions",
	Implemented: always(count("ends", 0)),
}
