package mutation

// The files of a pod's state in the kubelet and in the API.
const (
	podStateFile      = "pkg/kubelet/kubelet_pods.go"
	statusManagerFile = "pkg/kubelet/status/status_manager.go"
	syncPod           = "Kubelet.SyncPod"
	syncTerminating   = "Kubelet.SyncTerminatingPod"
)

// podSyncMutations change how the kubelet learns of a pod's changes, and how its worker acts on them.
func podSyncMutations() []Mutation {
	const gone = "logger.V(2).Info(\"SyncLoop DELETE\", \"source\", u.Source, \"pods\", klog.KObjSlice(u.Pods))\n"
	shared := Mutation{
		File: kubeletFile, Within: syncLoopIteration, Formula: "termination/kill-start", Versions: since137,
	}
	return with(shared, []Mutation{
		{
			Name: "delete-as-change-of-status", Now: gone + "handler.HandlePodUpdates(ctx, u.Pods)",
			Mutant: gone + "handler.HandlePodReconcile(ctx, u.Pods)",
			Breaks: "A delete is handed to the pod's worker. The mutant takes it for a change of the status.",
		}, {
			Name: "removed-pod-kept", Formula: "deletion/death-after-object",
			Now: "handler.HandlePodRemoves(ctx, u.Pods)", Mutant: "handler.HandlePodUpdates(ctx, u.Pods)",
			Breaks: "A pod whose object is gone is killed. The mutant only updates it.",
		}, {
			Name: "starts-not-synced", Within: "isSyncPodWorthy", Formula: "probes/first-probe",
			Now: "event.Type != pleg.ContainerRemoved", Mutant: "event.Type == pleg.ContainerDied",
			Breaks: "A container's start leads to a sync. The mutant reports it in the next regular one.",
		}, {
			Name: "delete-cuts-kill", Within: syncPod, Formula: "termination/delete-waits-for-kill",
			Reference: "kubernetes#113606", Now: "context.WithoutCancel(ctx)", Mutant: "context.Context(ctx)",
			Breaks: "A delete waits for a kill that is under way. The mutant's cancels it.",
		}, {
			Name: "second-delete-obeyed", Within: syncTerminating, Formula: "deletion/shortened-remainder",
			Now: "klog.NewContext(context.TODO(), logger)", Mutant: "klog.NewContext(ctx, logger)",
			Breaks: "A second, shorter delete does not touch a kill under way. The mutant's begins a new one.",
		}, {
			Name: "eviction-status-lost", Within: syncTerminating, Formula: "eviction/reason",
			Now: "podStatusFn(&apiPodStatus)", Mutant: "_ = podStatusFn",
			Breaks: "An evicted pod has the phase and reason of its eviction. The mutant drops them.",
		}, {
			Name: "end-of-pod-not-told", Within: "Kubelet.SyncTerminatedPod", Formula: "deletion/object-after-death",
			Now:    "kl.statusManager.TerminatePod(logger, pod)",
			Breaks: "The kubelet removes a deleted pod's object after its end. The mutant never does.",
		}, constant(Mutation{
			Name: "error-retried-after-a-minute", Within: "backOffPeriod", Formula: "restarts/pull-delay",
			Now: "time.Second * 10", Mutant: "time.Minute",
			Breaks: "A sync that failed is repeated after ten seconds. The mutant repeats it after a minute.",
		}), {
			Name: "status-not-awaited", File: podWorkersFile, Within: "podWorkers.podWorkerLoop",
			Formula: "termination/killed-in-turn",
			Now:     "Pod.UID, lastSyncTime)", Mutant: "Pod.UID, lastSyncTime.Add(-time.Hour))",
			Breaks: "A sync waits for a status that is newer than the last sync. The mutant takes an old one.",
		}, {
			Name: "kill-wait-ten-at-most", File: podWorkersFile, Within: "killPodNow",
			Formula: "termination/exceeded-grace-period", Now: "timeout < minTimeout", Mutant: "timeout > minTimeout",
			Breaks: "A killer of a pod waits ten seconds or longer. The mutant waits ten at most.",
		}, {
			Name: "killer-never-told", File: podWorkersFile, Within: "podWorkers.completeTerminating",
			Formula: "termination/exceeded-grace-period",
			Now:     "for _, ch := range status.notifyPostTerminating {\nclose(ch)\n}",
			Breaks:  "A killer of a pod learns of its end. The mutant's waits until its time is over.",
		}, {
			Name: "terminating-pod-cleaned-up", Reference: "kubernetes PR 110191",
			File: podStateFile, Within: "Kubelet.HandlePodCleanups",
			Formula: "probes/while-terminating", Now: "case TerminatingPod:\npossiblyRunningPods[uid] = struct{}{}",
			Mutant: "case TerminatingPod:",
			Breaks: "Housekeeping spares a terminating pod's probes. The mutant's stops them within seconds.",
		},
	})
}

// phaseMutations change a pod's phase, and the end of its object.
func phaseMutations() []Mutation {
	shared := Mutation{
		File: statusManagerFile, Within: "mergePodStatus", Formula: "termination/phase-after-death", Versions: since137,
	}
	return with(shared, []Mutation{
		{
			Name: "failed-while-dying", Reference: "kubernetes PR 108366", Now: "if couldHaveRunningContainers {",
			Mutant: "if false {",
			Breaks: "A pod is shown as Failed when its containers are dead. The mutant shows it while they die.",
		}, {
			Name: "failed-while-dying-at-times", Now: "if couldHaveRunningContainers {",
			Mutant: "if couldHaveRunningContainers && pod.UID[0]&1 == 0 {",
			Breaks: "A pod is shown as Failed when its containers are dead. Half of the mutant's are shown before.",
		}, {
			Name: "deadline-succeeds", File: podStateFile, Within: "Kubelet.generateAPIPodStatus",
			Now: "s.Phase = v1.PodFailed", Mutant: "s.Phase = v1.PodSucceeded",
			Breaks: "A pod that its deadline ends has failed. The mutant's has succeeded.",
		}, {
			Name: "disruption-condition-forgotten", File: podStateFile, Within: "Kubelet.generateAPIPodStatus",
			Formula: "eviction/disruption-target",
			Now:     "s.Conditions = utilpod.ReplaceOrAppendPodCondition(s.Conditions, condition)",
			Mutant:  "_ = utilpod.ReplaceOrAppendPodCondition(s.Conditions, condition)",
			Breaks:  "A condition DisruptionTarget stays until the pod has ended. The mutant forgets it before.",
		}, {
			Name: "success-and-failure-swapped", File: podStateFile, Within: "getPhase", Formula: "restarts/pod-ends",
			Now: "if exitCode == 0 {", Mutant: "if exitCode != 0 {",
			Breaks: "A pod whose containers all end with 0 has succeeded. The mutant's has failed.",
		}, {
			Name: "crashed-pod-ends", File: podStateFile, Within: "getPhase", Formula: "restarts/first-crash",
			Now: "stopped != stoppedNotRestartable", Mutant: "stopped == stoppedNotRestartable",
			Breaks: "A pod ends if none of its containers may start again. The mutant's ends if one may.",
		}, {
			Name: "ended-pod-removed", Within: "manager.canBeDeleted", Formula: "eviction/object-stays",
			Now: "pod.DeletionTimestamp == nil || kubetypes.IsMirrorPod(pod)", Mutant: "kubetypes.IsMirrorPod(pod)",
			Breaks: "The kubelet removes only objects that were deleted. The mutant removes every ended pod's.",
		}, {
			Name: "start-time-renewed", Within: "manager.updateStatusInternal",
			Formula: "termination/active-deadline",
			Now:     "oldStatus.StartTime != nil && !oldStatus.StartTime.IsZero()",
			Mutant:  "oldStatus.StartTime != nil && oldStatus.StartTime.IsZero()",
			Breaks:  "A pod's startTime never changes. The mutant renews it with the status, so a deadline moves.",
		}, {
			Name: "ends-overwritten", Within: "manager.TerminatePod", Formula: "status/lost-ends",
			Now:    "status.ContainerStatuses[i].State.Terminated != nil",
			Mutant: "status.ContainerStatuses[i].State.Terminated == nil",
			Breaks: "An end that nobody saw is reported as unknown. The mutant reports all others so.",
		},
	})
}

// containerStatusMutations change what the API shows of a container.
func containerStatusMutations() []Mutation {
	shared := Mutation{
		File: podStateFile, Within: "Kubelet.convertToAPIContainerStatuses", Formula: "restarts/shown-as-crash-loop",
		Versions: since137,
	}
	return with(shared, []Mutation{
		{
			Name: "crash-loop-unnamed", Now: "reason.Err.Error()", Mutant: "reason.Message",
			Breaks: "A container that waits for its back-off shows CrashLoopBackOff. The mutant shows the message.",
		}, {
			Name: "crash-loop-reason-kept", File: "pkg/kubelet/reason_cache.go", Within: "ReasonCache.Update",
			Now: "c.Remove(uid, name)", Mutant: "_ = name",
			Breaks: "A start that succeeds clears the last one's error. The mutant shows it again after the next end.",
		}, {
			Name: "finished-at-start", Formula: "status/end-times", Now: "metav1.NewTime(cs.FinishedAt)",
			Mutant: "metav1.NewTime(cs.StartedAt)",
			Breaks: "finishedAt is the time of the end. The mutant shows that of the start.",
		}, {
			Name: "oldest-container-shown", Formula: "restarts/restart-count",
			Now:    "sort.Reverse(kubecontainer.SortContainerStatusesByCreationTime(containerStatusesCopy))",
			Mutant: "kubecontainer.SortContainerStatusesByCreationTime(containerStatusesCopy)",
			Breaks: "The API shows a container's newest life. The mutant shows the oldest that is kept.",
		},
	})
}
