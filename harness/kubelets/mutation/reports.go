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
			Name: "container-without-image", Formula: "status/containers", Versions: Range{From: "v1.34.0"},
			File: podStateFile, Within: "Kubelet.convertToAPIContainerStatuses",
			Now: "cs.ImageRef", Mutant: "cs.ImageRef[:0]",
			Breaks: "A container's status has the ID of its image. The mutant leaves it out.",
		},
		Mutation{
			Name: "end-without-message", Formula: "status/containers", Versions: Range{From: "v1.34.0"},
			File: containerRuntime, Within: "kubeGenericRuntimeManager.convertToKubeContainerStatus",
			Now: "cStatus.Message += tMessage", Mutant: "_ = tMessage",
			Breaks: "A container's end has the message that it wrote. The mutant leaves it out.",
		},
		Mutation{
			Name: "older-last-state", Formula: "status/last-states", Versions: since137,
			File: podStateFile, Within: "Kubelet.convertToAPIContainerStatuses",
			Now: "statuses[cName].LastTerminationState = status.State",
			Mutant: "statuses[cName].LastTerminationState = status.State; if e := status.State.Terminated; e != nil {\n" +
				"e.ContainerID += \"0\"\n}",
			Breaks: "The newest dead container is the lastState. The mutant names another one.",
		},
		Mutation{
			Name: "unready-without-reason", Formula: "status/conditions", Versions: since123,
			File: conditionsFile, Within: "GenerateContainersReadyCondition",
			Now: "ContainersNotReady,", Mutant: `"",`,
			Breaks: "A condition that is false has a reason. The mutant leaves it out.",
		},
		Mutation{
			Name: "transition-now", Formula: "status/transitions", Versions: since123,
			File: statusManagerFile, Within: "updateLastTransitionTime",
			Now: "lastTransitionTime = oldCondition.LastTransitionTime", Mutant: "_ = oldCondition.LastTransitionTime",
			Breaks: "A condition that does not change keeps lastTransitionTime. The mutant sets it in each sync.",
		},
		Mutation{
			Name: "running-before-all-started", Formula: "status/phases", Versions: since123,
			File: podStateFile, Within: "getPhase", Now: "waiting > 0", Mutant: "waiting > 1",
			Breaks: "A pod is Pending until all its containers have started. The mutant's may lack one.",
		},
		Mutation{
			Name: "running-while-initializing-again", Formula: "status/phases-again", Versions: since132,
			Reference: "kubernetes#126650",
			File:      podStateFile, Within: "getPhase", Now: "pendingRegularInitContainers > 0",
			Mutant: "pendingRegularInitContainers > 0 && !kubecontainer.HasAnyRegularContainerStarted(&spec, info)",
			Breaks: "A pod whose init containers run again is Pending. The mutant's stays Running, as up to 1.31.",
		},
		Mutation{
			Name: "host-ip-of-another", Formula: "status/addresses", Versions: since137,
			File: podStateFile, Within: "Kubelet.generateAPIPodStatus",
			Now: "s.HostIPs = []v1.HostIP{{IP: s.HostIP}}", Mutant: "s.HostIPs = []v1.HostIP{{IP: s.PodIP}}",
			Breaks: "hostIPs begin with hostIP. The mutant's have the pod's IP.",
		},
		Mutation{
			Name: "best-effort-for-all", Formula: "status/qos-class", Versions: since123,
			File: podStateFile, Within: "Kubelet.convertStatusToAPIStatus",
			Now: "v1qos.GetPodQOS(pod)", Mutant: "v1.PodQOSBurstable; _ = v1qos.GetPodQOS",
			Breaks: "The qosClass follows from requests and limits. The mutant's is always Burstable.",
		},
		Mutation{
			Name: "next-generation-observed", Formula: "status/generations", Versions: since137,
			File: statusManagerFile, Within: "manager.SetPodStatus",
			Now:    "podutil.CalculatePodStatusObservedGeneration(pod)",
			Mutant: "podutil.CalculatePodStatusObservedGeneration(pod) + 1",
			Breaks: "The kubelet observes the generation that it has seen. The mutant says the next one.",
		},
		Mutation{
			Name: "hostname-of-namespace", Formula: "runtime/sandboxes", Versions: since123,
			File:   "pkg/kubelet/kuberuntime/kuberuntime_sandbox.go",
			Within: "kubeGenericRuntimeManager.generatePodSandboxConfig",
			Now:    "podSandboxConfig.Hostname = podHostname", Mutant: "podSandboxConfig.Hostname = pod.Namespace",
			Breaks: "A sandbox has the hostname of its pod. The mutant's has the pod's namespace.",
		},
		Mutation{
			Name: "sandbox-without-groups", Formula: "runtime/sandboxes", Versions: since123,
			File:   "pkg/kubelet/kuberuntime/kuberuntime_sandbox.go",
			Within: "kubeGenericRuntimeManager.generatePodSandboxLinuxConfig",
			Now:    "sc.SupplementalGroups != nil", Mutant: "sc.SupplementalGroups == nil",
			Breaks: "A sandbox has the groups of its pod. The mutant's has not.",
		},
		Mutation{
			Name: "long-prefixes-only", Formula: "runtime/containers", Versions: since123,
			File: podStateFile, Within: "Kubelet.makeEnvironmentVariables",
			Now:    "for k, v := range secret.Data {\nif len(envFrom.Prefix) > 0 {",
			Mutant: "for k, v := range secret.Data {\nif len(envFrom.Prefix) > 1 {",
			Breaks: "A Secret's variables have the prefix that the container asks for. The mutant drops a letter.",
		},
		Mutation{
			Name: "message-policy-lost", Formula: "runtime/containers", Versions: since123,
			File: "pkg/kubelet/kuberuntime/labels.go", Within: "newContainerAnnotations",
			Now:    "string(container.TerminationMessagePolicy)",
			Mutant: `string(container.TerminationMessagePolicy)[:0]`,
			Breaks: "An annotation says how to find a container's termination message. The mutant's is empty.",
		},
		Mutation{
			Name: "three-dead-containers", Formula: "runtime/order", Versions: since123,
			File: deletorFile, Within: "getContainersToDeleteInPod",
			Now: "return candidates[containersToKeep:]",
			Mutant: "if len(candidates) > containersToKeep+2 {\nreturn candidates[containersToKeep+2:]\n}\n" +
				"return candidates[:0]",
			Breaks: "One dead container of a name is kept. The mutant keeps three.",
		},
		Mutation{
			Name: "containers-removed-at-delete", Formula: "runtime/order", Versions: since123,
			File: podWorkersFile, Within: "podWorkers.ShouldPodContentBeRemoved",
			Now: "status.IsDeleted() && status.IsTerminated()", Mutant: "status.IsDeleted()",
			Breaks: "A deleted pod's containers are removed when all have ended. The mutant removes each one that ends.",
		},
		Mutation{
			Name: "deletes-without-uid", Formula: "api/writes", Versions: since123,
			File: statusManagerFile, Within: "manager.syncPod",
			Now:    "metav1.NewUIDPreconditions(string(pod.UID))",
			Mutant: "func() *metav1.Preconditions { _ = metav1.NewUIDPreconditions; return nil }()",
			Breaks: "The kubelet deletes the object of the pod that has ended. The mutant deletes any pod of the name.",
		},
		Mutation{
			Name: "eviction-without-message", Formula: "status/end-reasons", Versions: since123,
			File: evictionManager, Within: "managerImpl.evictPod",
			Now: "status.Message = evictMsg", Mutant: "_ = evictMsg",
			Breaks: "An evicted pod's message says why. The mutant leaves it out.",
		},
		Mutation{
			Name: "back-off-of-the-pod", Formula: "status/wait-reasons", Versions: Range{From: "v1.35.0"},
			File: runtimeManager, Within: "kubeGenericRuntimeManager.doBackOff",
			Now: "backoff, container.Name, format.Pod(pod)", Mutant: "backoff, pod.Name, format.Pod(pod)",
			Breaks: "The message of a back-off names the container. The mutant's has the pod's name instead.",
		},
		Mutation{
			Name: "disruption-without-message", Formula: "status/disruptions", Versions: since133,
			File: "pkg/kubelet/nodeshutdown/nodeshutdown_manager.go", Within: "podManager.killPods",
			Now: "Message:            nodeShutdownMessage,", Mutant: "",
			Breaks: "The condition of a pod that a shutdown ends says so. The mutant's has no message.",
		},
		Mutation{
			Name: "sandbox-condition-of-others", Formula: "status/sandboxes", Versions: Range{From: "v1.29.0"},
			File: "pkg/kubelet/types/pod_status.go", Within: "PodConditionByKubelet",
			Now:    "conditionType == v1.PodReadyToStartContainers",
			Mutant: "conditionType == v1.PodReadyToStartContainers && false",
			Breaks: "PodReadyToStartContainers is the kubelet's condition. The mutant leaves it to others.",
		},
		Mutation{
			Name: "removed-end-forgotten", Formula: "status/kept-ends", Versions: since136,
			File: podStateFile, Within: "Kubelet.convertToAPIContainerStatuses",
			Now:    "status.LastTerminationState.Terminated = oldStatus.State.Terminated",
			Mutant: "_ = oldStatus.State.Terminated",
			Breaks: "An end stays lastState when its container is removed. The mutant forgets it.",
		},
		Mutation{
			Name: "memory-of-before-the-resize", Formula: "status/resources", Versions: since137,
			File: containerRuntime, Within: "kubeGenericRuntimeManager.toKubeContainerStatus",
			Now:    "cStatusResources == nil || cStatusResources.MemoryRequest == nil",
			Mutant: "cStatusResources == nil",
			Breaks: "The status has the memory that a resize gave the container. The mutant's has that of before.",
		},
		Mutation{
			Name: "second-generation-first", Component: APIServer, Formula: "status/api-server", Versions: since137,
			File: podStrategy, Within: "podStrategy.PrepareForCreate",
			Now: "pod.Generation = 1", Mutant: "pod.Generation = 2",
			Breaks: "A new pod has generation 1. The mutant's has 2.",
		},
		Mutation{
			Name: "event-of-container-id", Formula: "events/forms", Versions: since123,
			File: containerRuntime, Within: "kubeGenericRuntimeManager.recordContainerEvent",
			Now:    "strings.Replace(eventMessage, containerID, container.Name, -1)",
			Mutant: "strings.Replace(eventMessage, container.Name, containerID, -1)",
			Breaks: "An event's message has the container's name. The mutant's has its ID.",
		},
		Mutation{
			Name: "liveness-kill-unexplained", Formula: "events/order", Versions: Range{From: "v1.28.0"},
			File: containerRuntime, Within: "kubeGenericRuntimeManager.computeInitContainerActions",
			Now:    `fmt.Sprintf("Init container %s failed liveness probe", container.Name)`,
			Mutant: `""`,
			Breaks: "The event of a kill has its cause. The mutant's says that the pod stops.",
		},
		Mutation{
			Name: "restart-without-event", Formula: "events/lives", Versions: since137,
			File: containerRuntime, Within: "kubeGenericRuntimeManager.startContainer",
			Now: "m.recordContainerEvent(ctx, pod, container, containerID, v1.EventTypeNormal, " +
				`events.StartedContainer, "Container started")`,
			Mutant: "if restartCount == 0 {\n" +
				"m.recordContainerEvent(ctx, pod, container, containerID, v1.EventTypeNormal, " +
				`events.StartedContainer, "Container started")` + "\n}",
			Breaks: "Each start has an event. The mutant reports only the first.",
		},
		Mutation{
			Name: "failed-start-without-event", Formula: "events/failures", Versions: since123,
			File: containerRuntime, Within: "kubeGenericRuntimeManager.startContainer",
			Now:    `v1.EventTypeWarning, events.FailedToStartContainer, "Error: %v"`,
			Mutant: `events.FailedToStartContainer, v1.EventTypeWarning, "Error: %v"`,
			Breaks: "A start that fails has an event. The mutant swaps its type and its reason, so it is lost.",
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
