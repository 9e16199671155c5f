package mutation

// The files in which a pod's worker decides.
const (
	podWorkersFile = "pkg/kubelet/pod_workers.go"
	deadlineFile   = "pkg/kubelet/active_deadline.go"
	kubeletFile    = "pkg/kubelet/kubelet.go"
)

var (
	// zeroIsAsked: until 1.31 a grace period of zero counted as one that nobody asked for (pod_workers.go
	// calculateEffectiveGracePeriod, kubernetes PR 124063).
	zeroIsAsked = Range{From: "v1.31.0"}
	// graceByWorker: since 1.22 the pod worker works out a pod's grace period.
	graceByWorker = Range{From: "v1.22.0"}
	// expiryTold: since 1.35 a back-off tells the pod worker when it ends.
	expiryTold = Range{From: "v1.35.0"}
)

// effectiveGraceMutations break whose grace period counts.
func effectiveGraceMutations() []Mutation {
	return []Mutation{
		{
			Name: "force-takes-spec-grace", File: podWorkersFile, Within: "calculateEffectiveGracePeriod",
			Now: "if !overridden && gracePeriod == 0", Mutant: "if _ = overridden; gracePeriod == 0",
			Breaks: "A delete without grace leaves a container the least that the kubelet gives. Here zero counts " +
				"as not asked for, and a force delete leaves it the pod's own grace period.",
			Formula: "termination/remainder", Versions: zeroIsAsked, Reference: "kubernetes#115819",
		},
		{
			Name: "delete-grace-ignored", File: podWorkersFile, Within: "calculateEffectiveGracePeriod",
			Now: "override := pod.DeletionGracePeriodSeconds; override != nil { if gracePeriod == 0 || *override < " +
				"gracePeriod {",
			Mutant: "override := pod.DeletionGracePeriodSeconds; override != nil { if false {",
			Breaks: "A delete request's grace period stands in the place of the pod's. Here the pod's own grace " +
				"period is kept.",
			Formula: "termination/remainder", Versions: graceByWorker,
		},
		{
			Name: "eviction-grace-ignored", File: podWorkersFile, Within: "calculateEffectiveGracePeriod",
			Now: "override := options.PodTerminationGracePeriodSecondsOverride; override != nil { if gracePeriod == " +
				"0 || *override < gracePeriod {",
			Mutant:  "override := options.PodTerminationGracePeriodSecondsOverride; override != nil { if false {",
			Breaks:  "Whoever evicts a pod says how long it has. Here an evicted pod has its own grace period.",
			Formula: "eviction/remainder", Versions: graceByWorker,
		},
		{
			Name: "least-grace-five", File: podWorkersFile, Within: "calculateEffectiveGracePeriod",
			Now: "gracePeriod = 1", Mutant: "gracePeriod = 5",
			Breaks: "A pod that is killed without grace has one second, which its containers' minimum makes two. " +
				"Here it has five.",
			Formula: "termination/remainder", Versions: graceByWorker,
		},
		{
			Name: "grace-not-passed-on", File: podWorkersFile, Within: "podWorkers.UpdatePod",
			Now:    "options.KillPodOptions.PodTerminationGracePeriodSecondsOverride = &gracePeriod",
			Mutant: "options.KillPodOptions.PodTerminationGracePeriodSecondsOverride = nil",
			Breaks: "What the pod worker works out as a pod's grace period is what its containers have. Here it is " +
				"not handed on, and evictions and force deletes leave them what the API object says.",
			Formula: "termination/remainder", Versions: graceByWorker,
		},
	}
}

// killWaitMutations break how long whoever kills a pod waits for the kill.
func killWaitMutations() []Mutation {
	return []Mutation{
		{
			Name: "kill-wait-not-longer", File: podWorkersFile, Within: "killPodNow",
			Now: "timeout := gracePeriod + (gracePeriod / 2)", Mutant: "timeout := gracePeriod",
			Breaks: "Whoever kills a pod waits one and a half times its grace period before it says that it was " +
				"exceeded. Here it says so when the grace period is over.",
			Formula: "termination/exceeded-grace-period", Versions: since134,
		},
		{
			Name: "kill-wait-one-second", File: podWorkersFile, Within: "killPodNow",
			Now: "minTimeout := int64(10)", Mutant: "minTimeout := int64(1)",
			Breaks: "Whoever kills a pod waits ten seconds at least before it says that the grace period was " +
				"exceeded. Here one second, which no hard eviction keeps.",
			Formula: "termination/exceeded-grace-period", Versions: since123, Reference: "kubernetes#41347",
		},
		{
			Name: "kill-wait-by-spec", File: podWorkersFile, Within: "killPodNow",
			Now: "gracePeriod = *gracePeriodOverride", Mutant: "gracePeriod = *pod.Spec.TerminationGracePeriodSeconds",
			Breaks:  "Whoever kills a pod waits by the grace period that it gave it. Here by the pod's own.",
			Formula: "termination/exceeded-grace-period", Versions: since123,
		},
	}
}

// requeueMutations break when a pod is looked at again.
func requeueMutations() []Mutation {
	return []Mutation{
		{
			Name: "requeue-without-expiry", File: podWorkersFile, Within: "podWorkers.completeWork",
			Now: "backoff = backoffAt.Sub(p.clock.Now())", Mutant: "_, backoff = backoffAt, p.backOffPeriod",
			Breaks: "A pod whose container waits for its back-off is looked at when the back-off ends. Here every " +
				"ten to fifteen seconds.",
			Formula: "restarts/delay", Versions: expiryTold, Reference: "kubernetes#123602",
		},
		{
			Name: "requeue-not-capped", File: podWorkersFile, Within: "podWorkers.completeWork",
			Now: "else if backoff > p.resyncInterval {", Mutant: "else if false {",
			Breaks: "A pod is looked at once in one and a half sync frequencies at least, so a long back-off ends " +
				"half a minute late at most. Here up to half of the back-off late.",
			Formula: "restarts/delay", Versions: expiryTold,
		},
		{
			Name: "requeue-jitter-five", File: podWorkersFile, Within: "workerBackOffPeriodJitterFactor",
			Now: "workerBackOffPeriodJitterFactor = 0.5", Mutant: "workerBackOffPeriodJitterFactor = 5.0",
			Breaks: "A pod whose container waits is looked at up to half of that time late. Here up to five times " +
				"that time late.",
			Formula: "restarts/delay", Versions: since123,
		},
		{
			Name: "requeue-at-latest-expiry", File: "pkg/kubelet/container/sync_result.go",
			Within: "MinBackoffExpiration", Now: "backoff.Before(min)", Mutant: "min.Before(backoff)",
			Breaks: "A pod with several containers in their back-off is looked at when the first of them ends. Here " +
				"when the last one does.",
			Formula: "restarts/delay", Versions: expiryTold,
		},
		{
			Name: "relist-every-10s", File: kubeletFile, Within: "genericPlegRelistPeriod",
			Now: "genericPlegRelistPeriod = time.Second * 1", Mutant: "genericPlegRelistPeriod = time.Second * 10",
			Breaks:  "The kubelet sees within about a second that a container has ended. Here within ten.",
			Formula: "restarts/first-crash", Versions: since134,
		},
		{
			Name: "sync-tick-10s", File: kubeletFile, Within: "Kubelet.syncLoop",
			Now: "syncTicker := time.NewTicker(time.Second)", Mutant: "syncTicker := time.NewTicker(10 * time.Second)",
			Breaks: "The kubelet looks every second for pods whose sync is due or whose deadline is over. Here " +
				"every ten.",
			Formula: "termination/active-deadline", Versions: since123,
		},
	}
}

// deadlineMutations break when a pod has been active for too long.
func deadlineMutations() []Mutation {
	return []Mutation{
		{
			Name: "deadline-doubled", File: deadlineFile, Within: "activeDeadlineHandler.pastActiveDeadline",
			Now: "return duration >= allowedDuration", Mutant: "return duration >= 2*allowedDuration",
			Breaks:  "A pod is killed activeDeadlineSeconds after its start. Here after twice that time.",
			Formula: "termination/active-deadline", Versions: since123,
		},
		{
			Name: "deadline-in-milliseconds", File: deadlineFile, Within: "activeDeadlineHandler.pastActiveDeadline",
			Now:     "time.Duration(*pod.Spec.ActiveDeadlineSeconds) * time.Second",
			Mutant:  "time.Duration(*pod.Spec.ActiveDeadlineSeconds) * time.Millisecond",
			Breaks:  "A pod is killed activeDeadlineSeconds after its start. Here after as many milliseconds.",
			Formula: "termination/active-deadline", Versions: since123,
		},
		{
			Name: "deadline-from-creation", File: deadlineFile, Within: "activeDeadlineHandler.pastActiveDeadline",
			Now: "start := podStatus.StartTime.Time", Mutant: "start := pod.CreationTimestamp.Time",
			Breaks: "The time until activeDeadlineSeconds are over begins when a node takes the pod. Here when the " +
				"pod is created, so what it waits for a node is lost to it.",
			Formula: "termination/active-deadline", Versions: since123,
		},
	}
}
