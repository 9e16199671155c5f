package formula

// FirstTick is the time from a pod's status.startTime to the first probe of a container that was started
// within one period of it and has no initial delay.
var FirstTick = Formula{
	ID: "probes/first-tick",
	Says: "the tickers of all a pod's probes begin in its first sync, before its containers start: the first tick that finds a container is a period later, by a kubelet " +
		"older than that",
	Source:      "pkg/kubelet/kubelet.go SyncPod (SetPodStatus, AddPod, containerRuntime.SyncPod); pkg/kubelet/prober/worker.go run",
	Implemented: func(in Input) Window { return firstTick(in, exactly("period", in.Probe.period())) },
}

func firstTick(in Input, tick Term) Window {
	return window(Nanoseconds,
		tick,
		upTo("start time cut to whole seconds", startTruncation),
		upTo("cgroups, folders and volumes before", podPrepared),
		upTo("probe on its way", in.Probe.arrival()),
		upTo("tick to tick", tickJitter))
}

// FirstTickAtRandom waits a random part of the period before its first probe, however long the kubelet has
// been running. Where the container is not there yet, a period more passes.
var FirstTickAtRandom = Rival{
	Name:      "a random part of the period passes before the first probe, not only on a kubelet that was just started",
	Reference: "kubernetes#62036",
	Would: func(in Input) Window {
		return firstTick(in, between("random part of a period", 0, in.Probe.period()+containerSeen))
	},
}

// containerSeen is how long after its pod's first sync a container's probes may not find it yet: its
// sandbox, its start and the PLEG's relist.
const containerSeen = sandboxStart + containerStart + plegRelist
