package formula

import "time"

// The slack terms. Each is a named delay between an event of a formula and what a victim can measure of it. Its size
// is the budget on an otherwise idle node. The delay of a busy node is not included: the recorder measures it, and
// the judge finds a miss inconclusive that it could explain.
//
// Medians and greatest values were measured in ten quick rounds on v1.37.2 (1,790 verdicts, 28,000 claims, two busy
// cores), less the wait for the disk. Terms of one formula are measured together.
// docs/measurements.md, "Slack", has what smaller terms would cost.
const (
	// runtimeLatency is the CRI call, the runtime's own work and a signal's delivery. From a hook's end to SIGTERM:
	// median 0.00 s, greatest 0.21 s (196 values).
	runtimeLatency = 250 * time.Millisecond
	// signalDelivery is how long after the start of the runtime's timer the stop signal may reach the victim's handler.
	// From SIGTERM to SIGKILL, less the grace period: median -0.02 s (414 values).
	signalDelivery = 100 * time.Millisecond
	// ExecStart is how long before its first instruction a process may begin for the kubelet (ExecSync). Median 0.20 s
	// (98 hooks that were cut).
	ExecStart = 400 * time.Millisecond
	// HTTPStart is the same for a request inside the pod: the kubelet reads the pod's address (handlers.go
	// runHTTPHandler, GetPodStatus) and connects. It must stay so small that a hook of 4.9 s stays below five seconds.
	HTTPStart = 50 * time.Millisecond
	// HookReturn is how long after its last mark a hook may still last for the kubelet.
	HookReturn = 250 * time.Millisecond
	// waitSeen is by how much the kubelet's measure of a sidecar's wait may differ from the time between the signals.
	waitSeen = runtimeLatency
	// watchLatency is the way of an API write to the kubelet. From a delete to the kill: median 0.05 s, 99 % at most
	// 0.81 s, greatest 1.70 s (586 values).
	watchLatency = time.Second
	// PLEGRelist is the longest wait for a pod status newer than the last sync: one period of the generic PLEG and the
	// relist itself (kubelet.go genericPlegRelistPeriod; pod_workers.go podWorkerLoop, GetNewerThan). With the
	// container's start: median 0.77 s, greatest 1.23 s (9 first restarts).
	PLEGRelist = 1300 * time.Millisecond
	// syncLatency is the way of a probe result to the kill. Median 0.02 s, greatest 0.46 s (315 values).
	syncLatency = 1500 * time.Millisecond
	// containerStart is create and start of a container whose image is present. After a probe's kill: median 0.31 s,
	// greatest 1.00 s (160 values).
	containerStart = 2 * time.Second
	// tickJitter is how far from its period one tick of a probe's ticker may follow another.
	tickJitter = 250 * time.Millisecond
	// housekeeping is the longest wait for the loop that cleans up after pods (kubelet.go housekeepingPeriod).
	housekeeping = 2 * time.Second
	// statusWrite is the way of a pod's new status to watchers. Median 0.01 s, greatest 0.65 s (889 values).
	statusWrite = 2 * time.Second
	// kubeletStart is the time from a kubelet's process to its first sync, 2 to 6 s.
	kubeletStart = 10 * time.Second
	// kubeletStop is how long a kubelet takes to end on request.
	kubeletStop = 5 * time.Second
	// pullAnswer is how long a pull of a missing image takes to fail, with a registry on the same node. No
	// attempt of 3,145 verdicts took longer.
	pullAnswer = 500 * time.Millisecond
	// processStart is how much earlier than its first mark a container may have started for the kubelet.
	processStart = 250 * time.Millisecond
	// evictionLook is one check of the eviction manager. It measures the node's memory again (pkg/kubelet/server/stats
	// summary.go Get with updateStats; pkg/kubelet/stats/helper.go getCgroupInfo, MaxAge 0), so that a threshold of
	// memory is found as soon as one of disks.
	evictionLook = time.Second
	// folderWalk is how long adding up the sizes of a few hundred files takes.
	folderWalk = time.Second
	// eventWay is the way of an event to its watchers, perhaps after what it reports. Greatest 0.40 s late (40 events).
	eventWay = 500 * time.Millisecond
	// podPrepared is a pod's first sync until its probes' workers begin: cgroups, folders, volumes.
	podPrepared = 500 * time.Millisecond
	// sandboxStop is the end of a pod after its last container, sandboxStart its beginning before the first. From the
	// kill to the phase, with the status: median 0.27 s, greatest 0.86 s (71 values).
	sandboxStop  = time.Second
	sandboxStart = 1500 * time.Millisecond
	// objectDelete is the end of a deletion after the last exit: volumes (100 ms poll), then the status manager's
	// DELETE. Median 0.82 s, greatest 1.99 s (302 values).
	objectDelete = 4 * time.Second
)

const (
	// apiRequest is how long the API server may take for a request. Until an object without a process goes:
	// median 0.01 s, greatest 0.33 s (91 values).
	apiRequest = time.Second
	// statusSyncPeriod is how often old kubelets retry reports and deletes (v1.23.1 status_manager.go syncPeriod).
	statusSyncPeriod = 10 * time.Second
	// syncTick is how often the kubelet checks for pods that are due for a sync (kubelet.go syncTicker).
	syncTick = time.Second
)

// ms is the unit of the usual values below. They were measured on two cores that were busy for 95 % of the time, beside
// recorders that ran on time. go test ./suites -run TestUsual -v -args -usual=FOLDER prints those of a saved run.
const ms = time.Millisecond

// The terms that many formulas share, with their usual values.
var (
	atRuntime   = upTo("runtime", runtimeLatency).usually(40*ms, 80*ms)
	atAPIServer = upTo("API server", apiRequest)
	// relist follows an end at any time of the period. notRelisted is for a pod whose last sync is longer ago: its
	// status is new enough.
	relist      = upTo("PLEG relist", PLEGRelist).usually(1000*ms, 1050*ms)
	notRelisted = upTo("PLEG relist", PLEGRelist).usually(5*ms, 50*ms)
	synced      = upTo("sync", syncLatency).usually(40*ms, 150*ms)
	watched     = upTo("watch", watchLatency).usually(40*ms, 150*ms)
	started     = upTo("create and start", containerStart).usually(300*ms, 500*ms)
	execStarts  = upTo("start of the hook's process", ExecStart).usually(150*ms, 250*ms)
	shown       = upTo("status", statusWrite)
	// tornDown has the values of a host whose system calls take 1.2 µs (16 values). The other steps were as quick as
	// usual there. On a host with quick system calls, half of the values were at most 0.7 s, and nine of ten 1.1 s.
	tornDown = upTo("teardown and status", objectDelete).usually(1400*ms, 2500*ms)
	checked  = upTo("check: everything is measured again", evictionLook)
	events   = between("events on their way", -eventWay, eventWay)
	jitter   = between("tick to tick", -tickJitter, tickJitter)
)

// signalToKill returns the slack from SIGTERM to the death of a process that ignores it.
func signalToKill() []Term {
	return []Term{between("signal delivery", -signalDelivery, 0), atRuntime}
}

// deleteToKill returns the slack from a delete request to the beginning of the kill.
func deleteToKill() []Term {
	return []Term{watched, notRelisted, atRuntime}
}

// fromSignal and fromDelete return the sums with these slacks.
func fromSignal(terms ...Term) Window { return span(append(signalToKill(), terms...)...) }
func fromDelete(terms ...Term) Window { return span(append(deleteToKill(), terms...)...) }

func ceilDiv(d, step time.Duration) time.Duration { return (d + step - 1) / step }

func otherwise(configured, byDefault time.Duration) time.Duration {
	if configured == 0 {
		return byDefault
	}
	return configured
}
