package mutation

// reportMutations change what the kubelet reports, not what it does, and how it runs at all.
func reportMutations() []Mutation {
	status := Mutation{
		File: containerRuntime, Within: "kubeGenericRuntimeManager.toKubeContainerStatus",
		Versions: Range{From: "v1.35.0"},
	}
	return append(with(status, []Mutation{
		{
			Name: "finished-at-late", Formula: "status/end-times",
			Now:    "cStatus.FinishedAt = time.Unix(0, status.FinishedAt)",
			Mutant: "cStatus.FinishedAt = time.Unix(0, status.FinishedAt).Add(5 * time.Second)",
			Breaks: "finishedAt is the time of the exit. The mutant adds five seconds.",
		}, {
			Name: "exit-code-cut", Formula: "status/exit-codes",
			Now: "cStatus.ExitCode = int(status.ExitCode)", Mutant: "cStatus.ExitCode = int(status.ExitCode) & 127",
			Breaks: "The status has the process's exit code. The mutant cuts 137 to 9.",
		},
	}),
		Mutation{
			Name: "failures-counted-twice", Formula: "probes/failures-counted", Versions: since123,
			File: proberWorker, Within: "worker.doProbe",
			Now:    "ProberResults.With(w.proberResultsFailedMetricLabels).Inc()",
			Mutant: "ProberResults.With(w.proberResultsFailedMetricLabels).Add(2)",
			Breaks: "prober_probe_total counts each failed probe once. The mutant counts it twice.",
		},
		Mutation{
			Name: "end-shown-at-delete", Formula: "status/ends", Versions: since123,
			File: "pkg/kubelet/kubelet_pods.go", Within: "Kubelet.convertToAPIContainerStatuses",
			Now: "case cs.State == kubecontainer.ContainerStateRunning:",
			Mutant: "case cs.State == kubecontainer.ContainerStateRunning && pod.DeletionTimestamp != nil:\n" +
				"status.State.Terminated = &v1.ContainerStateTerminated{StartedAt: metav1.NewTime(cs.StartedAt), " +
				"FinishedAt: metav1.Now(), ContainerID: cid}\n" +
				"case cs.State == kubecontainer.ContainerStateRunning:",
			Breaks: "A container's end is in the API when its process has died. The mutant shows it as soon as it " +
				"knows that the pod is deleted.",
		},
		Mutation{
			Name: "sync-loop-hangs", Formula: "restarts/delay", Versions: since123,
			File: kubeletFile, Within: "Kubelet.syncLoopIteration",
			Now:    "if e.Type == pleg.ContainerDied {",
			Mutant: "if e.Type == pleg.ContainerDied {\ntime.Sleep(time.Hour)",
			Breaks: "The sync loop never waits. The mutant's stops for an hour after a container's death.",
		},
		Mutation{
			Name: "sync-by-default-every-ten-seconds", Formula: "kubelet/defaults", Versions: since123,
			File:   "pkg/kubelet/apis/config/v1beta1/defaults.go",
			Within: "SetDefaults_KubeletConfiguration",
			Now:    "obj.SyncFrequency = metav1.Duration{Duration: 1 * time.Minute}",
			Mutant: "obj.SyncFrequency = metav1.Duration{Duration: 10 * time.Second}",
			Breaks: "syncFrequency is one minute by default. The mutant's default is ten seconds.",
		},
		Mutation{
			Name: "panics-at-twenty-seconds", Formula: "kubelet/exits", Versions: since123,
			File: runtimeManager, Within: "kubeGenericRuntimeManager.doBackOff",
			Now:    "backOff.Next(key, ts)",
			Mutant: `if backOff.Next(key, ts); backOff.Get(key) == 20*time.Second { panic("the back-off is twenty seconds") }`,
			Breaks: "The kubelet never panics. The mutant does when a back-off grows to twenty seconds.",
		},
	)
}
