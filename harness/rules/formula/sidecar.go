package formula

import (
	"slices"
	"time"
)

const sidecarsPage = "https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#" +
	"sidecar-containers-and-pod-lifecycle"

// turn returns how long after the kill's beginning a sidecar's stop signal is due: when its hook is over and the
// containers before it are dead, or when its grace period ends, counted from the hook's end.
func (in Input) turn() Range {
	var turns []time.Duration
	for _, p := range in.hookPoints() {
		own := p + seconds(max(0, in.grace()-int64(p/time.Second)))
		if in.Turn < 0 || in.LaterStopped {
			turns = append(turns, own)
			continue
		}
		for _, turn := range []time.Duration{in.Turn - in.Delay, in.Turn + in.Delay} {
			turns = append(turns, min(own, max(p, turn)))
		}
	}
	return Range{Low: slices.Min(turns), High: slices.Max(turns)}
}

// hookPoints returns the hook's shortest and longest duration, and both sides of each whole second between them, at
// which the rest of a wait jumps.
func (in Input) hookPoints() []time.Duration {
	p := in.hookPart()
	points := []time.Duration{p.Low, p.High}
	for whole := p.Low.Truncate(time.Second) + time.Second; whole <= p.High; whole += time.Second {
		points = append(points, whole-1, whole)
	}
	return points
}

// waited returns what the kubelet can have measured of a sidecar's wait after a hook of p.
func (in Input) waited(p time.Duration) Range {
	left := max(0, seconds(in.grace()-int64(p/time.Second)))
	w, by := in.SinceKill-p, waitSeen+in.Delay
	return Range{Low: min(left, max(0, w-by)), High: min(left, max(0, w+by))}
}

// SidecarSignal is the time from the first sign of the pod's kill to a sidecar's SIGTERM.
var SidecarSignal = Formula{
	ID: "sidecars/signal",
	Description: "SIGTERM comes when main containers, later sidecars and the own hook have ended, or at the end of the " +
		"grace period",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_termination_order.go waitForTurn; kuberuntime_container.go " +
		"killContainer",
	Implemented: func(in Input) Window {
		in.LaterStopped = in.LaterStopped && !in.Kubelet.Has(StoppedNotWaitedFor)
		return sidecarSignal(in)
	},
	Documented: promised(func(in Input) Window {
		in.LaterStopped = false
		return sidecarSignal(in)
	}),
	Promise:      "Sidecars end after the main containers, in reverse order, or at the end of the grace period.",
	DocumentedAt: sidecarsPage,
	Issues: func(in Input) string {
		if in.LaterStopped && !in.Kubelet.Has(StoppedNotWaitedFor) {
			return "kubernetes#125880"
		}
		return NoIssueKnown
	},
}

// sidecarSignal waits for a stopped sidecar until the end of the grace period, if in.LaterStopped is set.
func sidecarSignal(in Input) Window {
	turn := in.turn()
	return span(between("its turn", turn.Low, turn.High),
		between("the first sign's way", -runtimeLatency, 0),
		upTo("exit of those before", runtimeLatency),
		atRuntime)
}

// SidecarRemainder is the time from a sidecar's SIGTERM to the death of a process that ignores it.
var SidecarRemainder = Formula{
	ID:          "sidecars/remainder",
	Description: "a sidecar has what its hook and its wait left of the grace period, in whole seconds, at least two",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_container.go killContainer; kuberuntime_termination_order.go " +
		"waitForTurn",
	Implemented: func(in Input) Window {
		var left []time.Duration
		for _, p := range in.hookPoints() {
			waited := in.waited(p)
			for _, w := range []time.Duration{waited.Low, waited.High} {
				left = append(
					left,
					seconds(max(in.minimum(), in.grace()-int64(p/time.Second)-int64(w/time.Second))),
				)
			}
		}
		return fromSignal(between("grace that hook and wait left, at least 2 s", slices.Min(left), slices.Max(left)))
	},
	Documented: func(in Input) *Window {
		left := seconds(in.requested()) - in.SinceKill
		if in.undocumented() || left <= waitSeen {
			return nil // at the end of the grace period comes "a short grace period", which has no number
		}
		return new(fromSignal(between(
			"the pod's grace period that is left, with the fraction of a second or without",
			left,
			seconds(in.requested())-in.SinceKill.Truncate(time.Second),
		)))
	},
	Promise: "All containers of a pod share its grace period. At its end those that still run are terminated, with a " +
		"short grace period.",
	DocumentedAt: "https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#termination-with-sidecars",
	Issues:       issues(NoIssueKnown),
}

// SidecarGrace is the time from the first sign of the pod's kill to the death of a sidecar that ignores SIGTERM.
var SidecarGrace = Formula{
	ID: "sidecars/grace-from-kill",
	Description: "hook, wait and what they leave are the grace period or more: whole seconds are subtracted, so two " +
		"fractions are not, and two seconds are the least",
	Source: SidecarRemainder.Source,
	Implemented: func(in Input) Window {
		grace, more := max(0, seconds(in.grace())), 2*time.Second // of less than a second each
		if in.Turn < 0 || in.turn().High+seconds(in.minimum()+1) > grace {
			more += time.Second // the least comes after the wait's whole seconds
		}
		return fromSignal(
			between("the first sign's way", -runtimeLatency, 0),
			between("grace period, and fractions of a second", grace, grace+more),
		)
	},
}

// SidecarHook is the time from the first sign of a pod's kill to the start of a sidecar's hook.
var SidecarHook = Formula{
	ID:          "sidecars/hooks-in-parallel",
	Description: "the hooks of sidecars begin with the pod's kill, not with their turn",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_container.go killContainer (executePreStopHook comes before " +
		"waitForTurn)",
	Implemented: func(in Input) Window {
		return span(between("runtime", -runtimeLatency, runtimeLatency),
			between("start of the hook", -HookStart(in.Kill.Hook), HookStart(in.Kill.Hook)),
		)
	},
}

// SidecarsAfterMain is the time from the last main container's death, for good, to the first sign of a sidecar's kill.
var SidecarsAfterMain = Formula{
	ID:          "sidecars/after-completion",
	Description: "a pod whose main containers have ended for good has ended, and its sidecars are killed",
	Source:      "pkg/kubelet/kubelet.go SyncPod (terminal phase); pkg/kubelet/pod_workers.go completeSync",
	Implemented: always(span(relist, synced, upTo("PLEG relist of the ended pod", PLEGRelist), atRuntime)),
}

// StartsAfterSidecar is the time from a sidecar's first successful startup probe to the next container's start.
var StartsAfterSidecar = documented(Formula{
	ID:          "sidecars/next-start",
	Description: "the container after a sidecar starts when the sidecar's startup probe has succeeded",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_container.go computeInitContainerActions; " +
		"pkg/kubelet/kubelet.go syncLoopIteration (startupManager.Updates)",
	Implemented:  always(span(upTo("answer on its way", apiRequest), synced, relist, started)),
	Promise:      "The next container starts when the kubelet has set the sidecar's started status.",
	DocumentedAt: sidecarsPage,
})

// StartsBesideCrashed is how many lives the main container has had of a pod that is never restarted, after the start of
// a sidecar that had crashed before its startup probe succeeded.
var StartsBesideCrashed = Formula{
	ID: "sidecars/start-beside-crashed",
	Description: "a sidecar that crashed keeps its startup probe in a pod that is never restarted, so the next " +
		"container starts; in old patches it never did",
	Source: "pkg/kubelet/prober/worker.go doProbe (isRestartableInitContainer); " +
		"pkg/kubelet/prober/prober_manager.go AddPod",
	Implemented: func(in Input) Window {
		if in.Kubelet.Has(SidecarsProbedAgain) {
			return count("lives", 1)
		}
		return count("lives", 0)
	},
	Documented:   promised(always(count("lives", 1))),
	Promise:      StartsAfterSidecar.Promise,
	DocumentedAt: sidecarsPage,
	Issues:       issues("kubernetes#132826"),
}

// SidecarsStartAgain is the time from a sidecar's restart to that of the next one, if both ended during one sync.
var SidecarsStartAgain = Formula{
	ID:          "sidecars/start-again-in-order",
	Description: "sidecars that ended during one sync start again in the order of the specification",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_container.go computeInitContainerActions (InitContainersToStart); " +
		"pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod",
	Implemented: always(span(started)),
}

// SidecarStaysDown is how many lives a sidecar has had that ended while its pod terminates.
var SidecarStaysDown = Formula{
	ID:          "sidecars/stays-down",
	Description: "a sidecar that ends by itself while its pod terminates is not started again",
	Source:      "pkg/kubelet/pod_workers.go podWorkerLoop (a terminating pod has no SyncPod)",
	Implemented: func(in Input) Window { return count("lives", in.Life) },
}

// UnheededFailures is how many probes of a sidecar fail while its pod terminates, if all fail from some time on.
var UnheededFailures = Formula{
	ID: "sidecars/unheeded-failures",
	Description: "up to 1.37 a terminating pod's sidecar is probed until failureThreshold failures, which kill " +
		"nobody; since 1.38 it is probed no more",
	Source: "pkg/kubelet/kubelet.go SyncTerminatingPod; pkg/kubelet/prober/prober_manager.go StopLivenessAndStartup; " +
		"pkg/kubelet/prober/worker.go doProbe (onHold)",
	Implemented: func(in Input) Window {
		if in.Kubelet.Has(SidecarProbesStop) {
			return count("failures", 0)
		}
		return count("failures", in.Probe.FailureThreshold)
	},
}

// Mistakes of the sidecar formulas.
var (
	// NoOrder kills sidecars with the main containers.
	NoOrder = distorted("no order: sidecars are killed with the main containers", "KEP-753", func(in Input) Input {
		in.Turn, in.LaterStopped = 0, false
		return in
	})
	// NoOrderAmongSidecars ends all sidecars together.
	NoOrderAmongSidecars = distorted(
		"no order among sidecars: all are ended when the main containers are dead", "KEP-753", func(in Input) Input {
			in.Turn, in.LaterStopped = in.MainsTurn, false
			return in
		})
	// StuckOrder waits for a container that does not run.
	StuckOrder = distorted("the sidecar waits for its turn until the grace period is over", "kubernetes#125880",
		func(in Input) Input {
			in.Turn = -1
			return in
		})
	// WholeGraceForSidecar gives every sidecar the whole grace period again.
	WholeGraceForSidecar = mistake("a sidecar has the whole grace period from its own SIGTERM on", "KEP-753",
		func(in Input) Window {
			p := in.hookPart()
			return fromSignal(between("grace that the hook left", in.remainder(p.High), in.remainder(p.Low)))
		})
	// ExactRemainder subtracts hook and wait with their fractions.
	ExactRemainder = Mistake{
		Name:         "hook and wait are subtracted with their fractions of a second",
		Reference:    "kuberuntime_termination_order.go waitForTurn",
		WholeSeconds: true,
		Would: func(in Input) Window {
			return fromSignal(exactly(
				"grace that is left",
				max(minimumGracePeriodInSeconds*time.Second, seconds(in.grace())-in.SinceKill),
			))
		},
	}
)
