package formula

import "time"

// The slack terms. Each is a named delay between what the formula speaks of and what can be measured from
// inside a victim; its size is the budget on an otherwise idle node. What a busy node adds is not in here:
// the recorder measures it (stalls, pressure), and the judge holds a miss that it could explain to be
// inconclusive.
const (
	// runtimeLatency is the CRI call, the runtime's own work and the delivery of a signal: measured 5 to
	// 100 ms with containerd on two busy cores.
	runtimeLatency = 250 * time.Millisecond
	// signalDelivery is how long after the runtime started its timer the stop signal may reach the victim's
	// handler, so that the time from the signal to the kill looks shorter than it was.
	signalDelivery = 100 * time.Millisecond
	// ExecStart is the time the runtime takes to start a process inside a container (ExecSync up to the
	// process' first instruction): how much earlier than its first mark an exec hook may have begun for the
	// kubelet.
	ExecStart = 400 * time.Millisecond
	// HTTPStart is the same for a request to a server inside the pod: the kubelet asks the runtime for the
	// pod's address (handlers.go runHTTPHandler, GetPodStatus: two lists, and a status of each container),
	// then a handshake and a few hundred bytes within the node. It must leave a hook of 4.9 s below five
	// whole seconds, the signal's way included, or that trial could not tell how the fraction is counted.
	// On a node that kept its work waiting nine tenths of the time it was 0.5 s once.
	HTTPStart = 50 * time.Millisecond
	// HookReturn is how long after its last mark a hook may still last for the kubelet: its process' end or
	// its answer's way, and the runtime's own.
	HookReturn = 250 * time.Millisecond
	// waitSeen is by how much a sidecar's wait for its turn may be longer or shorter for the kubelet than
	// between the signals that show it: a signal's way at each end.
	waitSeen = runtimeLatency
	// watchLatency is the way of an API write to the kubelet: a watch, no polling.
	watchLatency = time.Second
	// plegRelist is the longest wait of a pod worker for a pod status newer than its last sync: one relist
	// of the generic PLEG, one second after the previous relist ended (kubelet.go genericPlegRelistPeriod;
	// pod_workers.go podWorkerLoop, GetNewerThan), and the relist itself.
	plegRelist = 1300 * time.Millisecond
	// syncLatency is the way of a published probe result through syncLoop and pod worker to the kill.
	syncLatency = 1500 * time.Millisecond
	// containerStart is create and start of a container with its image present.
	containerStart = 2 * time.Second
	// tickJitter is how far from its period one tick of a probe's ticker may follow another: the goroutine
	// has to get a core.
	tickJitter = 250 * time.Millisecond
	// housekeeping is the longest wait for the loop that cleans up after pods (kubelet.go housekeepingPeriod).
	housekeeping = 2 * time.Second
	// statusWrite is a pod's new status on its way to whoever watches: the status manager's PATCH and a watch.
	statusWrite = 2 * time.Second
	// kubeletStart is a kubelet's own start, from its process to the first sync of a pod.
	kubeletStart = 15 * time.Second
	// kubeletStop is how long a kubelet takes to end when it is asked to.
	kubeletStop = 5 * time.Second
	// pullAnswer is an attempt to pull an image that a registry on the same node has not, from its request
	// to its failure for the kubelet.
	pullAnswer = time.Second
	// processStart is how much earlier than its first mark a container may have started for the kubelet:
	// its process has to load, take its ports and reach the recorder.
	processStart = 250 * time.Millisecond
	// evictionLook is one look of the eviction manager: node, file systems and pods are measured anew
	// (summary.go Get with updateStats).
	evictionLook = time.Second
	// folderWalk is how long the kubelet or the runtime walks a folder of a few hundred files to add up
	// what is stored there.
	folderWalk = time.Second
	// eventWay is an event's own way to its watchers: the kubelet's queue of events, the API, a watch. Seen
	// from a client it can be overtaken by what it tells, or by another event. Measured 5 to 300 ms where
	// one is claimed; the events of pods that start by the dozen took more than a second one time in fifty,
	// on nodes that kept everything waiting.
	eventWay = time.Second
	// podPrepared is what a pod's first sync does between the pod's first status and its probes' workers:
	// the pod's cgroups, its folders, and volumes if it has any.
	podPrepared = 500 * time.Millisecond
	// sandboxStop and sandboxStart are a pod's end after its last container's and its beginning before the first one's.
	sandboxStop  = 1500 * time.Millisecond
	sandboxStart = 2 * time.Second
	// objectDelete is the end of a deletion after the last exit: volumes unmounted (100 ms poll), then the
	// status manager's DELETE.
	objectDelete = 4 * time.Second
)

const (
	// apiRequest is how long the API server may take over a request.
	apiRequest = time.Second
	// statusSyncPeriod is how often old kubelets look again at what they could not report or delete
	// (status_manager.go syncPeriod of v1.23.1).
	statusSyncPeriod = 10 * time.Second
	// syncTick is how often the kubelet looks for pods to be synced that nothing else reminds it of
	// (kubelet.go syncTicker).
	syncTick = time.Second
)

// signalToKill is the slack of every time from the stop signal to the death of a process that ignores it.
func signalToKill() []Term {
	return []Term{between("signal delivery", -signalDelivery, 0), upTo("runtime", runtimeLatency)}
}

// deleteToKill is the slack between a delete request and the beginning of the kill.
func deleteToKill() []Term {
	return []Term{upTo("watch", watchLatency), upTo("PLEG relist", plegRelist), upTo("runtime", runtimeLatency)}
}

// ceilDiv is how many whole steps cover d.
func ceilDiv(d, step time.Duration) time.Duration { return (d + step - 1) / step }

// otherwise is a configured period, or its default where the kubelet did not say it.
func otherwise(configured, byDefault time.Duration) time.Duration {
	if configured == 0 {
		return byDefault
	}
	return configured
}
