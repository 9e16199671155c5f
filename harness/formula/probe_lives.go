package formula

import "time"

// LaterFirstProbe is the time from the start of a life after a probe's kill to the first probe that reaches it.
var LaterFirstProbe = Formula{
	ID: "probes/later-first-probe",
	Says: "the ticker continues during a restart, so the first probe of a later life comes at its first tick " +
		"after the initial delay",
	Source:      "pkg/kubelet/prober/worker.go run, doProbe",
	Implemented: laterFirstProbe,
	Documented: promised(func(in Input) Window {
		if in.Probe.PeriodSeconds > in.Probe.InitialDelaySeconds {
			in.Probe.InitialDelaySeconds = 0
		}
		return firstProbe(in)
	}),
	Promise: "Probes begin initialDelaySeconds after the start. If periodSeconds is greater, the delay is " +
		"ignored.",
	DocumentedAt: configureProbesPage,
	Issues:       issues("website#43259"),
}

// LaterProbe is LaterFirstProbe if the documentation's two sentences about the initial delay do not contradict each
// other.
var LaterProbe = Formula{
	ID:           "probes/later-probe",
	Says:         LaterFirstProbe.Says,
	Source:       LaterFirstProbe.Source,
	Implemented:  laterFirstProbe,
	Documented:   promised(firstProbe),
	Promise:      FirstProbe.Promise,
	DocumentedAt: configureProbesPage,
}

func laterFirstProbe(in Input) Window {
	ticks := in.restartTicks()
	way := in.Probe.arrival()
	return span(between("ticks since the probe that killed the life before", ticks.Low, ticks.High),
		exactly("less the restart", -in.Restart),
		between("probes on their way", -way, way),
		between("tick to tick", -tickJitter, tickJitter))
}

// LaterProbeKills is the time from the start of a life after a probe's kill to its own SIGTERM, where the
// probe fails from the first time on.
var LaterProbeKills = Formula{
	ID: "probes/later-start-to-kill",
	Says: "a later life is killed failureThreshold periods after the probe that killed the one before, so the " +
		"restart and the grace that was used shorten it",
	Source: "pkg/kubelet/prober/worker.go run, doProbe; pkg/kubelet/kubelet.go syncLoopIteration",
	Implemented: func(in Input) Window {
		return laterKill(in, in.needed())
	},
	Documented: promised(func(in Input) Window {
		return startToKill(in, in.Probe.FailureThreshold)
	}),
	Promise:      ProbeKills.Promise,
	DocumentedAt: probesPage,
}

func laterKill(in Input, failures int) Window {
	ticks := in.restartTicks()
	way := in.Probe.arrival()
	return span(
		between("ticks from the probe that killed the life before to the first of this one", ticks.Low, ticks.High),
		exactly("less the restart", -in.Restart),
		exactly("further failing probes, a period apart", time.Duration(failures-1)*in.Probe.cadence()),
		exactly("the last probe itself", in.Probe.Takes),
		between("the killing probe's way", -way, 0),
		between("tick to tick", -tickJitter, tickJitter),
		upTo("sync", syncLatency))
}

// FinishedFailed is the time from the death of a container that is not restarted to the pod's phase Failed.
var FinishedFailed = Formula{
	ID: "probes/never-restarted",
	Says: "with restartPolicy Never a container that a probe kills is not started again, and the pod has " +
		"Failed",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions; pkg/kubelet/kubelet_pods.go " +
		"getPhase",
	Implemented:  terminalPhase,
	Documented:   promised(terminalPhase),
	Promise:      "A pod whose containers have all ended, one of them in failure, and are not restarted is Failed.",
	DocumentedAt: "https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-phase",
}

// Rivals of the later lives.
var (
	// ResultRunOneLater is ResultRunOne seen from the start of a later life.
	ResultRunOneLater = Rival{
		Name: ResultRunOne.Name, Reference: ResultRunOne.Reference,
		Would: func(in Input) Window { return laterKill(in, in.laterLives(in.Probe.FailureThreshold-1)) },
	}
	// NeverResetLater is NeverReset seen so.
	NeverResetLater = Rival{
		Name: NeverReset.Name, Reference: NeverReset.Reference,
		Would: func(in Input) Window { return laterKill(in, in.laterLives(1)) },
	}
)

// FirstTick is the time from a pod's status.startTime to the first probe of a container that starts within one period
// of it and has no initial delay.
var FirstTick = Formula{
	ID: "probes/first-tick",
	Says: "the tickers of all a pod's probes begin in its first sync, before its containers start; on a kubelet " +
		"older than one period, the first tick that finds a container is a period later",
	Source: "pkg/kubelet/kubelet.go SyncPod (SetPodStatus, AddPod, containerRuntime.SyncPod); " +
		"pkg/kubelet/prober/worker.go run",
	Implemented: func(in Input) Window { return firstTick(in, exactly("period", in.Probe.period())) },
}

func firstTick(in Input, tick Term) Window {
	return span(tick,
		upTo("start time cut to whole seconds", startTruncation),
		upTo("cgroups, folders and volumes before", podPrepared),
		upTo("probe on its way", in.Probe.arrival()),
		upTo("tick to tick", tickJitter))
}

// FirstTickAtRandom waits a random part of the period before its first probe, however long the kubelet has run. If
// the container does not exist yet, another period passes.
var FirstTickAtRandom = Rival{
	Name:      "a random part of the period passes before the first probe, not only on a kubelet that has just started",
	Reference: "kubernetes#62036",
	Would: func(in Input) Window {
		return firstTick(in, between("random part of a period", 0, in.Probe.period()+containerSeen))
	},
}

// containerSeen is how long after its pod's first sync a container's probes may not find it: its sandbox, its start
// and the PLEG's relist.
const containerSeen = sandboxStart + containerStart + plegRelist
