package mutation

const (
	evictionManager = "pkg/kubelet/eviction/eviction_manager.go"
	evictionHelpers = "pkg/kubelet/eviction/helpers.go"
)

func evictionGraceMutations() []Mutation {
	shared := Mutation{File: evictionManager, Versions: since134}
	return with(shared, []Mutation{
		constant(Mutation{
			Name: "immediate-grace-ten", Within: "immediateEvictionGracePeriodSeconds", Now: "1", Mutant: "10",
			Breaks:  "A hard threshold or a limit leaves one second, which becomes two. The mutant leaves ten.",
			Formula: "eviction/remainder",
		}),
		{
			Name: "hard-eviction-as-soft", Within: "managerImpl.synchronize",
			Now: "if !isHardEvictionThreshold(thresholdToReclaim) {", Mutant: "if true {",
			Breaks:  "evictionMaxPodGracePeriod is for soft thresholds only. The mutant applies it to hard ones.",
			Formula: "eviction/remainder",
		}, {
			Name: "soft-maximum-lengthens", Within: "managerImpl.synchronize",
			Now: "min(m.config.MaxPodGracePeriodSeconds,", Mutant: "max(m.config.MaxPodGracePeriodSeconds,",
			Breaks: "A soft threshold leaves the lesser of its maximum and the pod's grace period. The mutant leaves " +
				"the greater.",
			Formula: "eviction/remainder",
		}, {
			Name: "soft-maximum-alone", Within: "managerImpl.synchronize",
			Now:    "min(m.config.MaxPodGracePeriodSeconds, *pod.Spec.TerminationGracePeriodSeconds)",
			Mutant: "m.config.MaxPodGracePeriodSeconds",
			Breaks: "A soft threshold leaves the lesser of its maximum and the pod's grace period. The mutant leaves " +
				"the maximum.",
			Formula: "eviction/remainder", Reference: "kubernetes#64530",
		}, {
			Name: "hard-and-soft-exchanged", File: evictionHelpers, Within: "isHardEvictionThreshold",
			Now: "threshold.GracePeriod == time.Duration(0)", Mutant: "threshold.GracePeriod != time.Duration(0)",
			Breaks:  "Only a soft threshold leaves a grace period. The mutant exchanges hard and soft ones.",
			Formula: "eviction/remainder",
		}, {
			Name: "eviction-grace-at-times", Within: "managerImpl.evictPod",
			Now: "m.killPodFunc(pod, true, &gracePeriodOverride,",
			Mutant: "m.killPodFunc(pod, true, map[byte]*int64{0: &gracePeriodOverride, " +
				"1: pod.Spec.TerminationGracePeriodSeconds}[pod.UID[0]%2],",
			Breaks: "An eviction leaves the grace period that it chooses. The mutant leaves half of the pods their " +
				"own.",
			Formula: "eviction/remainder",
		}, {
			Name: "preempted-without-grace", File: "pkg/kubelet/preemption/preemption.go",
			Within: "CriticalPodAdmissionHandler.evictPodsToFreeRequests",
			Now:    "c.killPodFunc(pod, true, nil,", Mutant: "c.killPodFunc(pod, true, new(int64),",
			Breaks:  "A preempted pod has its whole grace period. The mutant leaves two seconds.",
			Formula: "termination/remainder",
		},
	})
}

func evictionFoundMutations() []Mutation {
	shared := Mutation{File: evictionManager, Versions: since134}
	return with(shared, []Mutation{
		{
			Name: "soft-grace-ignored", File: evictionHelpers, Within: "thresholdsMetGracePeriod",
			Now: "duration < threshold.GracePeriod", Mutant: "duration < 0",
			Breaks:  "A soft threshold must be met for its grace period. The mutant evicts at the first look.",
			Formula: "eviction/soft-threshold-found",
		},
		constant(Mutation{
			Name: "cleanup-wait-five-minutes", Within: "podCleanupTimeout",
			Now: "30 * time.Second", Mutant: "300 * time.Second",
			Breaks:  "The next look waits at most half a minute for an evicted pod's cleanup. The mutant waits five.",
			Formula: "eviction/cleanup-limit",
		}),
		constant(Mutation{
			Name: "cleanup-asked-once-a-minute", Within: "podCleanupPollFreq",
			Now: "time.Second", Mutant: "time.Minute",
			Breaks: "The kubelet checks an evicted pod's cleanup every second. The mutant's wait ends before its " +
				"first check.",
			Formula: "eviction/next-pod",
		}),
		constant(Mutation{
			Name: "looks-once-a-minute", File: "pkg/kubelet/kubelet.go", Within: "evictionMonitoringPeriod",
			Now: "time.Second * 10", Mutant: "time.Minute",
			Breaks:  "The kubelet looks at thresholds every ten seconds. The mutant looks every minute.",
			Formula: "eviction/hard-threshold-found",
		}),
		{
			Name: "pods-unranked", Within: "managerImpl.synchronize",
			Now: "rank(activePods, statsFunc)", Mutant: "_ = rank",
			Breaks: "Pods that exceed their requests and less important ones go first. The mutant evicts in the " +
				"order of a map.",
			Formula: "eviction/next-pod",
		}, {
			Name: "volume-limit-ignored", Within: "managerImpl.emptyDirLimitEviction",
			Now: "used.Cmp(*size) > 0", Mutant: "used.Cmp(*size) > 1",
			Breaks:  "A pod is evicted when a volume exceeds its size limit. The mutant never evicts it.",
			Formula: "eviction/volume-limit-found",
		}, {
			Name: "volume-limit-halved", Within: "managerImpl.emptyDirLimitEviction",
			Now: "used.Cmp(*size) > 0", Mutant: "2*used.Value() > size.Value()",
			Breaks:  "A pod whose volume is below its limit lives on. The mutant evicts it at half of the limit.",
			Formula: "eviction/lives-on",
		}, {
			Name: "critical-pods-evicted", Within: "managerImpl.evictPod",
			Now: "kubelettypes.IsCriticalPod(pod)", Mutant: "false",
			Breaks:  "A critical pod is never evicted. The mutant evicts it like any other.",
			Formula: "kubelet/critical-pods",
		}, {
			Name: "nothing-evicted", Within: "managerImpl.synchronize",
			Now: "len(thresholds) == 0 && !m.localStorageCapacityIsolation", Mutant: "len(thresholds) >= 0",
			Breaks:  "The eviction manager evicts pods. The mutant's returns before it looks.",
			Formula: "eviction/hard-threshold-found",
		}, {
			Name: "no-layer-limit-is-zero", Within: "managerImpl.containerEphemeralStorageLimitEviction",
			Now: "range pod.Spec.Containers { ephemeralLimit := container.Resources.Limits.StorageEphemeral()\n" +
				"if ephemeralLimit != nil && ephemeralLimit.Value() != 0 {",
			Mutant: "range pod.Spec.Containers { ephemeralLimit := container.Resources.Limits.StorageEphemeral()\n" +
				"if ephemeralLimit != nil {",
			Formula: "eviction/lives-on",
			Breaks:  "A container without a limit may write what it wants. The mutant's may write nothing.",
		}, {
			Name: "init-layer-limited", Within: "managerImpl.containerEphemeralStorageLimitEviction",
			Versions: since137, Now: "!podutil.IsRestartableInitContainer(&container)", Mutant: "false",
			Breaks:  "No limit holds for an init container's layer. The mutant evicts a pod for it.",
			Formula: "eviction/lives-on",
		}, {
			Name: "layer-limit-reversed", Within: "managerImpl.containerEphemeralStorageLimitEviction",
			Now:    "ephemeralStorageThreshold.Cmp(*containerUsed) < 0",
			Mutant: "containerUsed.Cmp(*ephemeralStorageThreshold) < 0",
			Breaks: "A pod is evicted when a layer exceeds its limit. The mutant evicts while a layer is below the " +
				"limit.",
			Formula: "eviction/layer-limit-found",
		},
	})
}

func evictionEndMutations() []Mutation {
	shared := Mutation{File: evictionManager, Within: "managerImpl.evictPod", Versions: since134}
	return with(shared, []Mutation{
		{
			Name: "evicted-succeeded", Now: "status.Phase = v1.PodFailed", Mutant: "status.Phase = v1.PodSucceeded",
			Breaks:  "An evicted pod has failed. The mutant marks it as succeeded, and the reason is lost.",
			Formula: "eviction/reason",
		}, {
			Name: "evicted-content-kept", Now: "m.killPodFunc(pod, true,", Mutant: "m.killPodFunc(pod, false,",
			Breaks: "The kubelet removes an evicted pod's dead containers at once. The mutant keeps them until the " +
				"pod is deleted.",
			Formula: "eviction/lost-exit-code",
		}, {
			Name: "evicted-content-kept-until-dead", File: podWorkersFile,
			Within: "podWorkers.ShouldPodContentBeRemoved",
			Now:    "status.IsEvicted() ||", Mutant: "status.IsEvicted() && status.IsTerminated() ||",
			Breaks:  "The kubelet removes dead containers of an evicted pod while others live. The mutant waits for all.",
			Formula: "eviction/lost-exit-code", Repairs: true, Versions: since123, Reference: "kubernetes#104107",
		}, {
			Name: "pressure-transition-reversed", File: evictionHelpers, Within: "nodeConditionsObservedSince",
			Now: "duration < period", Mutant: "duration > period",
			Breaks: "A node's pressure lasts for the transition period after a threshold. The mutant shows it only " +
				"after that period.",
			Formula: "eviction/pressure-begins",
		},
	})
}
