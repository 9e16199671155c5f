package formula

import "time"

// Released is the time from the first successful startup probe to the first other probe.
var Released = Formula{
	ID:          "probes/released-by-startup",
	Description: "the startup probe's success releases the other probes; their delays count from the start",
	Source:      "pkg/kubelet/prober/worker.go doProbe",
	Implemented: func(in Input) Window {
		delay := in.delayTerm()
		left := func(d int64, late time.Duration) time.Duration {
			return max(0, time.Duration(d)-in.StartedUp+late)
		}
		return span(between(
			"what is left of the initial delay",
			left(delay.Earliest, -in.Delay),
			max(seesNewContainer, left(delay.Latest, in.Delay)),
		),
			in.Probe.phase(),
			in.Probe.ways(),
		)
	},
	Documented: promised(func(in Input) Window {
		return span(between("initial delay", in.Probe.initialDelay(), max(seesNewContainer, in.Probe.initialDelay())),
			in.Probe.phase(),
			in.Probe.ways())
	}),
	Promise:      "The initial delays of liveness and readiness probes begin when the startup probe has succeeded.",
	DocumentedAt: configureProbesPage,
	Issues:       issues("website#42539, kubernetes#119617"),
}

// StartupOnce is how many successful startup probes come before the first liveness probe.
var StartupOnce = Formula{
	ID:          "probes/startup-succeeds-once",
	Description: "the startup probe does not run again after its success",
	Source:      "pkg/kubelet/prober/worker.go doProbe (onHold after a startup verdict)",
	Implemented: func(in Input) Window {
		extra := int64(1)
		if in.Kubelet.Has(StartupHolds) {
			extra = 0
		}
		return window(Count,
			Term{Name: "success", Earliest: 1, Latest: 1},
			Term{Name: "a startup probe before its success is seen", Latest: extra})
	},
	Documented: promised(always(count("success", 1))),
	Promise:    "A startup probe is executed at startup only, until it succeeds.", DocumentedAt: probesPage,
	Issues: issues("kubernetes#117153"),
}

// StartupGoesOn runs once more if its next tick comes before the status shows the success, as up to 1.28.
var StartupGoesOn = mistake("the startup probe is not put on hold by its success", "kubernetes#117153",
	always(count("successes", 2)))

// StartupAgain is the time from the start of a life after a liveness kill to its first startup probe.
var StartupAgain = Formula{
	ID: "probes/startup-again",
	Description: "a restarted container's startup probe comes at the first tick after its delay; an inherited started flag " +
		"can cost one tick",
	Source: "pkg/kubelet/prober/worker.go doProbe (the worker of a started container's startup probe goes on for the " +
		"next container); pkg/kubelet/prober/prober_manager.go isContainerStarted",
	Implemented: func(in Input) Window {
		w := firstProbe(in)
		if in.Kubelet.Has(StartedInherited) {
			w = w.With(upTo("a tick that only resets the inherited flag", in.Probe.period()))
		}
		return w
	},
	Documented: promised(firstProbe),
	Promise:    "A restarted container runs its startup probe again before its other probes.", DocumentedAt: probesPage,
	Issues: issues("kubernetes#101064, kubernetes#102230, kubernetes#141155"),
}

// StartupFirst is how many liveness probes come before a restarted container's first startup probe.
var StartupFirst = Formula{
	ID:          "probes/startup-first-after-restart",
	Description: "the startup probe comes first, unless the container inherits the last one's started flag",
	Source:      "pkg/kubelet/prober/prober_manager.go isContainerStarted; worker.go doProbe",
	Implemented: func(in Input) Window {
		if !in.Kubelet.Has(StartedInherited) {
			return count("liveness probes", 0)
		}
		low, high := in.unheld()
		return window(
			Count, Term{Name: "liveness probes until the startup probe's next tick", Earliest: low, Latest: high},
		)
	},
	Documented: promised(always(count("liveness probes", 0))),
	Promise:    "Other probes are off until the startup probe succeeds.", DocumentedAt: probesPage,
	Issues: issues("kubernetes#141155"),
}

// unheld counts the probe's ticks from when a new container is visible to the startup worker's next tick. Both tickers
// continue during the restart.
func (in Input) unheld() (low, high int64) {
	period, gate := in.Probe.period(), in.Startup.period()
	if period <= 0 || gate <= 0 {
		return 0, 0
	}
	// ticks of the probe in (from, to), times since the life's start.
	ticks := func(from, to time.Duration) int64 {
		n := int64(0)
		for t := period - in.Restart; t < to; t += period {
			if t > from {
				n++
			}
		}
		return n
	}
	next := in.startupTick
	first, last := in.startupTicks()
	// The initial delay also holds a probe back.
	delay := in.delayTerm()
	if in.Delay > 0 {
		return 0, in.ticksIn(gate+seesNewContainer+2*tickJitter+in.Delay) + 1
	}
	soonest, latest := time.Duration(delay.Earliest)-tickJitter, time.Duration(delay.Latest)
	low = min(ticks(latest, first-tickJitter), ticks(latest, next(seesNewContainer)-tickJitter))
	high = ticks(soonest, max(first, last)+tickJitter)
	return low, max(low, high)
}

// startupTick returns the first tick of the startup probe's worker after a time since the life's start. Its ticker
// continues during the restart.
func (in Input) startupTick(from time.Duration) time.Duration {
	t, period := in.Startup.period()-in.SinceStartup, in.Startup.period()
	for t <= from {
		t += period
	}
	return t
}

// startupTicks returns the first and the last one of these ticks that can be the first to see the new container.
func (in Input) startupTicks() (first, last time.Duration) {
	return in.startupTick(-tickJitter), in.startupTick(seesNewContainer + tickJitter)
}

// GateKept is how many liveness probes a life that never starts up sees in Input.Watched, over a kubelet restart.
var GateKept = Formula{
	ID: "probes/startup-gate-over-kubelet-restart",
	Description: "a restarted kubelet takes a running container for started until the startup probe's worker reports " +
		"otherwise",
	Source: "pkg/kubelet/kubelet.go SyncPod (status before AddPod); pkg/kubelet/prober/prober_manager.go " +
		"isContainerStarted; " +
		"worker.go doProbe (no initial result for a container older than the kubelet)",
	Implemented: func(in Input) Window {
		if len(in.Restarts) == 0 || len(in.Lives) == 0 {
			return count("liveness probes", 0)
		}
		// With or without the gate, no probe comes before its delay is over.
		delayed, restarted := in.Lives[0].Started+in.Probe.initialDelay(), in.Restarts[0]+kubeletStart
		if !in.Kubelet.Has(StartedKept) {
			if delayed >= restarted+in.Probe.period()+in.Delay {
				return count("liveness probes before the startup worker's first tick", 0)
			}
			return window(Count, Term{Name: "a liveness probe before the startup worker's first tick", Latest: 1})
		}
		end := in.Lives[0].Started + in.Watched
		ticks := func(span time.Duration) int64 { return max(0, int64((span+in.Probe.period())/in.Probe.period())) }
		return window(Count, Term{
			Name:     "a liveness probe each period since the kubelet's restart",
			Earliest: ticks(end - max(delayed, restarted) - in.Probe.period() - tickJitter - in.Delay),
			Latest:   ticks(end - max(delayed, in.Restarts[0]) + tickJitter + in.Delay),
		})
	},
	Documented: promised(always(count("liveness probes", 0))),
	Promise:    "Other probes are off until the startup probe succeeds.", DocumentedAt: probesPage,
	Issues: issues("kubernetes#142305"),
}

// SidecarHeeded is how many lives a container has had, soon after its end under a restarted kubelet: that of a sidecar
// with a startup probe, whose liveness probe failed for good, or that of a main container beside one.
var SidecarHeeded = Formula{
	ID: "probes/sidecar-heeded-after-kubelet-restart",
	Description: "a restarted kubelet knows that a sidecar with a startup probe has started: a liveness probe that " +
		"fails kills and restarts it, and a main container that crashes restarts",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_container.go computeInitContainerActions (startupManager, before " +
		"livenessManager); pkg/kubelet/prober/worker.go doProbe (results.Success of a container that had started)",
	Implemented: func(in Input) Window {
		if in.Kubelet.Has(SidecarStartLost) {
			return count("lives", 1)
		}
		return count("lives", 2)
	},
	Documented:   promised(always(count("lives", 2))),
	Promise:      "A container whose liveness probe fails failureThreshold times in a row is restarted.",
	DocumentedAt: probesPage,
	Issues:       issues("kubernetes#136910"),
}

// AfterKubeletStart is the time from the start of a kubelet's process to its first probe.
var AfterKubeletStart = Formula{
	ID:          "probes/after-kubelet-start",
	Description: "a kubelet younger than one period waits a random part of it before its first probe",
	Source:      "pkg/kubelet/prober/worker.go run",
	Implemented: func(in Input) Window {
		return span(upTo("the kubelet's start", kubeletStart),
			upTo("random part of a period", in.Probe.period()),
			in.Probe.way())
	},
}

// TickToTick is the time from one successful probe to the next.
var TickToTick = documented(Formula{
	ID:          "probes/tick-to-tick",
	Description: "probes are a period apart",
	Source:      "pkg/kubelet/prober/worker.go run",
	Implemented: tickToTick,
	Promise:     "A probe is performed every periodSeconds.", DocumentedAt: configureProbesPage,
})

func tickToTick(in Input) Window {
	return span(exactly("period", in.Probe.cadence()),
		in.Probe.ways(),
		jitter)
}
