package formula

import "time"

// LaterFirstProbe is the time from the start of a life after a probe's kill to its first probe.
var LaterFirstProbe = Formula{
	ID:          "probes/later-first-probe",
	Description: "the ticker continues during a restart, so the probe comes at its first tick after the initial delay",
	Source:      "pkg/kubelet/prober/worker.go run, doProbe",
	Implemented: laterFirstProbe,
	Documented: promised(func(in Input) Window {
		if in.Probe.PeriodSeconds > in.Probe.InitialDelaySeconds {
			in.Probe.InitialDelaySeconds = 0
		}
		return firstProbe(in)
	}),
	Promise:      "Probes begin initialDelaySeconds after the start. A greater periodSeconds replaces the delay.",
	DocumentedAt: configureProbesPage,
	Issues:       issues("website#48519"),
}

// LaterProbe is LaterFirstProbe if the documentation's two sentences about the delay agree.
var LaterProbe = Formula{
	ID:           "probes/later-probe",
	Description:  LaterFirstProbe.Description,
	Source:       LaterFirstProbe.Source,
	Implemented:  laterFirstProbe,
	Documented:   promised(firstProbe),
	Promise:      FirstProbe.Promise,
	DocumentedAt: configureProbesPage,
}

func laterFirstProbe(in Input) Window {
	ticks := in.restartTicks()
	return span(between("ticks since the probe that killed the life before", ticks.Low, ticks.High),
		in.lessRestart(),
		in.Probe.ways(),
		jitter)
}

// lessRestart returns the restart, which the probes' ticks do not start from.
func (in Input) lessRestart() Term {
	late := in.lateRestart()
	return between("less the restart", -in.Restart-late, -in.Restart+late)
}

// LaterProbeKills is the time from the start of a life after a probe's kill to its SIGTERM.
var LaterProbeKills = Formula{
	ID:          "probes/later-start-to-kill",
	Description: "a later life is killed failureThreshold periods after the last killing probe",
	Source:      "pkg/kubelet/prober/worker.go run, doProbe; pkg/kubelet/kubelet.go syncLoopIteration",
	Implemented: func(in Input) Window { return in.anyNeeded(laterKill) },
	Documented: promised(func(in Input) Window {
		return startToKill(in, in.Probe.FailureThreshold)
	}),
	Promise:      ProbeKills.Promise,
	DocumentedAt: probesPage,
}

func laterKill(in Input, failures int) Window {
	ticks := in.restartTicks()
	return span(
		between("ticks from the probe that killed the life before to the first of this one", ticks.Low, ticks.High),
		in.lessRestart(),
		exactly("further failing probes, a period apart", time.Duration(failures-1)*in.Probe.cadence()),
		exactly("the last probe itself", in.Probe.Takes),
		between("the killing probe's way", -in.Probe.arrival(), 0),
		jitter,
		synced)
}

// FinishedFailed is the time from the death of a container that is not restarted to the phase Failed.
var FinishedFailed = documented(Formula{
	ID:          "probes/never-restarted",
	Description: "with restartPolicy Never a container that a probe kills ends its pod",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions; pkg/kubelet/kubelet_pods.go " +
		"getPhase",
	Implemented:  always(terminalPhase),
	Promise:      "A pod is Failed whose containers have all ended, one of them in failure.",
	DocumentedAt: lifecyclePage + "#pod-phase",
})

// FirstTick is the time from status.startTime to the first probe without an initial delay, if the container starts
// within one period.
var FirstTick = Formula{
	ID: "probes/first-tick",
	Description: "the tickers of a pod's probes begin in its first sync, so the first tick that finds a container is a " +
		"period later",
	Source: "pkg/kubelet/kubelet.go SyncPod (SetPodStatus, AddPod, containerRuntime.SyncPod); " +
		"pkg/kubelet/prober/worker.go run",
	Implemented: func(in Input) Window { return firstTick(in, exactly("period", in.Probe.period())) },
}

func firstTick(in Input, tick Term) Window {
	return span(tick,
		upTo("start time cut to whole seconds", startTruncation),
		upTo("cgroups, folders and volumes before", podPrepared),
		in.Probe.way(),
		upTo("tick to tick", tickJitter))
}

// FirstTickAtRandom waits a random part of the period before its first probe, or another period if there is no
// container yet.
var FirstTickAtRandom = mistake(
	"a random part of the period passes before the first probe, not only on a kubelet that has just started",
	"kubernetes#62036", func(in Input) Window {
		return firstTick(in, between("random part of a period", 0, in.Probe.period()+containerSeen))
	})

// containerSeen is how long after a pod's first sync its probes may not find a container.
const containerSeen = sandboxStart + containerStart + PLEGRelist
