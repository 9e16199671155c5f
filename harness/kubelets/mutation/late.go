package mutation

// lateMutations begin one step 500 ms late, or replace a random wait. Each value stays inside its window; only all
// values of a formula together show the mutant.
func lateMutations() []Mutation {
	const wait = "time.Sleep(500 * time.Millisecond)"
	shared := Mutation{File: containerRuntime, Versions: since134}
	return with(shared, []Mutation{
		{
			Name: "kill-late", Within: killContainer, Formula: "termination/kill-start",
			Now: "if len(message) == 0 {", Mutant: "if " + wait + "; len(message) == 0 {",
			Breaks: "The kubelet kills a container at once. The mutant waits 500 ms first.",
		}, {
			Name: "sync-late", File: podWorkersFile, Within: "podWorkers.podWorkerLoop",
			Formula: "termination/kill-start", Now: "if !canStart {", Mutant: "if " + wait + "; !canStart {",
			Breaks: "A pod's worker syncs its pod at once. The mutant waits 500 ms first.",
		}, {
			Name: "probe-result-late", File: proberWorker, Within: "worker.doProbe",
			Formula: "probes/last-probe-to-kill", Now: "w.resultsManager.Set(w.containerID, result, w.pod)",
			Mutant: wait + "; w.resultsManager.Set(w.containerID, result, w.pod)",
			Breaks: "The last needed failing probe kills at once. The mutant reports it 500 ms later.",
		}, {
			Name: "start-late", Within: "kubeGenericRuntimeManager.startContainer",
			Formula: "restarts/after-probe-kill",
			Now:     "ref, err := kubecontainer.GenerateContainerRef(pod, container)",
			Mutant:  wait + "; ref, err := kubecontainer.GenerateContainerRef(pod, container)",
			Breaks:  "The kubelet starts a container at once. The mutant waits 500 ms first.",
		}, {
			Name: "status-late", File: "pkg/kubelet/status/status_manager.go", Within: "manager.Start",
			Formula: "status/running",
			Now:     "m.syncBatch(ctx, false)", Mutant: wait + "; m.syncBatch(ctx, false)",
			Breaks: "The kubelet reports a new status at once. The mutant waits 500 ms first.",
		}, {
			Name: "relist-not-requested", File: kubeletFile, Within: "Kubelet.RequestPodRelist",
			Formula: "status/running", Versions: since137,
			Now: "kl.pleg.RequestRelist(logger, podUID)", Mutant: "",
			Breaks: "A sync that changed containers asks for a relist of its pod. The mutant waits for the next one.",
		}, {
			Name: "requeue-without-jitter", File: podWorkersFile, Within: "podWorkers.completeWork",
			Formula: "restarts/delay", Versions: expiryPassed,
			Now: "wait.Jitter(backoff, workerBackOffPeriodJitterFactor)", Mutant: "backoff",
			Breaks: "A back-off ends late by a random part of its half. The mutant ends it on time.",
		}, {
			Name: "requeue-jitter-full", File: podWorkersFile, Within: "podWorkers.completeWork",
			Formula: "restarts/delay", Versions: expiryPassed,
			Now: "wait.Jitter(backoff, workerBackOffPeriodJitterFactor)", Mutant: "backoff + backoff/2",
			Breaks: "A back-off ends late by a random part of its half. The mutant always waits all of it.",
		},
	})
}
