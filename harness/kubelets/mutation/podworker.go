package mutation

// The files in which a pod's worker decides.
const (
	podWorkersFile = "pkg/kubelet/pod_workers.go"
	deadlineFile   = "pkg/kubelet/active_deadline.go"
	kubeletFile    = "pkg/kubelet/kubelet.go"
)

var (
	// zeroIsSet is since a grace period of zero no longer counts as unset (pod_workers.go
	// calculateEffectiveGracePeriod, kubernetes PR 124063).
	zeroIsSet = Range{From: "v1.31.0"}
	// graceByWorker is since the pod worker computes a pod's grace period.
	graceByWorker = Range{From: "v1.22.0"}
	// expiryPassed is since a back-off passes the time of its end to the pod worker.
	expiryPassed = Range{From: "v1.35.0"}
)

func effectiveGraceMutations() []Mutation {
	shared := Mutation{
		File: podWorkersFile, Within: "calculateEffectiveGracePeriod", Formula: "termination/remainder",
		Versions: graceByWorker,
	}
	return with(shared, []Mutation{
		{
			Name: "force-takes-spec-grace",
			Now:  "if !overridden && gracePeriod == 0", Mutant: "if _ = overridden; gracePeriod == 0",
			Breaks: "A delete without grace leaves the minimum. The mutant treats zero as unset and leaves the pod's " +
				"own.",
			Versions: zeroIsSet, Reference: "kubernetes#115819",
		}, {
			Name: "delete-grace-ignored",
			Now: "override := pod.DeletionGracePeriodSeconds; override != nil { if gracePeriod == 0 || *override < " +
				"gracePeriod {",
			Mutant: "override := pod.DeletionGracePeriodSeconds; override != nil { if false {",
			Breaks: "A delete request's grace period replaces the pod's. The mutant keeps the pod's.",
		}, {
			Name: "eviction-grace-ignored",
			Now: "override := options.PodTerminationGracePeriodSecondsOverride; override != nil { if gracePeriod == " +
				"0 || *override < gracePeriod {",
			Mutant:  "override := options.PodTerminationGracePeriodSecondsOverride; override != nil { if false {",
			Breaks:  "An eviction sets the pod's grace period. The mutant keeps the pod's own.",
			Formula: "eviction/remainder",
		}, {
			Name: "least-grace-five", Now: "gracePeriod = 1", Mutant: "gracePeriod = 5",
			Breaks: "A pod killed without grace has one second, which becomes two. The mutant gives five.",
		}, {
			Name: "grace-not-passed-on", Within: "podWorkers.UpdatePod",
			Now:    "options.KillPodOptions.PodTerminationGracePeriodSecondsOverride = &gracePeriod",
			Mutant: "options.KillPodOptions.PodTerminationGracePeriodSecondsOverride = nil",
			Breaks: "The pod worker computes the containers' grace period. The mutant does not pass it on.",
		},
	})
}

func killWaitMutations() []Mutation {
	shared := Mutation{
		File: podWorkersFile, Within: "killPodNow", Formula: "termination/exceeded-grace-period",
		Versions: since123,
	}
	return with(shared, []Mutation{
		{
			Name: "kill-wait-not-longer",
			Now:  "timeout := gracePeriod + (gracePeriod / 2)", Mutant: "timeout := gracePeriod",
			Breaks:   "An exceeded grace period is reported after one and a half. The mutant reports it after one.",
			Versions: since134,
		}, {
			Name: "kill-wait-one-second", Now: "minTimeout := int64(10)", Mutant: "minTimeout := int64(1)",
			Breaks:    "An exceeded grace period is reported after ten seconds or more. The mutant needs one.",
			Reference: "kubernetes PR 42015",
		}, {
			Name: "kill-wait-by-spec",
			Now:  "gracePeriod = *gracePeriodOverride", Mutant: "gracePeriod = *pod.Spec.TerminationGracePeriodSeconds",
			Breaks: "A killer of a pod waits by the grace period that it set. The mutant waits by the pod's own.",
		},
	})
}

func requeueMutations() []Mutation {
	shared := Mutation{File: podWorkersFile, Formula: "restarts/delay", Versions: expiryPassed}
	return with(shared, []Mutation{
		{
			Name: "requeue-without-expiry", Within: "podWorkers.completeWork",
			Now: "backoff = backoffAt.Sub(p.clock.Now())", Mutant: "_, backoff = backoffAt, p.backOffPeriod",
			Breaks:    "The kubelet looks at a pod when a back-off ends. The mutant looks after 10 to 15 s.",
			Reference: "kubernetes#123602",
		}, {
			Name: "requeue-not-capped", Within: "podWorkers.completeWork",
			Now: "else if backoff > p.resyncInterval {", Mutant: "else if false {",
			Breaks: "A long back-off ends at most half a minute late. The mutant may be late by half of the back-off.",
		},
		constant(Mutation{
			Name: "requeue-jitter-five", Within: "workerBackOffPeriodJitterFactor", Now: "0.5", Mutant: "5.0",
			Breaks:   "A back-off ends late by at most half of itself. The mutant is late by up to five times it.",
			Versions: since123,
		}),
		{
			Name: "requeue-at-latest-expiry", File: "pkg/kubelet/container/sync_result.go",
			Within: "MinBackoffExpiration", Now: "backoff.Before(min)", Mutant: "min.Before(backoff)",
			Breaks: "The kubelet looks at a pod when its first back-off ends. The mutant looks when the last one ends.",
		}, {
			Name: "failed-sync-at-resync", Within: "podWorkers.completeWork",
			Now: "backoff := p.backOffPeriod", Mutant: "backoff := p.resyncInterval",
			Breaks: "A container that cannot be configured is tried again after 10 to 15 s. The mutant waits for the " +
				"regular sync.",
			Formula: "restarts/config-error-retry",
		}, {
			Name: "neighbour-error-not-delayed", File: "pkg/kubelet/container/sync_result.go",
			Within: "MinBackoffExpiration", Now: "for _, e := range ae.Errors() {",
			Mutant: "for _, e := range ae.Errors() {\nif _, ok := MinBackoffExpiration(e); !ok {\n" +
				"return time.Time{}, false\n}",
			Breaks: "An error beside a container in back-off is retried when that ends. The mutant retries it " +
				"after 10 to 15 s.",
			Formula: "restarts/config-error-beside-crash-loop",
		}, {
			Name: "config-error-backs-off", File: runtimeManager, Within: "kubeGenericRuntimeManager.doBackOff",
			Now: "if cStatus == nil {\nreturn false, \"\", nil",
			Mutant: "if cStatus == nil {\nif key := GetBackoffKey(pod, container); " +
				"backOff.IsInBackOffSinceUpdate(key, backOff.Clock.Now()) {\n" +
				"return true, \"\", kubecontainer.ErrCrashLoopBackOff\n} else {\n" +
				"backOff.Next(key, backOff.Clock.Now())\n}\nreturn false, \"\", nil",
			Breaks:  "A container that never started has no back-off. The mutant's tries wait 10, 20, 40 s and so on.",
			Formula: "restarts/config-error-retry",
		},
		constant(Mutation{
			Name: "relist-every-10s", File: kubeletFile, Within: "genericPlegRelistPeriod",
			Now: "time.Second * 1", Mutant: "time.Second * 10",
			Breaks:  "The kubelet sees a container's end within about a second. The mutant needs up to ten.",
			Formula: "restarts/first-crash", Versions: since134,
		}),
		{
			Name: "sync-tick-10s", File: kubeletFile, Within: "Kubelet.syncLoop",
			Now: "syncTicker := time.NewTicker(time.Second)", Mutant: "syncTicker := time.NewTicker(10 * time.Second)",
			Breaks:  "The kubelet looks every second for due syncs and passed deadlines. The mutant looks every ten.",
			Formula: "termination/active-deadline", Versions: since123,
		},
	})
}

func deadlineMutations() []Mutation {
	shared := Mutation{
		File: deadlineFile, Within: "activeDeadlineHandler.pastActiveDeadline",
		Formula: "termination/active-deadline", Versions: since123,
	}
	return with(shared, []Mutation{
		{
			Name: "deadline-doubled",
			Now:  "return duration >= allowedDuration", Mutant: "return duration >= 2*allowedDuration",
			Breaks: "A pod is killed activeDeadlineSeconds after its start. The mutant waits twice that time.",
		}, {
			Name:   "deadline-in-milliseconds",
			Now:    "time.Duration(*pod.Spec.ActiveDeadlineSeconds) * time.Second",
			Mutant: "time.Duration(*pod.Spec.ActiveDeadlineSeconds) * time.Millisecond",
			Breaks: "A pod is killed activeDeadlineSeconds after its start. The mutant reads them as milliseconds.",
		}, {
			Name: "deadline-from-creation",
			Now:  "start := podStatus.StartTime.Time", Mutant: "start := pod.CreationTimestamp.Time",
			Breaks: "activeDeadlineSeconds begin when a node accepts the pod. The mutant counts from the pod's " +
				"creation.",
		},
	})
}
