package formula

import "time"

// Released is the time from the first successful startup probe to the first liveness or readiness probe of the life.
var Released = Formula{
	ID: "probes/released-by-startup",
	Says: "the startup probe's success releases the other probes at their own next tick; their initial delay " +
		"counts from the container's start",
	Source: "pkg/kubelet/prober/worker.go doProbe",
	Implemented: func(in Input) Window {
		delay, way := in.delayTerm(), in.Probe.arrival()
		left := func(d int64) time.Duration { return max(0, time.Duration(d)-in.StartedUp) }
		return span(between(
			"what is left of the initial delay", left(delay.Earliest), max(seesNewContainer, left(delay.Latest)),
		),
			between("phase of the probe's ticker", 0, in.Probe.period()),
			between("probes on their way", -way, way),
		)
	},
	Documented: promised(func(in Input) Window {
		way := in.Probe.arrival()
		return span(between("initial delay", in.Probe.initialDelay(), max(seesNewContainer, in.Probe.initialDelay())),
			between("phase of the probe's ticker", 0, in.Probe.period()),
			between("probes on their way", -way, way))
	}),
	Promise:      "The initial delays of liveness and readiness probes begin when the startup probe has succeeded.",
	DocumentedAt: configureProbesPage,
	Issues:       issues("website#42539, website#48519, kubernetes#119617"),
}

// StartupOnce is how many successful startup probes a life saw before the first liveness probe.
var StartupOnce = Formula{
	ID:     "probes/startup-succeeds-once",
	Says:   "the startup probe does not run again after its success",
	Source: "pkg/kubelet/prober/worker.go doProbe (onHold after a startup verdict)",
	Implemented: func(in Input) Window {
		extra := int64(1)
		if in.Kubelet.Has(StartupHolds) {
			extra = 0
		}
		return window(Count,
			Term{Name: "success", Earliest: 1, Latest: 1},
			Term{Name: "a startup probe before its success is seen", Latest: extra})
	},
	Documented:   promised(always(count("success", 1))),
	Promise:      "A startup probe is executed at startup only, until it succeeds.",
	DocumentedAt: probesPage,
	Issues:       issues("kubernetes#117153"),
}

// StartupGoesOn is a startup probe that is not put on hold by its success, as up to 1.28: it runs once more if its
// next tick comes before the status shows the success.
var StartupGoesOn = Rival{
	Name: "the startup probe is not put on hold by its success", Reference: "kubernetes#117153",
	Would: always(count("successes", 2)),
}

// StartupAgain is the time from the start of a life after a liveness probe's kill to its first startup probe.
var StartupAgain = Formula{
	ID: "probes/startup-again",
	Says: "a restarted container's startup probe comes at the first tick after its initial delay; if the container " +
		"inherits the last one's started flag, that tick may only reset the flag, and the probe comes at the next",
	Source: "pkg/kubelet/prober/worker.go doProbe (the worker of a started container's startup probe goes on for the " +
		"next container); pkg/kubelet/prober/prober_manager.go isContainerStarted",
	Implemented: func(in Input) Window {
		w := firstProbe(in)
		if in.Kubelet.Has(StartedInherited) {
			w = w.With(upTo("a tick that only resets the inherited flag", in.Probe.period()))
		}
		return w
	},
	Documented:   promised(firstProbe),
	Promise:      "A container that is restarted runs its startup probe again before its other probes.",
	DocumentedAt: probesPage,
	Issues:       issues("kubernetes#101064, kubernetes#102230, kubernetes#141155"),
}

// StartupFirst is how many liveness probes come before the first startup probe of a life after a liveness probe's
// kill.
var StartupFirst = Formula{
	ID: "probes/startup-first-after-restart",
	Says: "a restarted container sees its startup probe first; if it inherits the last one's started flag, " +
		"liveness probes come until the startup probe's next tick",
	Source: "pkg/kubelet/prober/prober_manager.go isContainerStarted; worker.go doProbe",
	Implemented: func(in Input) Window {
		if !in.Kubelet.Has(StartedInherited) {
			return count("liveness probes", 0)
		}
		low, high := in.unheld()
		return window(
			Count, Term{Name: "liveness probes until the startup probe's next tick", Earliest: low, Latest: high},
		)
	},
	Documented:   promised(always(count("liveness probes", 0))),
	Promise:      "Other probes are off until the startup probe succeeds.",
	DocumentedAt: probesPage,
	Issues:       issues("kubernetes#141155"),
}

// unheld counts the ticks of the probe from when a new container becomes visible to the startup worker's next tick.
// Both tickers continue during the restart: the probe's own since its last probe, the startup probe's since its
// success.
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
	next := func(from time.Duration) time.Duration { // the startup worker's first tick after
		t := gate - in.SinceStartup
		for t <= from {
			t += gate
		}
		return t
	}
	first, last := next(-tickJitter), next(seesNewContainer+tickJitter)
	// The initial delay also holds a probe back.
	delay := in.delayTerm()
	soonest, latest := time.Duration(delay.Earliest)-tickJitter, time.Duration(delay.Latest)
	low = min(ticks(latest, first-tickJitter), ticks(latest, next(seesNewContainer)-tickJitter))
	high = ticks(soonest, max(first, last)+tickJitter)
	return low, max(low, high)
}

// GateKept is how many liveness probes reach a life whose startup probe never succeeds, in Input.Watched after its
// start, if its kubelet restarts meanwhile.
var GateKept = Formula{
	ID: "probes/startup-gate-over-kubelet-restart",
	Says: "a restarted kubelet takes a running container for started until the startup probe's worker reports " +
		"otherwise, which may never happen",
	Source: "pkg/kubelet/kubelet.go SyncPod (status before AddPod); pkg/kubelet/prober/prober_manager.go " +
		"isContainerStarted; " +
		"worker.go doProbe (no initial result for a container older than the kubelet)",
	Implemented: func(in Input) Window {
		if len(in.Restarts) == 0 || len(in.Lives) == 0 {
			return count("liveness probes", 0)
		}
		// Whatever the gate, no probe comes before its delay is over.
		delayed, restarted := in.Lives[0].Started+in.Probe.initialDelay(), in.Restarts[0]+kubeletStart
		if !in.Kubelet.Has(StartedKept) {
			if delayed >= restarted+in.Probe.period() {
				return count("liveness probes before the startup worker's first tick", 0)
			}
			return window(Count, Term{Name: "a liveness probe before the startup worker's first tick", Latest: 1})
		}
		end := in.Lives[0].Started + in.Watched
		ticks := func(span time.Duration) int64 { return max(0, int64((span+in.Probe.period())/in.Probe.period())) }
		return window(Count, Term{
			Name:     "a liveness probe each period since the kubelet's restart",
			Earliest: ticks(end - max(delayed, restarted) - in.Probe.period() - tickJitter),
			Latest:   ticks(end - max(delayed, in.Restarts[0]) + tickJitter),
		})
	},
	Documented:   promised(always(count("liveness probes", 0))),
	Promise:      "Other probes are off until the startup probe succeeds.",
	DocumentedAt: probesPage,
	Issues:       issues("kubernetes#142305"),
}

// AfterKubeletStart is the time from the start of a kubelet's process to the first probe that it sends.
var AfterKubeletStart = Formula{
	ID:     "probes/after-kubelet-start",
	Says:   "a kubelet younger than one period waits a random part of it before its first probe",
	Source: "pkg/kubelet/prober/worker.go run",
	Implemented: func(in Input) Window {
		return span(upTo("the kubelet's start", kubeletStart),
			upTo("random part of a period", in.Probe.period()),
			upTo("probe on its way", in.Probe.arrival()))
	},
}

// TickToTick is the time from one successful probe to the next.
var TickToTick = Formula{
	ID:          "probes/tick-to-tick",
	Says:        "probes are a period apart",
	Source:      "pkg/kubelet/prober/worker.go run",
	Implemented: tickToTick,
	Documented:  promised(tickToTick),
	Promise:     "A probe is performed every periodSeconds.", DocumentedAt: configureProbesPage,
}

func tickToTick(in Input) Window {
	way := in.Probe.arrival()
	return span(exactly("period", in.Probe.cadence()),
		between("probes on their way", -way, way),
		between("tick to tick", -tickJitter, tickJitter))
}
