package formula

import "time"

// ConfigErrorRetry is the time from one failed try to start a container without its ConfigMap to the next, in a pod of
// one container. The first two tries are left out: the start of the sandbox causes the second one.
var ConfigErrorRetry = Formula{
	ID: "restarts/config-error-retry",
	Description: "a container that refers to a missing ConfigMap is tried again ten to fifteen seconds after each try, " +
		"without a back-off that grows",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer (ErrCreateContainerConfig); " +
		"pkg/kubelet/pod_workers.go completeWork; pkg/kubelet/kubelet.go backOffPeriod",
	Implemented: always(span(append(failedSync(), events)...)),
}

// failedSync returns the time from a sync that failed to the pod's next one, if nothing else causes a sync.
func failedSync() []Term {
	return []Term{
		exactly("time to the next sync", backOffPeriod),
		upTo("jitter of the next sync, up to half of it", backOffPeriod/2),
		upTo("work queue", syncTick),
	}
}

// ConfiguredStart is the time from the last failed try to the container's start, once the ConfigMap exists.
var ConfiguredStart = Formula{
	ID:          "restarts/start-with-config",
	Description: "a ConfigMap that appears causes no sync: the container starts with the pod's next try",
	Source:      ConfigErrorRetry.Source,
	Implemented: always(span(append(failedSync(),
		between("event on its way", -eventWay, 0),
		started,
	)...)),
}

// ConfigErrorBeside is the time from the end of a neighbour that then waits for a back-off to the start of a container
// whose ConfigMap is created meanwhile, after the sync that saw the end.
func ConfigErrorBeside(backOff time.Duration) Formula {
	return Formula{
		ID: "restarts/config-error-beside-crash-loop",
		Description: "a container that refers to a missing ConfigMap is tried again only when the back-off of its " +
			"crash-looping neighbour or syncFrequency ends; up to 1.34, after ten to fifteen seconds",
		Source: "pkg/kubelet/pod_workers.go completeWork; pkg/kubelet/container/sync_result.go MinBackoffExpiration",
		Implemented: func(in Input) Window {
			if in.Kubelet.Has(RequeueAtExpiry) {
				in.Neighbours = max(1, in.Neighbours)
				return in.waits(min(backOff, in.Kubelet.resyncInterval()))
			}
			return triedBeside(in)
		},
	}
}

func triedBeside(Input) Window { return span(append(failedSync(), relist, started)...) }

// Mistakes of these formulas.
var (
	// ConfigErrorBacksOff lets the time between tries grow.
	ConfigErrorBacksOff = mistake("a container that cannot be configured waits for a back-off that grows",
		"kubernetes PR 142033", func(in Input) Window { return in.waits(2 * initialCrashLoopBackOff).With(events) })
	// TriedAtResync tries again with the pod's regular sync.
	TriedAtResync = mistake("a container that cannot be configured is tried again when its pod is synced regularly",
		"pod_workers.go completeWork", func(in Input) Window {
			regular := in.Kubelet.resyncInterval()
			return span(
				exactly("syncFrequency", regular), upTo("jitter", regular/2), upTo("work queue", syncTick), events,
			)
		})
	// TriedBesideBackOff does not wait for the neighbour.
	TriedBesideBackOff = mistake("a container that cannot be configured does not wait for its neighbour's back-off",
		"pod_workers.go completeWork (up to 1.34)", triedBeside)
)
