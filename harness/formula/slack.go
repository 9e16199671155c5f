package formula

import "time"

// The slack terms. Each is a named delay between an event of a formula and what a victim can measure of it. Its size
// is the budget on an otherwise idle node. The delay of a busy node is not included: the recorder measures it, and
// the judge finds a miss inconclusive that it could explain.
const (
	// runtimeLatency is the CRI call, the runtime's own work and the delivery of a signal. Measured with containerd
	// on two busy cores: 5 to 100 ms.
	runtimeLatency = 250 * time.Millisecond
	// signalDelivery is how long after the start of the runtime's timer the stop signal may reach the victim's
	// handler. The time from the signal to the kill looks shorter by that.
	signalDelivery = 100 * time.Millisecond
	// ExecStart is the time that the runtime needs to start a process in a container (ExecSync to the process' first
	// instruction). For the kubelet an exec hook may begin so much earlier than its first mark.
	ExecStart = 400 * time.Millisecond
	// HTTPStart is the same for a request to a server inside the pod: the kubelet asks the runtime for the pod's
	// address (handlers.go runHTTPHandler, GetPodStatus), then a handshake and a few hundred bytes within the node.
	// With it and the signal's way, a hook of 4.9 s must stay below five whole seconds, so that its trial can tell
	// how the fraction counts.
	HTTPStart = 50 * time.Millisecond
	// HookReturn is how long after its last mark a hook may still last for the kubelet: the end of its process or the
	// way of its answer, and the runtime's own work.
	HookReturn = 250 * time.Millisecond
	// waitSeen is by how much the kubelet's measure of a sidecar's wait may differ from the time between the signals
	// that show it: the way of a signal at each end.
	waitSeen = runtimeLatency
	// watchLatency is the way of an API write to the kubelet: a watch, no polling.
	watchLatency = time.Second
	// plegRelist is the longest wait of a pod worker for a pod status newer than its last sync: one relist of the
	// generic PLEG, one second after the previous one ended (kubelet.go genericPlegRelistPeriod; pod_workers.go
	// podWorkerLoop, GetNewerThan), and the relist itself.
	plegRelist = 1300 * time.Millisecond
	// syncLatency is the way of a probe result through syncLoop and pod worker to the kill.
	syncLatency = 1500 * time.Millisecond
	// containerStart is create and start of a container whose image is present.
	containerStart = 2 * time.Second
	// tickJitter is how far from its period one tick of a probe's ticker may follow another: the goroutine needs a
	// core.
	tickJitter = 250 * time.Millisecond
	// housekeeping is the longest wait for the loop that cleans up after pods (kubelet.go housekeepingPeriod).
	housekeeping = 2 * time.Second
	// statusWrite is the way of a pod's new status to watchers: the status manager's PATCH and a watch.
	statusWrite = 2 * time.Second
	// kubeletStart is the time from a kubelet's process to its first sync of a pod.
	kubeletStart = 15 * time.Second
	// kubeletStop is how long a kubelet takes to end on request.
	kubeletStop = 5 * time.Second
	// pullAnswer is the time from the request for a missing image to its failure for the kubelet, with a registry on
	// the same node.
	pullAnswer = time.Second
	// processStart is how much earlier than its first mark a container may have started for the kubelet: its process
	// has to load, open its ports and reach the recorder.
	processStart = 250 * time.Millisecond
	// evictionLook is one check of the eviction manager: it measures node, file systems and pods (summary.go Get with
	// updateStats).
	evictionLook = time.Second
	// folderWalk is how long the kubelet or the runtime walks a folder of a few hundred files to add up their sizes.
	folderWalk = time.Second
	// eventWay is the way of an event to its watchers: the kubelet's queue of events, the API, a watch. A client may
	// see the event after what it reports, or after another event. Claimed events took 5 to 300 ms.
	eventWay = time.Second
	// podPrepared is what a pod's first sync does between the pod's first status and its probes' workers: cgroups,
	// folders, and volumes.
	podPrepared = 500 * time.Millisecond
	// sandboxStop is the end of a pod after its last container, sandboxStart its beginning before the first one.
	sandboxStop  = 1500 * time.Millisecond
	sandboxStart = 2 * time.Second
	// objectDelete is the end of a deletion after the last exit: volumes unmounted (100 ms poll), then the status
	// manager's DELETE.
	objectDelete = 4 * time.Second
)

const (
	// apiRequest is how long the API server may take for a request.
	apiRequest = time.Second
	// statusSyncPeriod is how often old kubelets retry what they could not report or delete (status_manager.go
	// syncPeriod of v1.23.1).
	statusSyncPeriod = 10 * time.Second
	// syncTick is how often the kubelet checks for pods that are due for a sync (kubelet.go syncTicker).
	syncTick = time.Second
)

// signalToKill returns the slack of a time from the stop signal to the death of a process that ignores it.
func signalToKill() []Term {
	return []Term{between("signal delivery", -signalDelivery, 0), upTo("runtime", runtimeLatency)}
}

// deleteToKill returns the slack between a delete request and the beginning of the kill.
func deleteToKill() []Term {
	return []Term{upTo("watch", watchLatency), upTo("PLEG relist", plegRelist), upTo("runtime", runtimeLatency)}
}

// ceilDiv returns how many whole steps cover d.
func ceilDiv(d, step time.Duration) time.Duration { return (d + step - 1) / step }

// otherwise returns a configured period, or its default if it is unknown.
func otherwise(configured, byDefault time.Duration) time.Duration {
	if configured == 0 {
		return byDefault
	}
	return configured
}
