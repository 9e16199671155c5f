package mutation

const (
	evictionManager = "pkg/kubelet/eviction/eviction_manager.go"
	evictionHelpers = "pkg/kubelet/eviction/helpers.go"
)

// evictionGraceMutations break the grace period of an evicted or preempted pod.
func evictionGraceMutations() []Mutation {
	shared := Mutation{File: evictionManager, Versions: since134}
	return with(shared, []Mutation{
		{
			Name: "immediate-grace-ten", Within: "immediateEvictionGracePeriodSeconds",
			Now: "immediateEvictionGracePeriodSeconds = 1", Mutant: "immediateEvictionGracePeriodSeconds = 10",
			Breaks: "An eviction because of a hard threshold or a limit leaves one second, which becomes two. The " +
				"mutant leaves ten.",
			Formula: "eviction/remainder",
		},
		{
			Name: "hard-eviction-as-soft", Within: "managerImpl.synchronize",
			Now: "if !isHardEvictionThreshold(thresholdToReclaim) {", Mutant: "if true {",
			Breaks: "evictionMaxPodGracePeriod applies to soft thresholds only. The mutant also applies it to a " +
				"hard threshold.",
			Formula: "eviction/remainder",
		},
		{
			Name: "soft-maximum-lengthens", Within: "managerImpl.synchronize",
			Now: "min(m.config.MaxPodGracePeriodSeconds,", Mutant: "max(m.config.MaxPodGracePeriodSeconds,",
			Breaks: "A soft threshold leaves the lesser of evictionMaxPodGracePeriod and the pod's grace period. " +
				"The mutant leaves the greater.",
			Formula: "eviction/remainder",
		},
		{
			Name: "soft-maximum-alone", Within: "managerImpl.synchronize",
			Now:    "min(m.config.MaxPodGracePeriodSeconds, *pod.Spec.TerminationGracePeriodSeconds)",
			Mutant: "m.config.MaxPodGracePeriodSeconds",
			Breaks: "A soft threshold leaves the lesser of evictionMaxPodGracePeriod and the pod's grace period. " +
				"The mutant leaves evictionMaxPodGracePeriod, even if the pod's is shorter.",
			Formula: "eviction/remainder", Reference: "kubernetes#64530",
		},
		{
			Name: "hard-and-soft-exchanged", File: evictionHelpers, Within: "isHardEvictionThreshold",
			Now: "threshold.GracePeriod == time.Duration(0)", Mutant: "threshold.GracePeriod != time.Duration(0)",
			Breaks: "A soft threshold leaves the lesser of evictionMaxPodGracePeriod and the pod's grace period, a " +
				"hard one nothing. The mutant exchanges the two.",
			Formula: "eviction/remainder",
		},
		{
			Name: "preempted-without-grace", File: "pkg/kubelet/preemption/preemption.go",
			Within: "CriticalPodAdmissionHandler.evictPodsToFreeRequests",
			Now:    "c.killPodFunc(pod, true, nil,", Mutant: "c.killPodFunc(pod, true, new(int64),",
			Breaks: "A pod that a critical pod preempts has its whole grace period. The mutant sets none, which " +
				"leaves two seconds.",
			Formula: "termination/remainder",
		},
		{
			Name: "shutdown-grace-lengthened", File: "pkg/kubelet/nodeshutdown/nodeshutdown_manager.go",
			Within: "podManager.killPods",
			Now:    "*pod.Spec.TerminationGracePeriodSeconds <= gracePeriodOverride",
			Mutant: "*pod.Spec.TerminationGracePeriodSeconds >= gracePeriodOverride",
			Breaks: "A node that shuts down leaves a pod the lesser of its own grace period and the node's. The " +
				"mutant leaves the greater.",
			Unmeasured: "No trial shuts a node down. A kubelet learns of a shutdown from systemd-logind. podclock " +
				"does not request one from it, and the virtual node has no model of it.",
		},
	})
}

// evictionFoundMutations break when an eviction begins, and the choice of the pod.
func evictionFoundMutations() []Mutation {
	shared := Mutation{File: evictionManager, Versions: since134}
	return with(shared, []Mutation{
		{
			Name: "soft-grace-ignored", File: evictionHelpers, Within: "thresholdsMetGracePeriod",
			Now: "duration < threshold.GracePeriod", Mutant: "duration < 0",
			Breaks: "A soft threshold must be met for its grace period. The mutant evicts at the first look that " +
				"finds it met.",
			Formula: "eviction/soft-threshold-found", Reference: "kubernetes#107024",
		},
		{
			Name: "cleanup-wait-five-minutes", Within: "podCleanupTimeout",
			Now: "podCleanupTimeout = 30 * time.Second", Mutant: "podCleanupTimeout = 300 * time.Second",
			Breaks: "The next look waits at most half a minute for the cleanup of an evicted pod. The mutant waits " +
				"five minutes.",
			Formula: "eviction/cleanup-limit",
		},
		{
			Name: "cleanup-asked-once-a-minute", Within: "podCleanupPollFreq",
			Now: "podCleanupPollFreq = time.Second", Mutant: "podCleanupPollFreq = time.Minute",
			Breaks: "The kubelet checks every second whether an evicted pod is cleaned up, and then looks again. " +
				"The mutant's half a minute ends before its first check.",
			Formula: "eviction/next-pod",
		},
		{
			Name: "looks-once-a-minute", File: "pkg/kubelet/kubelet.go", Within: "evictionMonitoringPeriod",
			Now: "evictionMonitoringPeriod = time.Second * 10", Mutant: "evictionMonitoringPeriod = time.Minute",
			Breaks:  "The kubelet looks at thresholds and limits every ten seconds. The mutant looks every minute.",
			Formula: "eviction/hard-threshold-found",
		},
		{
			Name: "pods-unranked", Within: "managerImpl.synchronize",
			Now: "rank(activePods, statsFunc)", Mutant: "_ = rank",
			Breaks: "The kubelet first evicts pods that exceed their requests, the less important ones before " +
				"others. The mutant evicts in the order of a map.",
			Formula: "eviction/next-pod",
		},
		{
			Name: "layer-limit-reversed", Within: "managerImpl.containerEphemeralStorageLimitEviction",
			Now:    "ephemeralStorageThreshold.Cmp(*containerUsed) < 0",
			Mutant: "containerUsed.Cmp(*ephemeralStorageThreshold) < 0",
			Breaks: "A pod is evicted when a container's layer exceeds the container's limit. The mutant swaps the " +
				"arguments, and evicts while a layer is below the limit.",
			Formula: "eviction/layer-limit-found",
		},
	})
}

// evictionEndMutations break what remains of an evicted pod and of the pressure.
func evictionEndMutations() []Mutation {
	shared := Mutation{File: evictionManager, Within: "managerImpl.evictPod", Versions: since134}
	return with(shared, []Mutation{
		{
			Name: "evicted-succeeded", Now: "status.Phase = v1.PodFailed", Mutant: "status.Phase = v1.PodSucceeded",
			Breaks: "An evicted pod has failed. The mutant marks it as succeeded, and the reason is lost when its " +
				"process turns out to have failed.",
			Formula: "eviction/reason",
		},
		{
			Name: "evicted-content-kept", Now: "m.killPodFunc(pod, true,", Mutant: "m.killPodFunc(pod, false,",
			Breaks: "The kubelet removes an evicted pod's dead containers and their content at once. The mutant " +
				"keeps them until the pod is deleted, as those of any other pod that ends.",
			Unmeasured: "The API shows no difference, and the volumes are removed either way. Only the container " +
				"runtime shows dead containers and their layers. They also use space on its file system, but a " +
				"trial would have to fill that, and it is the host's.",
		},
		{
			Name: "pressure-transition-reversed", File: evictionHelpers, Within: "nodeConditionsObservedSince",
			Now: "duration < period", Mutant: "duration > period",
			Breaks: "A node is under pressure while a threshold is met, and for the transition period afterwards. " +
				"The mutant shows the condition only after that period.",
			Formula: "eviction/pressure-begins",
		},
	})
}
