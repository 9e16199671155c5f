package mutation

// orphanMutations change what becomes of containers whose pod is gone.
func orphanMutations() []Mutation {
	return with(Mutation{File: kubeletFile, Versions: since137}, []Mutation{
		{
			Name: "orphan-takes-longer", Within: "Kubelet.SyncTerminatingRuntimePod",
			Formula: "termination/orphan-killed",
			Now:     "gracePeriod := int64(1)", Mutant: "gracePeriod := int64(6)",
			Breaks: "Containers without a pod have two seconds. The mutant gives them six.",
		}, {
			Name: "orphans-live-on", File: "pkg/kubelet/kubelet_pods.go", Within: "Kubelet.HandlePodCleanups",
			Formula: "termination/orphan-found", Now: "for _, runningPod := range runningRuntimePods {",
			Mutant: "for _, runningPod := range runningRuntimePods[:0] {",
			Breaks: "A kubelet kills containers whose pod is gone. The mutant leaves them.",
		}, {
			Name: "static-pod-removed-late", File: "pkg/kubelet/config/file_linux.go",
			Within: "sourceFile.consumeWatchEvent", Formula: "termination/manifest-removed",
			Now: "; keyExist {", Mutant: "; keyExist && false {",
			Breaks: "A removed static pod is noticed at once. The mutant waits for fileCheckFrequency, 20 s.",
		}, {
			Name: "mirror-gone-before-its-pod", File: "pkg/kubelet/kubelet_pods.go",
			Within: "Kubelet.HandlePodCleanups", Formula: "termination/mirror-gone",
			Now: "!kl.podWorkers.IsPodForMirrorPodTerminatingByFullName(podFullname)", Mutant: "true",
			Breaks: "A removed static pod's mirror goes after its end. The mutant deletes it during the kill.",
		}, {
			Name: "mirror-delete-kills", Within: "Kubelet.HandlePodRemoves", Formula: "termination/mirror-delete",
			Now: "if wasMirror {", Mutant: "if wasMirror && pod == nil {",
			Breaks: "A static pod outlives a delete of its mirror. The mutant kills it.",
		}, {
			Name: "static-pods-overlap", File: podWorkersFile, Within: "podWorkers.allowStaticPodStart",
			Formula: "termination/static-turn", Now: "startedUID == uid", Mutant: "startedUID == uid || true",
			Breaks: "A static pod waits for the end of another one of its name. The mutant's does not wait.",
		}, {
			Name: "static-pod-stays-away", File: podWorkersFile, Within: "podWorkers.UpdatePod",
			Formula: "termination/static-returns", Now: "status.restartRequested = true",
			Breaks: "A static pod that returns while it dies starts again. The mutant forgets that it returned.",
		}, {
			Name: "mirror-of-another-stays", Within: "Kubelet.tryReconcileMirrorPods",
			Formula: "termination/mirror-replaced",
			Now:     "!kubepod.IsMirrorPodOf(mirrorPod, staticPod)", Mutant: "false",
			Breaks: "A changed static pod has another mirror. The mutant keeps that of the pod before.",
		},
	})
}

// shutdownMutations change how a graceful node shutdown ends pods.
func shutdownMutations() []Mutation {
	const (
		file  = "pkg/kubelet/nodeshutdown/nodeshutdown_manager.go"
		linux = "pkg/kubelet/nodeshutdown/nodeshutdown_manager_linux.go"
	)
	shared := Mutation{File: file, Within: "podManager.killPods", Versions: since137}
	return with(shared, []Mutation{
		{
			Name: "shutdown-grace-lengthened", Formula: "termination/remainder",
			Now:    "*pod.Spec.TerminationGracePeriodSeconds <= gracePeriodOverride",
			Mutant: "*pod.Spec.TerminationGracePeriodSeconds >= gracePeriodOverride", Versions: since134,
			Breaks: "A group's seconds cut a pod's grace period. The mutant takes the greater of the two.",
		}, {
			Name: "shutdown-takes-pod-grace", Formula: "termination/remainder",
			Now:    "*pod.Spec.TerminationGracePeriodSeconds <= gracePeriodOverride {",
			Mutant: "*pod.Spec.TerminationGracePeriodSeconds > 0 {",
			Breaks: "A group's seconds cut a pod's grace period. The mutant leaves the pod its own.",
		}, {
			Name: "shutdown-groups-at-once", Formula: "eviction/shutdown-turn",
			Now: "m.clock.NewTimer(groupTerminationWaitDuration)", Mutant: "m.clock.NewTimer(0)",
			Breaks: "A group waits for the one before it. The mutant's groups do not wait.",
		}, {
			Name: "shutdown-waits-seconds", Formula: "eviction/shutdown-next", Now: "defer close(doneCh)",
			Breaks: "A group's turn comes when all pods before it have ended. The mutant's waits for their seconds.",
		}, {
			Name: "shutdown-lower-group", Within: "groupByPriority", Formula: "eviction/shutdown-turn",
			Now: "groups[index].Priority > priority", Mutant: "groups[index].Priority >= priority",
			Breaks: "A pod with a group's priority belongs to the group. The mutant puts it into the one below.",
		}, {
			Name: "shutdown-below-all-groups", Within: "groupByPriority", Formula: "eviction/shutdown-start",
			Now: "index > 0 && groups[index].Priority > priority", Mutant: "groups[index].Priority > priority",
			Breaks: "A pod below all groups belongs to the first one. The mutant fails.",
		}, {
			Name: "shutdown-unconfigured", Within: "migrateConfig", Formula: "eviction/lives-on",
			Now: "if shutdownGracePeriodRequested == 0 {", Mutant: "if shutdownGracePeriodRequested == 1 {",
			Breaks: "Without a grace period for shutdowns, the kubelet does nothing. The mutant ends all pods at once.",
		}, {
			Name: "critical-with-the-rest", Within: "migrateConfig", Formula: "eviction/shutdown-waits",
			Now: "scheduling.SystemCriticalPriority,", Mutant: "scheduling.SystemCriticalPriority + 5000,",
			Breaks: "Critical pods are ended after all others. The mutant ends them together.",
		}, {
			Name: "empty-group-waits", Formula: "eviction/shutdown-next",
			Now:    "if len(group.Pods) == 0 {",
			Mutant: "if len(group.Pods) == 0 {\ntime.Sleep(time.Duration(group.ShutdownGracePeriodSeconds) * time.Second)",
			Breaks: "A shutdown skips a group without pods. The mutant waits for its seconds.",
		}, {
			Name: "shutdown-without-reason", Formula: "eviction/shutdown-reason",
			Now:    "status.Reason = nodeShutdownReason",
			Breaks: "A pod that a shutdown ends has the reason Terminated. The mutant gives none.",
		}, {
			Name: "shutdown-admits", File: linux, Within: "managerImpl.Admit", Formula: "eviction/shutdown-refusal",
			Now: "nodeShuttingDown := m.ShutdownStatus() != nil", Mutant: "nodeShuttingDown := false",
			Breaks: "A kubelet refuses pods during a shutdown. The mutant takes them.",
		}, {
			Name: "shutdown-kills-nobody", File: linux, Within: "managerImpl.processShutdownEvent",
			Formula: "eviction/shutdown-start",
			Now:     "activePods := m.getPods()", Mutant: "activePods := m.getPods()[:0]",
			Breaks: "A shutdown kills the pods of its node. The mutant kills none.",
		},
	})
}
