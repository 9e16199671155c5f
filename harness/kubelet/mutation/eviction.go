package mutation

const (
	evictionManager = "pkg/kubelet/eviction/eviction_manager.go"
	evictionHelpers = "pkg/kubelet/eviction/helpers.go"
)

// evictionGraceMutations break how long an evicted or preempted pod may take.
func evictionGraceMutations() []Mutation {
	return []Mutation{
		{
			Name: "immediate-grace-ten", File: evictionManager, Within: "immediateEvictionGracePeriodSeconds",
			Now: "immediateEvictionGracePeriodSeconds = 1", Mutant: "immediateEvictionGracePeriodSeconds = 10",
			Breaks: "An eviction by a hard threshold or a limit leaves one second, which becomes two. Here it " +
				"leaves ten.",
			Formula: "eviction/remainder", Versions: since134,
		},
		{
			Name: "hard-eviction-as-soft", File: evictionManager, Within: "managerImpl.synchronize",
			Now: "if !isHardEvictionThreshold(thresholdToReclaim) {", Mutant: "if true {",
			Breaks: "evictionMaxPodGracePeriod is for soft thresholds only. Here a hard threshold, too, leaves the " +
				"lesser of it and the pod's grace period.",
			Formula: "eviction/remainder", Versions: since134,
		},
		{
			Name: "soft-maximum-lengthens", File: evictionManager, Within: "managerImpl.synchronize",
			Now: "min(m.config.MaxPodGracePeriodSeconds,", Mutant: "max(m.config.MaxPodGracePeriodSeconds,",
			Breaks: "A soft threshold leaves the lesser of evictionMaxPodGracePeriod and the pod's grace period. " +
				"Here it leaves the greater of the two.",
			Formula: "eviction/remainder", Versions: since134,
		},
		{
			Name: "soft-maximum-alone", File: evictionManager, Within: "managerImpl.synchronize",
			Now:    "min(m.config.MaxPodGracePeriodSeconds, *pod.Spec.TerminationGracePeriodSeconds)",
			Mutant: "m.config.MaxPodGracePeriodSeconds",
			Breaks: "A soft threshold leaves the lesser of evictionMaxPodGracePeriod and the pod's grace period. " +
				"Here it leaves evictionMaxPodGracePeriod, though the pod's own is shorter.",
			Formula: "eviction/remainder", Versions: since134, Reference: "kubernetes#64530",
		},
		{
			Name: "hard-and-soft-exchanged", File: evictionHelpers, Within: "isHardEvictionThreshold",
			Now: "threshold.GracePeriod == time.Duration(0)", Mutant: "threshold.GracePeriod != time.Duration(0)",
			Breaks: "A soft threshold leaves the lesser of evictionMaxPodGracePeriod and the pod's grace period, a " +
				"hard one nothing. Here each does what the other should.",
			Formula: "eviction/remainder", Versions: since134,
		},
		{
			Name: "preempted-without-grace", File: "pkg/kubelet/preemption/preemption.go",
			Within: "CriticalPodAdmissionHandler.evictPodsToFreeRequests",
			Now:    "c.killPodFunc(pod, true, nil,", Mutant: "c.killPodFunc(pod, true, new(int64),",
			Breaks: "A pod that is ended for a critical one has its whole grace period. Here it is asked for none, " +
				"which leaves two seconds.",
			Formula: "termination/remainder", Versions: since134,
		},
		{
			Name: "shutdown-grace-lengthened", File: "pkg/kubelet/nodeshutdown/nodeshutdown_manager.go",
			Within: "podManager.killPods",
			Now:    "*pod.Spec.TerminationGracePeriodSeconds <= gracePeriodOverride",
			Mutant: "*pod.Spec.TerminationGracePeriodSeconds >= gracePeriodOverride",
			Breaks: "A node that shuts down leaves a pod the lesser of its own grace period and the node's. Here it " +
				"leaves the greater.",
			Unmeasured: "No trial shuts a node down. A kubelet learns of that from systemd-logind, which the nodes " +
				"that podclock builds are not asked for, and of which a virtual one has no model.",
			Versions: since134,
		},
	}
}

// evictionFoundMutations break when an eviction begins, and of which pod.
func evictionFoundMutations() []Mutation {
	return []Mutation{
		{
			Name: "soft-grace-ignored", File: evictionHelpers, Within: "thresholdsMetGracePeriod",
			Now: "duration < threshold.GracePeriod", Mutant: "duration < 0",
			Breaks: "A soft threshold must have been met for its grace period. Here the first look that sees it met " +
				"evicts.",
			Formula: "eviction/soft-threshold-found", Versions: since134, Reference: "kubernetes#107024",
		},
		{
			Name: "cleanup-wait-five-minutes", File: evictionManager, Within: "podCleanupTimeout",
			Now: "podCleanupTimeout = 30 * time.Second", Mutant: "podCleanupTimeout = 300 * time.Second",
			Breaks: "The next look waits half a minute at most for the cleanup of an evicted pod. Here it waits " +
				"five minutes.",
			Formula: "eviction/cleanup-limit", Versions: since134,
		},
		{
			Name: "cleanup-asked-once-a-minute", File: evictionManager, Within: "podCleanupPollFreq",
			Now: "podCleanupPollFreq = time.Second", Mutant: "podCleanupPollFreq = time.Minute",
			Breaks: "Once a second it is asked whether an evicted pod is cleaned up, and the next look follows. " +
				"Here half a minute passes, and the question is never asked.",
			Formula: "eviction/next-pod", Versions: since134,
		},
		{
			Name: "looks-once-a-minute", File: "pkg/kubelet/kubelet.go", Within: "evictionMonitoringPeriod",
			Now: "evictionMonitoringPeriod = time.Second * 10", Mutant: "evictionMonitoringPeriod = time.Minute",
			Breaks:  "Thresholds and limits are looked at every ten seconds. Here a minute passes between two looks.",
			Formula: "eviction/hard-threshold-found", Versions: since134,
		},
		{
			Name: "pods-unranked", File: evictionManager, Within: "managerImpl.synchronize",
			Now: "rank(activePods, statsFunc)", Mutant: "_ = rank",
			Breaks: "What exceeds its request is evicted first, and of that the less important. Here pods are " +
				"evicted as they come out of a map.",
			Formula: "eviction/next-pod", Versions: since134,
		},
		{
			Name: "layer-limit-reversed", File: evictionManager,
			Within: "managerImpl.containerEphemeralStorageLimitEviction",
			Now:    "ephemeralStorageThreshold.Cmp(*containerUsed) < 0",
			Mutant: "containerUsed.Cmp(*ephemeralStorageThreshold) < 0",
			Breaks: "A pod is evicted when a container's layer exceeds the container's limit. Here the arguments " +
				"are swapped, and it is evicted while a layer is below it.",
			Formula: "eviction/layer-limit-found", Versions: since134,
		},
	}
}

// evictionEndMutations break what is left of an evicted pod, and of the pressure.
func evictionEndMutations() []Mutation {
	return []Mutation{
		{
			Name: "evicted-succeeded", File: evictionManager, Within: "managerImpl.evictPod",
			Now: "status.Phase = v1.PodFailed", Mutant: "status.Phase = v1.PodSucceeded",
			Breaks: "An evicted pod has failed. Here it is marked as one that succeeded, and the reason is lost " +
				"when its process turns out to have failed.",
			Formula: "eviction/reason", Versions: since134,
		},
		{
			Name: "evicted-content-kept", File: evictionManager, Within: "managerImpl.evictPod",
			Now: "m.killPodFunc(pod, true,", Mutant: "m.killPodFunc(pod, false,",
			Breaks: "The dead containers of an evicted pod are removed at once, with what they have written. Here " +
				"they stay, like those of a pod that merely ends, until the pod is deleted.",
			Unmeasured: "The API shows the same of the pod, and its volumes are removed either way. Dead containers " +
				"and their layers are seen at the container runtime alone, and as the room that they take on its " +
				"file system, which a trial would have to fill: that is the host's.",
			Versions: since134,
		},
		{
			Name: "pressure-transition-reversed", File: evictionHelpers, Within: "nodeConditionsObservedSince",
			Now: "duration < period", Mutant: "duration > period",
			Breaks: "A node is under pressure while a threshold is met, and for the transition period after that. " +
				"Here the condition shows only after it.",
			Formula: "eviction/pressure-begins", Versions: since134,
		},
	}
}
