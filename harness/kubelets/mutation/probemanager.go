package mutation

// The files that turn the results of probes into states and conditions.
const (
	conditionsFile    = "pkg/kubelet/status/generate.go"
	syncLoopIteration = "Kubelet.syncLoopIteration"
)

// probeManagerMutations change which probes run, and when a container is started or ready.
func probeManagerMutations() []Mutation {
	shared := Mutation{
		File: proberManager, Within: "manager.isContainerStarted", Formula: "probes/held-back-by-startup",
		Versions: since137,
	}
	return with(shared, []Mutation{
		{
			Name: "liveness-in-place-of-readiness", Within: "manager.AddPod", Formula: "probes/failing-probes",
			Now: "key.probeType = liveness", Mutant: "key.probeType = readiness",
			Breaks: "A container has a worker for each probe. The mutant has none for liveness beside readiness.",
		}, {
			Name: "ended-worker-kept", Within: "manager.removeWorker", Formula: "probes/first-probe",
			Now: "delete(m.workers, probeKey{podUID, containerName, probeType})",
			Breaks: "A static pod that returns is probed again. The mutant takes the worker that has ended for its " +
				"own.",
		}, {
			Name: "readiness-stopped-for-startup", Within: "manager.StopLivenessAndStartup",
			Formula: "probes/while-terminating", Now: "[...]probeType{liveness, startup}",
			Mutant: "[...]probeType{liveness, readiness}",
			Breaks: "Liveness and startup probes end when their pod does. The mutant ends readiness, not startup.",
		}, {
			Name: "sidecar-probes-stopped", Reference: "kubernetes PR 141766", Within: "manager.StopLivenessAndStartup",
			Formula: "probes/while-terminating", Now: "range pod.Spec.Containers",
			Mutant: "range append(pod.Spec.Containers, getRestartableInitContainers(pod)...)",
			Breaks: "A terminating pod's sidecars are still probed. The mutant stops their probes at once.",
		}, {
			Name: "all-probes-stopped", Reference: "kubernetes PR 110191",
			File: kubeletFile, Within: "Kubelet.SyncTerminatingPod",
			Formula: "probes/while-terminating", Now: "kl.probeManager.StopLivenessAndStartup(pod)",
			Mutant: "kl.probeManager.RemovePod(pod)",
			Breaks: "A terminating pod's readiness probes go on. The mutant stops all of its probes.",
		}, {
			Name: "gate-asks-liveness-result", Now: "m.startupManager.Get(", Mutant: "m.livenessManager.Get(",
			Breaks: "The startup probe says whether a container has started. The mutant asks the liveness probe.",
		}, {
			Name: "gate-open-at-times", Now: "return result == results.Success",
			Mutant: "return result == results.Success || result == results.Unknown && pod.UID[0]&1 == 1",
			Breaks: "The startup probe's success opens the gate. Half of the mutant's pods have it open before.",
		}, {
			Name: "startup-unknown-starts", File: kubeletFile, Within: syncLoopIteration,
			Now:    "started := update.Result == proberesults.Success",
			Mutant: "started := update.Result != proberesults.Failure",
			Breaks: "Only a startup probe's success starts its container. The mutant's unknown result does so, too.",
		}, {
			Name: "young-until-ten-minutes", Within: "kubeletRestartGracePeriod",
			Formula: "probes/ready-over-kubelet-restart", Now: "-time.Second * 10", Mutant: "-time.Minute * 10",
			Breaks: "A container ten seconds older than its kubelet stays ready. The mutant needs ten minutes.",
		}, {
			Name: "restart-unreadies-the-ready", Within: "manager.setReadyStateOnKubeletRestart",
			Formula: "probes/ready-over-kubelet-restart", Now: "if !podIsReady {", Mutant: "if podIsReady {",
			Breaks: "A restarted kubelet keeps ready containers ready. The mutant makes these unready.",
		}, {
			Name: "replacement-unready", Within: "manager.setReadyStateOnKubeletRestart",
			Formula: "probes/unready-replacement", Repairs: true, Reference: "kubernetes PR 141487",
			Now: "if !podIsReady {", Mutant: "was, found := podutil.GetContainerStatus(pod.Status.ContainerStatuses, " +
				"containerStatus.Name)\nif !podIsReady || found && was.ContainerID != containerStatus.ContainerID {",
			Breaks:   "A container that replaced a ready one unreported is ready. The mutant compares their IDs.",
			Versions: Range{From: "v1.37.0", Before: "v1.38.0-beta.0"},
		}, {
			Name: "restart-unreadies-sidecars", Within: "manager.UpdatePodStatus",
			Formula: "probes/ready-over-kubelet-restart",
			Now: "m.setReadyStateOnKubeletRestart(logger, &ready, pod, &podStatus.InitContainerStatuses[i], " +
				"&initContainer)",
			Breaks: "A restarted kubelet keeps ready sidecars ready. The mutant keeps ready main containers only.",
		}, {
			Name: "sidecar-ready-when-started", Within: "manager.UpdatePodStatus",
			Formula: "probes/ready-after-successes", Now: "podStatus.InitContainerStatuses[i].Ready = ready",
			Mutant: "podStatus.InitContainerStatuses[i].Ready = started",
			Breaks: "A sidecar's readiness probe makes it ready. The mutant's is ready when it has started.",
		}, {
			Name: "sidecar-readiness-uncounted", File: conditionsFile, Within: "GenerateContainersReadyCondition",
			Formula: "probes/ready-after-successes", Now: "range pod.Spec.InitContainers",
			Mutant: "range pod.Spec.InitContainers[:0]",
			Breaks: "A pod is ready if its sidecars are, too. The mutant looks at main containers only.",
		},
	})
}

// probeUpdateMutations change what the kubelet does when a probe's result changes.
func probeUpdateMutations() []Mutation {
	shared := Mutation{
		File: kubeletFile, Within: syncLoopIteration, Formula: "probes/last-probe-to-kill", Versions: since137,
	}
	return with(shared, []Mutation{
		{
			Name: "liveness-failure-waits", Now: "update.Result == proberesults.Failure",
			Mutant: "update.Result == proberesults.Unknown",
			Breaks: "A failed liveness probe leads to a sync at once. The mutant kills in the next regular sync.",
		}, {
			Name: "startup-failure-waits", Now: `handleProbeSync(ctx, kl, update, handler, "startup", status)`,
			Mutant: "_ = status",
			Breaks: "A failed startup probe leads to a sync at once. The mutant kills in the next regular sync.",
		}, {
			Name: "readiness-left-to-sync", Formula: "probes/fault-to-unready",
			Now:    "kl.statusManager.SetContainerReadiness(logger, update.PodUID, update.ContainerID, ready)",
			Breaks: "A readiness probe's result changes the condition at once. The mutant leaves that to a sync.",
		},
	})
}
