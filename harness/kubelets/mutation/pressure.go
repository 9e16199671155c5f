package mutation

const (
	preemptionFile = "pkg/kubelet/preemption/preemption.go"
	synchronize    = "managerImpl.synchronize"
	evictPod       = "managerImpl.evictPod"
)

// thresholdMutations change when a threshold counts as crossed.
func thresholdMutations() []Mutation {
	shared := Mutation{File: evictionHelpers, Formula: "eviction/soft-threshold-found", Versions: since137}
	return with(shared, []Mutation{
		{
			Name: "whole-is-threshold", Within: "parseThresholdStatement", Formula: "eviction/hard-threshold-found",
			Now: `val == "0%" || val == "100%"`, Mutant: `val == "0%"`,
			Breaks: "100 % is no threshold. The mutant's is always crossed.",
		}, {
			Name: "soft-clock-restarted", Within: "thresholdsFirstObservedAt",
			Now: "if !found {\nobservedAt = now\n}", Mutant: "_ = found\nobservedAt = now",
			Breaks: "A soft grace period runs from the first look. The mutant's begins again with each look.",
		}, {
			Name: "soft-grace-halved-at-times", Within: "thresholdsMetGracePeriod",
			Now: "duration < threshold.GracePeriod", Mutant: "duration < threshold.GracePeriod>>(at.Unix()&1)",
			Breaks: "A soft threshold must be met for its grace period. Half of the time the mutant halves it.",
		}, {
			Name: "reclaim-always-added", Within: "thresholdsMet", Formula: "eviction/uncaused",
			Now: "enforceMinReclaim && threshold.MinReclaim != nil", Mutant: "threshold.MinReclaim != nil",
			Breaks: "evictionMinimumReclaim counts once a threshold is crossed. The mutant adds it to the threshold.",
		}, {
			Name: "evicts-by-old-stats", Within: "thresholdsUpdatedStats", Formula: "eviction/next-pod",
			Now: "observed.time.After(last.time.Time)", Mutant: "!observed.time.Time.Before(last.time.Time)",
			Breaks: "The next eviction needs newer stats than the last. The mutant's uses the same ones again.",
		}, {
			Name: "pressure-for-ever", Within: "nodeConditionsLastObservedAt", Formula: "eviction/pressure-ends",
			Now: "results[key] = value", Mutant: "_, results[key] = value, now",
			Breaks: "Pressure ends a transition period after the last look that saw it. The mutant's never ends.",
		}, {
			Name: "pressure-ends-at-once", Within: "nodeConditionsLastObservedAt", Formula: "eviction/pressure-ends",
			Now: "results[key] = value", Mutant: "_ = value",
			Breaks: "Pressure lasts for the transition period. The mutant's ends with the next look.",
		}, {
			Name: "image-inodes-unseen", Within: "makeSignalObservations",
			Now: "if imageFs.InodesFree != nil && imageFs.Inodes != nil {", Mutant: "if false {",
			Breaks: "Thresholds hold for the inodes of the images' disk, too. The mutant does not see them.",
		}, {
			Name: "reclaimed-in-vain", File: evictionManager, Within: "managerImpl.reclaimNodeLevelResources",
			Now: "if len(nodeReclaimFuncs) > 0 {", Mutant: "if len(nodeReclaimFuncs) > 9 {",
			Breaks: "No pod is evicted if dead containers left enough room. The mutant evicts one all the same.",
		},
	})
}

// choiceMutations change which pods make room.
func choiceMutations() []Mutation {
	shared := Mutation{File: evictionHelpers, Formula: "eviction/next-pod", Versions: since137}
	return with(shared, []Mutation{
		{
			Name: "important-pods-first", Within: "priority", Now: "priority1 > priority2",
			Mutant: "priority1 < priority2",
			Breaks: "Of two pods above their requests the less important goes first. The mutant swaps them.",
		}, {
			Name: "modest-pods-first", Within: "exceedMemoryRequests",
			Now:    "cmpBool(p1ExceedsRequests, p2ExceedsRequests)",
			Mutant: "cmpBool(p2ExceedsRequests, p1ExceedsRequests)",
			Breaks: "Pods above their requests go first. The mutant begins with those below.",
		}, {
			Name: "smallest-pod-first", Within: "memory", Now: "p2Memory.Cmp(*p1Memory)",
			Mutant: "p1Memory.Cmp(*p2Memory)",
			Breaks: "Of two equal pods the one with more memory above its request goes first. The mutant swaps them.",
		}, {
			Name: "priority-before-requests", Within: "rankMemoryPressure",
			Now:    "orderedBy(exceedMemoryRequests(stats), priority,",
			Mutant: "orderedBy(priority, exceedMemoryRequests(stats),",
			Breaks: "Requests count before priorities. The mutant first evicts what is less important.",
		}, {
			Name: "all-pods-evicted", File: evictionManager, Within: synchronize, Now: "return []*v1.Pod{pod}, nil",
			Mutant: "continue",
			Breaks: "One look evicts one pod. The mutant evicts all pods one after another.",
		}, {
			Name: "cleanup-not-awaited", File: evictionManager, Within: "managerImpl.waitForPodsCleanup",
			Now: "if !podCleanedUpFunc(pod) {", Mutant: "if podCleanedUpFunc(pod) {",
			Breaks: "The next look waits for an evicted pod's cleanup. The mutant looks while it is missing.",
		}, {
			Name: "any-pod-preempted", File: preemptionFile, Within: "getPodsToPreemptByDistance",
			Formula: "eviction/lives-on", Now: "dist < bestDistance", Mutant: "dist > bestDistance",
			Breaks: "The pod that best fits the need makes room for a critical one. The mutant takes the first.",
		}, {
			Name: "guaranteed-not-preempted", File: preemptionFile, Within: "getPodsToPreempt",
			Formula: "eviction/preemption-start",
			Now:     "guaranteedPods := sortPodsByQOS(pod, pods)",
			Mutant:  "guaranteedPods := sortPodsByQOS(pod, pods)\nguaranteedPods = nil",
			Breaks:  "A Guaranteed pod makes room for a critical one, too. The mutant's does not.",
		}, {
			Name: "critical-pod-refused", File: preemptionFile,
			Within: "CriticalPodAdmissionHandler.HandleAdmissionFailure", Formula: "eviction/preemption-start",
			Now: "if !kubetypes.IsCriticalPod(admitPod) {", Mutant: "if kubetypes.IsCriticalPod(admitPod) {",
			Breaks: "A critical pod makes others make room. The mutant's is refused, and others preempt.",
		}, {
			Name: "preemptor-first", File: preemptionFile,
			Within: "CriticalPodAdmissionHandler.evictPodsToFreeRequests", Formula: "eviction/preemptor-start",
			Now: "err := c.killPodFunc(pod,", Mutant: "var err error\ngo c.killPodFunc(pod,",
			Breaks: "A critical pod starts after the end of the one that makes room. The mutant's does not wait.",
		}, {
			Name: "larger-pod-preempted", File: preemptionFile, Within: "smallerResourceRequest",
			Formula: "eviction/lives-on", Now: "req1 < req2", Mutant: "req1 > req2",
			Breaks: "Of two pods that fit equally well, the smaller makes room. The mutant takes the larger.",
		}, {
			Name: "larger-cpu-preempted", File: preemptionFile, Within: "smallerResourceRequest",
			Now:     "if req1 < req2 {\nreturn true\n} else if req1 > req2 {\nreturn false\n}",
			Formula: "eviction/lives-on",
			Mutant:  "if req1 != req2 {\nreturn (req1 < req2) == (res == v1.ResourceMemory)\n}",
			Breaks: "Of pods with the same memory, the one with less CPU makes room. The mutant takes the one with " +
				"more.",
		}, {
			Name: "preempts-in-vain", File: preemptionFile,
			Within: "CriticalPodAdmissionHandler.HandleAdmissionFailure", Formula: "eviction/refusal-for",
			Now: "if len(nonResourceReasons) > 0 {", Mutant: "if len(resourceReasons) == 0 {",
			Breaks: "A critical pod that the node does not suit is refused. The mutant first looks for room.",
		}, {
			Name: "fullest-disk-last", Within: "disk", Now: "p2Disk.Cmp(p1Disk)", Mutant: "p1Disk.Cmp(p2Disk)",
			Breaks: "Of two equal pods the one that stores more above its request goes first. The mutant swaps them.",
		}, {
			Name: "layers-on-every-disk", Within: "buildSignalToRankFunc",
			Now: "if withImageFs && !imageContainerSplitFs {", Mutant: "if withImageFs && imageContainerSplitFs {",
			Breaks: "If images have a disk, layers count there alone. The mutant adds layers, volumes and logs.",
		}, {
			Name: "unknown-pod-last", Within: "exceedDiskRequests", Formula: "eviction/next-after-waiting",
			Now: "cmpBool(!p1Found, !p2Found)", Mutant: "cmpBool(p1Found, p2Found)",
			Breaks: "A pod without statistics goes before others of its priority. The mutant's goes after them.",
		}, {
			Name: "pressure-admits", File: evictionManager, Within: "managerImpl.Admit",
			Formula: "eviction/refusal", Now: "if len(m.nodeConditions) == 0 {", Mutant: "if true {",
			Breaks: "A kubelet under pressure of its disk takes no new pods. The mutant takes them.",
		}, {
			Name: "containerfs-configured", Within: "UpdateContainerFsThresholds",
			Formula: "kubelet/starts",
			Now:     "if imageFs && !separateContainerImageFs {", Mutant: "if false {",
			Breaks: "A threshold for containerfs is ignored. The mutant obeys it.",
		}, {
			Name: "preempted-without-condition", Reference: "kubernetes PR 117586", File: preemptionFile,
			Within: "CriticalPodAdmissionHandler.evictPodsToFreeRequests", Formula: "eviction/disruption-target",
			Now: "podutil.UpdatePodCondition(status,", Mutant: "podutil.UpdatePodCondition(status.DeepCopy(),",
			Breaks: "A preempted pod has the condition DisruptionTarget. The mutant's has none.",
		},
	})
}

// evictionMutations change limits, and what an eviction reports.
func evictionMutations() []Mutation {
	shared := Mutation{File: evictionManager, Within: evictPod, Formula: "eviction/reason", Versions: since137}
	return with(shared, []Mutation{
		{
			Name: "evicted-without-reason", Now: "status.Reason = Reason",
			Breaks: "An evicted pod's reason is Evicted. The mutant gives none.",
		}, {
			Name: "evicted-without-condition", Formula: "eviction/disruption-target",
			Now:    "podutil.UpdatePodCondition(status, condition)",
			Breaks: "A threshold gives a pod the condition DisruptionTarget. The mutant gives none.",
		}, {
			Name: "event-after-kill", Formula: "eviction/event-then-kill", Now: "m.recorder.AnnotatedEventf(",
			Mutant: "defer m.recorder.AnnotatedEventf(",
			Breaks: "An eviction's event comes before its kill. The mutant's comes afterwards.",
		}, {
			Name: "volume-limit-ignored-at-times", Within: "managerImpl.emptyDirLimitEviction",
			Formula: "eviction/volume-limit-found", Now: "used.Cmp(*size) > 0",
			Mutant: "used.Cmp(*size) > int(pod.UID[0]&1)",
			Breaks: "A pod is evicted when a volume exceeds its size limit. The mutant spares half of the pods.",
		}, {
			Name: "pod-limit-reversed", Within: "managerImpl.podEphemeralStorageLimitEviction",
			Formula: "eviction/lives-on", Now: "Cmp(podEphemeralStorageLimit) > 0",
			Mutant: "Cmp(podEphemeralStorageLimit) < 0",
			Breaks: "A pod above the sum of its storage limits is evicted. The mutant evicts those below.",
		}, {
			Name: "sidecar-layer-unlimited", Formula: "eviction/sidecar-layer-limit", Reference: "kubernetes PR 138462",
			Within: "managerImpl.containerEphemeralStorageLimitEviction",
			Now:    "if !podutil.IsRestartableInitContainer(&container) {",
			Mutant: "if podutil.IsRestartableInitContainer(&container) {",
			Breaks: "A sidecar's layer has its limit. The mutant limits those of other init containers.",
		},
	})
}

// refusalMutations change which pods the kubelet takes.
func refusalMutations() []Mutation {
	shared := Mutation{File: "pkg/kubelet/lifecycle/predicate.go", Formula: "eviction/refusal", Versions: since137}
	return with(shared, []Mutation{
		{
			Name: "other-system-admitted", Within: "rejectPodAdmissionBasedOnOSField",
			Now: "string(pod.Spec.OS.Name) != runtime.GOOS", Mutant: "string(pod.Spec.OS.Name) == runtime.GOOS",
			Breaks: "A kubelet refuses pods for another operating system. The mutant refuses those for its own.",
		}, {
			Name: "unknown-device-refused", Within: "removeMissingExtendedResources", Formula: "kubelet/starts",
			Now: "if v1helper.IsExtendedResourceName(rName) {", Mutant: "if v1helper.IsExtendedResourceName(rName) && len(containers) == 0 {",
			Breaks: "A device that the node does not know is no reason to refuse a pod. The mutant refuses it.",
		}, {
			Name: "devices-not-counted", Within: "removeMissingExtendedResources", Formula: "eviction/refusal-for",
			Now:    "if _, found := nodeInfo.Allocatable.ScalarResources[rName]; !found {",
			Mutant: "if _, found := nodeInfo.Allocatable.ScalarResources[rName]; found || !found {",
			Breaks: "A pod whose device another pod has is refused. The mutant counts no devices.",
		},
	})
}
