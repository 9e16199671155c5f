package mutation

// The files that decide the delay of a restart.
const (
	clientGo    = "k8s.io/client-go"
	backOffFile = "util/flowcontrol/backoff.go"
	helpersFile = "pkg/kubelet/kuberuntime/helpers.go"
)

func seriesMutations() []Mutation {
	const grows = "The back-offs of a container are 10, 20, 40 s and so on up to 300 s or the node's maximum. "
	shared := Mutation{File: kubeletFile, Formula: "restarts/delay", Versions: since134}
	return with(shared, []Mutation{
		constant(Mutation{
			Name: "backoff-first-20s", Within: "initialCrashLoopBackOff",
			Now: "time.Second * 10", Mutant: "time.Second * 20",
			Breaks: grows + "The mutant's first is 20 s.",
		}),
		constant(Mutation{
			Name: "backoff-first-5s", Within: "initialCrashLoopBackOff",
			Now: "time.Second * 10", Mutant: "time.Second * 5",
			Breaks: grows + "The mutant's first is 5 s.",
		}),
		{
			Name: "node-period-20s-longer", Within: "newCrashLoopBackOff",
			Now:    "boMax = kubeCfg.CrashLoopBackOff.MaxContainerRestartPeriod.Duration",
			Mutant: "boMax = kubeCfg.CrashLoopBackOff.MaxContainerRestartPeriod.Duration + 20*time.Second",
			Breaks: grows + "The mutant exceeds the node's maximum by 20 s.",
		}, {
			Name: "backoff-first-and-longest-swapped", Within: "NewMainKubelet",
			Now: "flowcontrol.NewBackOff(base, boMax)", Mutant: "flowcontrol.NewBackOff(boMax, base)",
			Breaks: grows + "The mutant begins with the longest.",
		}, {
			Name: "backoff-tripled", Module: clientGo, File: backOffFile, Within: "Backoff.Next",
			Now: "delay := entry.backoff * 2", Mutant: "delay := entry.backoff * 3",
			Breaks: grows + "The mutant triples them.", Versions: since123,
		}, {
			Name: "backoff-not-grown", Module: clientGo, File: backOffFile, Within: "Backoff.Next",
			Now: "delay := entry.backoff * 2", Mutant: "delay := entry.backoff * 1",
			Breaks: grows + "The mutant repeats the first.", Versions: since123,
		}, {
			Name: "pull-backoff-one-minute", Within: "NewMainKubelet",
			Now:     "flowcontrol.NewBackOff(imageBackOffPeriod, MaxImageBackOff)",
			Mutant:  "flowcontrol.NewBackOff(time.Minute, MaxImageBackOff)",
			Breaks:  "A failed pull is retried after 10, 20, 40 s and so on. The mutant first waits a minute.",
			Formula: "restarts/pull-delay",
		},
	})
}

func backOffMutations() []Mutation {
	const waits = "A container that ended waits for its back-off, counted from its end. "
	shared := Mutation{
		File: runtimeManager, Within: "kubeGenericRuntimeManager.doBackOff", Formula: "restarts/delay",
		Versions: since123,
	}
	return with(shared, []Mutation{
		{
			Name: "backoff-comparison-turned", Module: clientGo, File: backOffFile, Within: "Backoff.IsInBackOffSince",
			Now: "p.Clock.Since(eventTime) < entry.backoff", Mutant: "p.Clock.Since(eventTime) > entry.backoff",
			Breaks: waits + "The mutant waits only once the back-off has ended.",
		}, {
			Name: "backoff-always-over", Module: clientGo, File: backOffFile, Within: "Backoff.IsInBackOffSince",
			Now: "p.Clock.Since(eventTime) < entry.backoff", Mutant: "false",
			Breaks: waits + "The mutant ends every back-off at once.",
		}, {
			Name:   "backoff-of-running",
			Now:    "c.State == kubecontainer.ContainerStateExited",
			Mutant: "c.State == kubecontainer.ContainerStateRunning",
			Breaks: waits + "The mutant does not find the life that ended, so no container waits.",
		}, {
			Name: "backoff-not-asked", Now: "if backOff.IsInBackOffSince(key, ts) {", Mutant: "if false {",
			Breaks: waits + "The mutant never checks the back-off.",
		}, {
			Name:   "backoff-skipped-at-times",
			Now:    "if backOff.IsInBackOffSince(key, ts) {",
			Mutant: "if cStatus.RestartCount%2 == 0 && backOff.IsInBackOffSince(key, ts) {",
			Breaks: waits + "The mutant does not check every second one.",
		}, {
			Name:   "backoff-since-update",
			Now:    "backOff.IsInBackOffSince(key, ts)",
			Mutant: "backOff.IsInBackOffSinceUpdate(key, backOff.Clock.Now())",
			Breaks: waits + "The mutant counts from the last update of the back-off, before the life that ended.",
		}, {
			Name: "backoff-since-start", Now: "ts := cStatus.FinishedAt", Mutant: "ts := cStatus.StartedAt",
			Breaks: waits + "The mutant counts from the start of the life that ended.",
		}, {
			Name: "backoff-expiry-doubled", Now: "ts.Add(backoff)", Mutant: "ts.Add(2 * backoff)",
			Breaks: waits + "The mutant looks at the pod only after twice that time.", Versions: expiryPassed,
		}, {
			Name:     "backoff-error-lost",
			Now:      "kubecontainer.NewBackoffError(kubecontainer.ErrCrashLoopBackOff, ts.Add(backoff))",
			Mutant:   "kubecontainer.ErrCrashLoopBackOff",
			Breaks:   "The kubelet looks at a pod when a back-off ends. The mutant looks every ten to fifteen seconds.",
			Versions: expiryPassed, Reference: "kubernetes#123602",
		}, {
			Name:    "back-off-not-reported",
			Now:     "containerRef, err := kubecontainer.GenerateContainerRef(pod, container); err == nil",
			Mutant:  "containerRef, err := kubecontainer.GenerateContainerRef(pod, container); err != nil",
			Breaks:  "The sync that sees a container's end reports its back-off as an event. The mutant never does.",
			Formula: "restarts/back-off-reported",
		}, {
			Name: "free-restart-reported", Now: "backOff.Next(key, ts)",
			Mutant: "if ref, err := kubecontainer.GenerateContainerRef(pod, container); err == nil {\n" +
				"m.recorder.WithLogger(logger).Eventf(ref, v1.EventTypeWarning, events.BackOffStartContainer, " +
				"\"Back-off restarting failed container %s in pod %s\", container.Name, format.Pod(pod))\n}\n" +
				"backOff.Next(key, ts)",
			Breaks:  "The event BackOff comes during back-offs only. The mutant's also comes with each restart.",
			Formula: "restarts/back-off-events", Versions: since136,
		}, {
			Name:   "first-restart-backed-off",
			Now:    "if cStatus == nil {",
			Mutant: "if cStatus == nil {\nbackOff.Next(GetBackoffKey(pod, container), backOff.Clock.Now())",
			Breaks: "The first restart does not wait. The mutant's waits for the first back-off, later ones for the " +
				"next.",
			Versions: since134,
		},
	})
}

func memoryMutations() []Mutation {
	const old = "A back-off is forgotten ten minutes after the last start of its container. "
	shared := Mutation{Formula: "restarts/delay", Versions: since134}
	return with(shared, []Mutation{
		{
			Name: "backoff-update-lost", Module: clientGo, File: backOffFile, Within: "Backoff.Next",
			Now: "entry.lastUpdate = p.Clock.Now()", Mutant: "_ = entry.lastUpdate",
			Breaks:   old + "The mutant does not save the time of that start, so it forgets at once.",
			Versions: since123,
		}, {
			Name: "backoff-forgotten-after-20s", File: kubeletFile, Within: "NewMainKubelet",
			Now: "eventTime.Sub(lastUpdate) > 600*time.Second", Mutant: "eventTime.Sub(lastUpdate) > 20*time.Second",
			Breaks: old + "The mutant forgets it after twenty seconds.",
		}, {
			Name: "backoff-forgotten-after-590s", File: kubeletFile, Within: "NewMainKubelet",
			Now: "eventTime.Sub(lastUpdate) > 600*time.Second", Mutant: "eventTime.Sub(lastUpdate) > 590*time.Second",
			Breaks:  old + "The mutant forgets it ten seconds earlier.",
			Formula: "restarts/delay-forgotten",
		}, {
			Name: "backoff-forgotten-after-610s", File: kubeletFile, Within: "NewMainKubelet",
			Now: "eventTime.Sub(lastUpdate) > 600*time.Second", Mutant: "eventTime.Sub(lastUpdate) > 610*time.Second",
			Breaks:  old + "The mutant forgets it ten seconds later.",
			Formula: "restarts/delay-forgotten",
		}, {
			Name: "backoff-forgotten-after-twice-the-longest", File: kubeletFile, Within: "NewMainKubelet",
			Now: "eventTime.Sub(lastUpdate) > 600*time.Second", Mutant: "eventTime.Sub(lastUpdate) > 2*boMax",
			Breaks: old + "The mutant forgets it after twice the node's longest one.",
		}, {
			Name: "backoff-never-collected", File: "pkg/kubelet/kubelet_pods.go", Within: "Kubelet.HandlePodCleanups",
			Now: "kl.crashLoopBackOff.GC()", Mutant: "_ = kl.crashLoopBackOff.GC",
			Breaks:  old + "The mutant does not, while the container waits for it.",
			Formula: "restarts/delay-forgotten",
		}, {
			Name: "pull-backoff-forgotten-early", Module: clientGo, File: backOffFile, Within: "Backoff.hasExpired",
			Now: "maxDuration*2", Mutant: "maxDuration/2",
			Breaks: "A pull's back-off grows to 300 s. The mutant forgets it after half of that, so it never grows " +
				"so far.",
			Formula: "restarts/pull-delay",
		}, {
			Name: "backoff-shared-by-pod", File: helpersFile, Within: "GetBackoffKey",
			Now: "container.Name, container.Image,", Mutant: "pod.Spec.Containers[0].Image,",
			Breaks: "Each container has its own back-off. The mutant has one for all containers of a pod.",
		}, {
			Name: "backoff-kept-by-new-image", File: helpersFile, Within: "GetBackoffKey",
			Now: "container.Image,", Mutant: "",
			Breaks:  "A new image starts a waiting container at once. The mutant keeps the old image's back-off.",
			Formula: "restarts/after-new-image",
		}, {
			Name: "backoff-kept-by-name", File: helpersFile, Within: "GetBackoffKey",
			Now: "string(pod.UID),", Mutant: "",
			Breaks: "A pod that is created again begins a new series. The mutant continues that of the pod's name.",
		},
	})
}

func restartCauseMutations() []Mutation {
	return []Mutation{
		{
			Name: "own-policy-ignored-by-probe", File: runtimeManager, Within: "kubeGenericRuntimeManager.computePodActions",
			Now:     "restart = *container.RestartPolicy != v1.ContainerRestartPolicyNever",
			Mutant:  "_ = *container.RestartPolicy",
			Breaks:  "A container's own restartPolicy holds after a kill by its probe. The mutant takes its pod's.",
			Formula: "restarts/delay-after-probe", Versions: since135,
		}, {
			Name: "success-restarted", File: "pkg/api/v1/pod/util.go", Within: "ContainerShouldRestart",
			Now:     "case v1.RestartPolicyOnFailure:\nreturn exitCode != 0",
			Mutant:  "case v1.RestartPolicyOnFailure:\nreturn true",
			Breaks:  "With OnFailure a container that succeeded is not started again. The mutant starts it.",
			Formula: "restarts/uncaused", Versions: since135,
		}, {
			Name: "created-not-collected", File: "pkg/kubelet/kuberuntime/kuberuntime_gc.go",
			Within: "containerGC.evictableContainers",
			Now:    "container.State == runtimeapi.ContainerState_CONTAINER_RUNNING",
			Mutant: "container.State == runtimeapi.ContainerState_CONTAINER_RUNNING || container.State == " +
				"runtimeapi.ContainerState_CONTAINER_CREATED",
			Breaks: "A created container counts as the dead one that the garbage collection keeps. The mutant skips " +
				"it like a running one, so no back-off is lost.",
			Formula: "restarts/after-collection", Versions: since123,
		}, {
			Name: "neighbour-restarted", File: runtimeManager, Within: "kubeGenericRuntimeManager.computePodActions",
			Now: "changed := containerChanged(&container, containerStatus); changed",
			Mutant: "changed := containerChanged(&container, containerStatus); " +
				"changed || len(changes.ContainersToStart) > 0",
			Breaks:  "A container that ended is started again alone. The mutant also restarts those after it.",
			Formula: "restarts/undisturbed", Versions: since134,
		},
	}
}

func restartCountMutations() []Mutation {
	const (
		counts = "restartCount is the number of the container's earlier lives. "
		file   = "pkg/kubelet/kuberuntime/kuberuntime_container.go"
		within = "kubeGenericRuntimeManager.startContainer"
	)
	shared := Mutation{File: file, Within: within, Formula: "restarts/restart-count", Versions: since123}
	return with(shared, []Mutation{
		{
			Name: "restart-count-stuck",
			Now:  "containerStatus.RestartCount + 1", Mutant: "containerStatus.RestartCount + 0",
			Breaks: counts + "The mutant's does not grow.",
		}, {
			Name: "restart-count-by-two",
			Now:  "containerStatus.RestartCount + 1", Mutant: "containerStatus.RestartCount + 2",
			Breaks: counts + "The mutant counts each twice.",
		}, {
			Name:   "restart-count-of-first",
			Now:    "podStatus.FindContainerStatusByName(container.Name)",
			Mutant: "podStatus.FindContainerStatusByName(pod.Spec.Containers[0].Name)",
			Breaks: counts + "The mutant uses the lives of the pod's first container.",
		},
	})
}

// resizeMutations change what a resize does to running containers.
func resizeMutations() []Mutation {
	const (
		policy     = "return true, policy.RestartPolicy == v1.RestartContainer"
		allocation = "pkg/kubelet/allocation/allocation_manager.go"
	)
	shared := Mutation{
		File: runtimeManager, Within: "kubeGenericRuntimeManager.computePodResizeAction",
		Formula: "restarts/resize-kills", Versions: since134,
	}
	return with(shared, []Mutation{
		{
			Name: "resize-never-restarts", Now: policy, Mutant: "return true, false",
			Breaks: "A resize kills a container whose resizePolicy is RestartContainer. The mutant kills none.",
		}, {
			Name: "resize-restarts-all", Now: policy, Mutant: "return true, policy.RestartPolicy != \"\"",
			Breaks:  "A resize with NotRequired ends no container. The mutant restarts each one.",
			Formula: "restarts/resized-in-place",
		}, {
			Name: "backoff-of-all-resources", File: helpersFile, Within: "GetBackoffKey",
			Now: "container.Resources.String(),", Mutant: "",
			Breaks:  "Other resources start a waiting container at once. The mutant keeps its back-off.",
			Formula: "restarts/after-resize",
		}, {
			Name:    "resize-restarts-a-sync-later",
			Now:     "changes.ContainersToStart = append(changes.ContainersToStart, containerIdx)",
			Mutant:  "_ = changes.ContainersToStart",
			Breaks:  "The sync that kills a container for a resize starts it again. The mutant's next sync does.",
			Formula: "restarts/resize-starts",
		}, {
			Name: "resize-below-usage", Within: "kubeGenericRuntimeManager.validateMemoryResizeAction",
			Now:    "!podLimitDecreasing && len(decreasingContainerLimits) == 0",
			Mutant: "podLimitDecreasing || len(decreasingContainerLimits) == 0",
			Breaks: "A memory limit is not lowered below the memory in use. The mutant lowers it, which would end " +
				"the container.",
			Formula: "restarts/resize-error-shown",
		}, {
			Name: "deferred-resize-not-retried", File: kubeletFile, Within: "Kubelet.HandlePodReconcile",
			Now: "newRequest.Cpu().Cmp(*oldRequest.Cpu()) < 0", Mutant: "newRequest.Cpu().Cmp(*oldRequest.Cpu()) > 0",
			Breaks: "A deferred resize is tried again when another pod requests less. The mutant tries it when one " +
				"requests more.",
			Formula: "restarts/resize-retried",
		}, {
			Name: "deferred-resize-refuses-its-pod", File: allocation, Within: "manager.AddPod",
			Now: "pod, _ = m.UpdatePodFromAllocation(pod)", Mutant: "_, _ = m.UpdatePodFromAllocation(pod)",
			Breaks: "A restarted kubelet admits a pod with the resources that it has. The mutant asks for those of a " +
				"deferred resize, and ends the pod.",
			Formula: "restarts/resize-retried",
		}, {
			Name: "least-priority-resized-first", File: allocation, Within: "manager.sortPendingResizes",
			Now: "firstPodPriority > secondPodPriority", Mutant: "firstPodPriority < secondPodPriority",
			Breaks:  "Of two resizes that wait, that of the higher priority comes first. The mutant reverses them.",
			Formula: "restarts/resize-retried",
		}, {
			Name: "less-memory-resized-last", File: allocation, Within: "manager.isResizeIncreasingRequests",
			Now:    "newRequest.Memory().Cmp(*oldRequest.Memory()) > 0",
			Mutant: "newRequest.Memory().Cmp(*oldRequest.Memory()) <= 0",
			Breaks: "Of the resizes that wait, those come first that want no more than before. The mutant takes those " +
				"that want more memory for such.",
			Formula: "restarts/resize-retried",
		}, {
			Name: "policy-of-the-other-resource", Now: "policy.ResourceName == rName", Mutant: "policy.ResourceName != rName",
			Breaks:  "A resize of a resource follows that resource's policy. The mutant follows that of the other one.",
			Formula: "restarts/resized-in-place",
		}, {
			Name: "resize-not-tried-after-removal", File: kubeletFile, Within: "Kubelet.HandlePodRemoves",
			Now: "kl.allocationManager.RetryPendingResizes(ctx, allocation.TriggerReasonPodsRemoved)", Mutant: "",
			Breaks:   "A deferred resize is tried again when a pod's object is gone. The mutant waits for another reason.",
			Versions: since137,
		}, {
			Name: "cores-resized-with-memory", Within: "kubeGenericRuntimeManager.updatePodContainerResources",
			Now:     "cInfo.currentContainerResources.cpuRequest, resource.DecimalSI",
			Mutant:  "cInfo.desiredContainerResources.cpuRequest, resource.DecimalSI",
			Breaks:  "A container's memory is resized before its CPU. The mutant's first call changes both.",
			Formula: "runtime/resizes",
		}, {
			Name: "sidecar-beyond-its-pod", File: containerRuntime,
			Within:  "kubeGenericRuntimeManager.computeInitContainerActions",
			Now:     "!changes.UpdatePodLevelResources && !changes.UpdatePodResources",
			Mutant:  "!changes.UpdatePodLevelResources && changes.UpdatePodResources",
			Breaks:  "A sidecar that was resized while it waited resizes its pod before it starts. The mutant's pod stays.",
			Formula: "runtime/limits", Versions: since137, Reference: "kubernetes#138760",
		}, {
			Name: "resize-of-pod-ignored", Within: "kubeGenericRuntimeManager.SyncPod",
			Now:     "podContainerChanges.UpdatePodResources || podContainerChanges.UpdatePodLevelResources || updateVolumes",
			Mutant:  "podContainerChanges.UpdatePodResources || updateVolumes",
			Breaks:  "A resize of a pod as a whole is carried out. The mutant's is not if no container is resized.",
			Formula: "restarts/resize-completed", Versions: since137,
		}, {
			Name: "missing-limit-checked", Within: "kubeGenericRuntimeManager.validateMemoryResizeAction",
			Now: "if podLimitDecreasing {", Mutant: "if podLimitDecreasing || true {",
			Breaks: "The memory in use is compared with a pod's limit if that falls. The mutant compares it with one that " +
				"does not exist, and panics.",
			Formula: "kubelet/exits", Versions: since137,
		},
	})
}
