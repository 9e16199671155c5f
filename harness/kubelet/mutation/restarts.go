package mutation

// The files that decide how long a restart waits.
const (
	clientGo    = "k8s.io/client-go"
	backOffFile = "util/flowcontrol/backoff.go"
	helpersFile = "pkg/kubelet/kuberuntime/helpers.go"
)

// seriesMutations break how the back-offs grow.
func seriesMutations() []Mutation {
	const grows = "A container's back-offs are 10, 20, 40 s and so on up to 300 s, or what the node sets. "
	return []Mutation{
		{
			Name: "backoff-first-20s", File: kubeletFile, Within: "initialCrashLoopBackOff",
			Now: "initialCrashLoopBackOff = time.Second * 10", Mutant: "initialCrashLoopBackOff = time.Second * 20",
			Breaks:  grows + "Here the first is 20 s.",
			Formula: "restarts/delay", Versions: since134,
		},
		{
			Name: "backoff-first-5s", File: kubeletFile, Within: "initialCrashLoopBackOff",
			Now: "initialCrashLoopBackOff = time.Second * 10", Mutant: "initialCrashLoopBackOff = time.Second * 5",
			Breaks:  grows + "Here the first is 5 s.",
			Formula: "restarts/delay", Versions: since134,
		},
		{
			Name: "node-period-20s-longer", File: kubeletFile, Within: "newCrashLoopBackOff",
			Now:     "boMax = kubeCfg.CrashLoopBackOff.MaxContainerRestartPeriod.Duration",
			Mutant:  "boMax = kubeCfg.CrashLoopBackOff.MaxContainerRestartPeriod.Duration + 20*time.Second",
			Breaks:  grows + "Here the last is 20 s longer than the node's maximum.",
			Formula: "restarts/delay", Versions: since134,
		},
		{
			Name: "backoff-first-and-longest-swapped", File: kubeletFile, Within: "NewMainKubelet",
			Now: "flowcontrol.NewBackOff(base, boMax)", Mutant: "flowcontrol.NewBackOff(boMax, base)",
			Breaks:  grows + "Here the first is the longest.",
			Formula: "restarts/delay", Versions: since134,
		},
		{
			Name: "backoff-tripled", Module: clientGo, File: backOffFile, Within: "Backoff.Next",
			Now: "delay := entry.backoff * 2", Mutant: "delay := entry.backoff * 3",
			Breaks:  grows + "Here each is three times the one before.",
			Formula: "restarts/delay", Versions: since123,
		},
		{
			Name: "backoff-not-grown", Module: clientGo, File: backOffFile, Within: "Backoff.Next",
			Now: "delay := entry.backoff * 2", Mutant: "delay := entry.backoff * 1",
			Breaks:  grows + "Here each is like the first.",
			Formula: "restarts/delay", Versions: since123,
		},
		{
			Name: "pull-backoff-one-minute", File: kubeletFile, Within: "NewMainKubelet",
			Now:    "flowcontrol.NewBackOff(imageBackOffPeriod, MaxImageBackOff)",
			Mutant: "flowcontrol.NewBackOff(time.Minute, MaxImageBackOff)",
			Breaks: "An image that can't be had is asked for again after 10, 20, 40 s and so on. Here after a " +
				"minute at first.",
			Formula: "restarts/pull-delay", Versions: since134,
		},
	}
}

// backOffMutations break whether a container waits, and until when.
func backOffMutations() []Mutation {
	const waits = "A container that ended waits for its back-off, counted from its end. "
	return []Mutation{
		{
			Name: "backoff-comparison-turned", Module: clientGo, File: backOffFile, Within: "Backoff.IsInBackOffSince",
			Now: "p.Clock.Since(eventTime) < entry.backoff", Mutant: "p.Clock.Since(eventTime) > entry.backoff",
			Breaks:  waits + "Here it waits once the back-off is over, and not before.",
			Formula: "restarts/delay", Versions: since123,
		},
		{
			Name: "backoff-always-over", Module: clientGo, File: backOffFile, Within: "Backoff.IsInBackOffSince",
			Now: "p.Clock.Since(eventTime) < entry.backoff", Mutant: "false",
			Breaks:  waits + "Here every back-off is over at once.",
			Formula: "restarts/delay", Versions: since123,
		},
		{
			Name: "backoff-of-running", File: runtimeManager, Within: "kubeGenericRuntimeManager.doBackOff",
			Now:     "c.State == kubecontainer.ContainerStateExited",
			Mutant:  "c.State == kubecontainer.ContainerStateRunning",
			Breaks:  waits + "Here the instance that ended is not looked for, so none waits.",
			Formula: "restarts/delay", Versions: since123,
		},
		{
			Name: "backoff-not-asked", File: runtimeManager, Within: "kubeGenericRuntimeManager.doBackOff",
			Now: "if backOff.IsInBackOffSince(key, ts) {", Mutant: "if false {",
			Breaks:  waits + "Here nobody asks whether it has to.",
			Formula: "restarts/delay", Versions: since123,
		},
		{
			Name: "backoff-since-update", File: runtimeManager, Within: "kubeGenericRuntimeManager.doBackOff",
			Now:     "backOff.IsInBackOffSince(key, ts)",
			Mutant:  "backOff.IsInBackOffSinceUpdate(key, backOff.Clock.Now())",
			Breaks:  waits + "Here it is counted from when the back-off was last set, before the life that ended.",
			Formula: "restarts/delay", Versions: since123,
		},
		{
			Name: "backoff-since-start", File: runtimeManager, Within: "kubeGenericRuntimeManager.doBackOff",
			Now: "ts := cStatus.FinishedAt", Mutant: "ts := cStatus.StartedAt",
			Breaks:  waits + "Here it is counted from the start of the instance that ended.",
			Formula: "restarts/delay", Versions: since123,
		},
		{
			Name: "backoff-expiry-doubled", File: runtimeManager, Within: "kubeGenericRuntimeManager.doBackOff",
			Now: "ts.Add(backoff)", Mutant: "ts.Add(2 * backoff)",
			Breaks:  waits + "Here the pod is looked at again only after twice that time.",
			Formula: "restarts/delay", Versions: expiryTold,
		},
		{
			Name: "backoff-error-lost", File: runtimeManager, Within: "kubeGenericRuntimeManager.doBackOff",
			Now:    "kubecontainer.NewBackoffError(kubecontainer.ErrCrashLoopBackOff, ts.Add(backoff))",
			Mutant: "kubecontainer.ErrCrashLoopBackOff",
			Breaks: "A pod whose container waits for its back-off is looked at when the back-off ends. Here nobody " +
				"learns when that is, so it is looked at every ten to fifteen seconds.",
			Formula: "restarts/delay", Versions: expiryTold, Reference: "kubernetes#123602",
		},
		{
			Name: "first-restart-backed-off", File: runtimeManager, Within: "kubeGenericRuntimeManager.doBackOff",
			Now:    "if cStatus == nil {",
			Mutant: "if cStatus == nil {\nbackOff.Next(GetBackoffKey(pod, container), backOff.Clock.Now())",
			Breaks: "The first restart of a container does not wait. Here it waits for the first back-off, and each " +
				"later one for what the next should.",
			Formula: "restarts/delay", Versions: since134,
		},
	}
}

// memoryMutations break what back-offs are kept by, and for how long.
func memoryMutations() []Mutation {
	const old = "A back-off is forgotten ten minutes after the last start of its container. "
	return []Mutation{
		{
			Name: "backoff-update-lost", Module: clientGo, File: backOffFile, Within: "Backoff.Next",
			Now: "entry.lastUpdate = p.Clock.Now()", Mutant: "_ = entry.lastUpdate",
			Breaks:  old + "Here nothing says when that was, so it is forgotten at once.",
			Formula: "restarts/delay", Versions: since123,
		},
		{
			Name: "backoff-forgotten-after-20s", File: kubeletFile, Within: "NewMainKubelet",
			Now: "eventTime.Sub(lastUpdate) > 600*time.Second", Mutant: "eventTime.Sub(lastUpdate) > 20*time.Second",
			Breaks:  old + "Here after twenty seconds.",
			Formula: "restarts/delay", Versions: since134,
		},
		{
			Name: "backoff-never-collected", File: "pkg/kubelet/kubelet_pods.go", Within: "Kubelet.HandlePodCleanups",
			Now: "kl.crashLoopBackOff.GC()", Mutant: "_ = kl.crashLoopBackOff.GC",
			Breaks:  old + "Here not while the container waits for it.",
			Formula: "restarts/delay-forgotten", Versions: since134,
		},
		{
			Name: "pull-backoff-forgotten-early", Module: clientGo, File: backOffFile, Within: "Backoff.hasExpired",
			Now: "maxDuration*2", Mutant: "maxDuration/2",
			Breaks: "The back-off of an image that can't be had grows to 300 s, and is forgotten after ten minutes. " +
				"Here after half of its longest value, so that it never gets there.",
			Formula: "restarts/pull-delay", Versions: since134,
		},
		{
			Name: "backoff-shared-by-pod", File: helpersFile, Within: "GetBackoffKey",
			Now: "container.Name, container.Image,", Mutant: "pod.Spec.Containers[0].Image,",
			Breaks:  "Each container has a back-off of its own. Here all containers of a pod share one.",
			Formula: "restarts/delay", Versions: since134,
		},
		{
			Name: "backoff-kept-by-new-image", File: helpersFile, Within: "GetBackoffKey",
			Now: "container.Image,", Mutant: "",
			Breaks:  "Another image starts a waiting container at once. Here it keeps the back-off of the image before.",
			Formula: "restarts/after-new-image", Versions: since134,
		},
		{
			Name: "backoff-kept-by-name", File: helpersFile, Within: "GetBackoffKey",
			Now: "string(pod.UID),", Mutant: "",
			Breaks: "A pod that is created again begins the series anew. Here it goes on where the one of its name " +
				"ended.",
			Formula: "restarts/delay", Versions: since134,
		},
	}
}

// restartCountMutations break what restartCount says.
func restartCountMutations() []Mutation {
	const (
		counts = "restartCount is how many lives of the container there were before. "
		file   = "pkg/kubelet/kuberuntime/kuberuntime_container.go"
		within = "kubeGenericRuntimeManager.startContainer"
	)
	return []Mutation{
		{
			Name: "restart-count-stuck", File: file, Within: within,
			Now: "containerStatus.RestartCount + 1", Mutant: "containerStatus.RestartCount + 0",
			Breaks:  counts + "Here it does not go on growing.",
			Formula: "restarts/restart-count", Versions: since123,
		},
		{
			Name: "restart-count-by-two", File: file, Within: within,
			Now: "containerStatus.RestartCount + 1", Mutant: "containerStatus.RestartCount + 2",
			Breaks:  counts + "Here twice as many.",
			Formula: "restarts/restart-count", Versions: since123,
		},
		{
			Name: "restart-count-of-first", File: file, Within: within,
			Now:     "podStatus.FindContainerStatusByName(container.Name)",
			Mutant:  "podStatus.FindContainerStatusByName(pod.Spec.Containers[0].Name)",
			Breaks:  counts + "Here how many of the pod's first container.",
			Formula: "restarts/restart-count", Versions: since123,
		},
	}
}
