package formula

import "time"

// Remainder is the time from SIGTERM to the death of a process that ignores it.
var Remainder = Formula{
	ID:          "termination/remainder",
	Description: "SIGKILL comes at the end of the grace period that the hook left, at least two seconds after SIGTERM",
	Source:      "pkg/kubelet/kuberuntime/kuberuntime_container.go killContainer, executePreStopHook",
	Implemented: func(in Input) Window {
		return fromSignal(in.remainderTerm())
	},
	Documented: func(in Input) *Window {
		requested := in.requested()
		if in.undocumented() {
			return nil
		}
		all := seconds(requested)
		p := in.hookPart()
		// The page counts grace in whole seconds and leaves open whether the fraction that a hook took is lost. If it
		// counted as lost, every hook of half a second would be on the window's edge.
		rest := between(
			"grace period less the hook's time, with its fraction of a second or without",
			all-p.High,
			all-p.Low.Truncate(time.Second),
		)
		if extension := in.extension(); extension.Latest > 0 {
			rest = Term{Name: extension.Name, Earliest: extension.Earliest, Latest: max(extension.Latest, rest.Latest)}
		}
		return new(fromSignal(rest))
	},
	Promise: "The hook's time is part of the grace period. A hook that still runs at its end gets two seconds, once.",
	Issues:  Input.graceIssues,

	DocumentedAt: terminationPage,
}

// ProbeGraceIgnored is [Remainder] after a probe's kill that leaves nothing of the pod to run, if the probe has a grace
// period of its own.
var ProbeGraceIgnored = Formula{
	ID:          "termination/probe-grace-ignored",
	Description: "a probe's own grace period is ignored if its kill ends the whole pod: the pod's grace period counts",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions (KillPod), SyncPod " +
		"(killPodWithSyncResult); kuberuntime_container.go killRunningPodContainers (reasonUnknown), " +
		"setTerminationGracePeriod",
	Implemented:  Remainder.Implemented,
	Documented:   Remainder.Documented,
	Promise:      "If both are set, the kubelet uses the probe's grace period, not the pod's.",
	DocumentedAt: probeTasksPage + "#probe-level-terminationgraceperiodseconds",
	Issues:       issues(NoIssueKnown),
}

// KillLength is the time from a delete request to the death of a process that ignores SIGTERM.
var KillLength = Formula{
	ID:          "termination/kill-length",
	Description: "from the delete to the death the grace period passes, in which the hook counts in whole seconds",
	Source:      "pkg/kubelet/kuberuntime/kuberuntime_container.go killContainer; pkg/kubelet/pod_workers.go podWorkerLoop",
	Implemented: func(in Input) Window {
		return fromDelete(in.hookTerm(), in.remainderTerm())
	},
	Documented: func(in Input) *Window {
		// Promise and code look the same for a grace period below the minimum of two seconds.
		if in.undocumented() || in.requested() < minimumGracePeriodInSeconds {
			return nil
		}
		all := seconds(in.requested())
		terms := append(deleteToKill(), exactly("grace period", all))
		p := in.hookPart()
		if extension := in.extension(); extension.Latest > 0 {
			terms = append(terms, extension)
		} else if in.RunsHook() {
			terms = append(
				terms, upTo("the fraction of a second that the hook took", p.High-p.Low.Truncate(time.Second)),
			)
		}
		return new(span(terms...))
	},
	Promise:      Remainder.Promise,
	DocumentedAt: terminationPage,
	Issues:       Remainder.Issues,
}

// KillStart is the time from a delete request to the kill's first sign: the hook, or SIGTERM without one.
var KillStart = Formula{
	ID:          "termination/kill-start",
	Description: "the kill begins when the kubelet sees the delete and has a new pod status",
	Source: "pkg/kubelet/pod_workers.go UpdatePod, podWorkerLoop (GetNewerThan); pkg/kubelet/kubelet.go " +
		"genericPlegRelistPeriod",
	Implemented: func(in Input) Window {
		terms := deleteToKill()
		switch in.Kill.Hook {
		case ExecHook:
			terms = append(terms, execStarts)
		case HTTPHook:
			terms = append(terms, upTo("start of the hook's request", HTTPStart))
		}
		return span(terms...)
	},
}

// HookBound is the time from the start of a hook that hangs to SIGTERM.
var HookBound = Formula{
	ID:          "termination/hook-bound",
	Description: "the kubelet waits for a preStop hook until the grace period is over, then sends SIGTERM",
	Source:      "pkg/kubelet/kuberuntime/kuberuntime_container.go executePreStopHook",
	Implemented: func(in Input) Window {
		return span(exactly("grace period", seconds(max(0, in.grace()))),
			in.hookBegan(),
			atRuntime)
	},
	Documented: func(in Input) *Window {
		if in.undocumented() {
			return nil
		}
		return new(span(exactly("grace period", seconds(in.requested())),
			in.hookBegan(),
			atRuntime))
	},
	Promise:      "The stop signal comes when the hook has finished, or when the grace period is over.",
	DocumentedAt: terminationPage,
}

// HookThenSignal is the time from the end of a preStop hook to SIGTERM.
var HookThenSignal = documented(Formula{
	ID:          "termination/hook-then-signal",
	Description: "SIGTERM follows the end of the preStop hook at once, even if the hook failed",
	Source:      "pkg/kubelet/kuberuntime/kuberuntime_container.go executePreStopHook",
	Implemented: func(in Input) Window {
		// On a busy node a hook may begin late, and end after SIGTERM by less.
		p := in.hookPart()
		late := -int64(p.High - p.Low + HookStart(in.Kill.Hook))
		return span(atRuntime).unless(in.Delay > 0 && p.High >= in.GracePeriod(), "hook cut off", late)
	},
	Promise:      "The hook must end before the TERM signal is sent.",
	DocumentedAt: "https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks/",
})

// SleepThenSignal is the time from a delete request to SIGTERM after the sleep action.
var SleepThenSignal = Formula{
	ID:          "termination/sleep-then-signal",
	Description: "the sleep action delays SIGTERM by its seconds, but not beyond the grace period",
	Source:      "pkg/kubelet/lifecycle/handlers.go runSleepHandler",
	Implemented: func(in Input) Window {
		p := in.hookPart()
		return fromDelete(between("sleep action", p.Low, p.High))
	},
	Documented: func(in Input) *Window {
		p := in.hookPart()
		return new(fromDelete(between("sleep action", p.Low, p.High)))
	},
	Promise:      "The sleep action pauses the container for the given number of seconds.",
	DocumentedAt: "https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks/",
}

// HookRuns is how many times the preStop hook runs for one kill.
var HookRuns = Formula{
	ID:          "termination/hook-runs",
	Description: "the preStop hook runs once for a kill, and not at all without a grace period",
	Source:      "pkg/kubelet/kuberuntime/kuberuntime_container.go killContainer (gracePeriod > 0)",
	Implemented: func(in Input) Window {
		if !in.RunsHook() {
			return count("runs", 0)
		}
		late := in.Delay+HookStart(in.Kill.Hook) >= in.GracePeriod()
		return count("run", 1).unless(late, "killed before its first mark", -1)
	},
	Documented: func(in Input) *Window {
		if in.undocumented() || in.requested() <= 0 {
			return nil
		}
		return new(count("run", 1))
	},
	Promise:      "A hook is generally delivered once.",
	DocumentedAt: "https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks/",
}

// StopSignals is how many SIGTERMs reach one life.
var StopSignals = Formula{
	ID:          "termination/stop-signals",
	Description: "the stop signal is sent once, and never if the grace period overflows",
	Source:      "containerd internal/cri/server/container_stop.go (a container remembers that it was stop-signalled)",
	Of:          Runtime,
	Implemented: func(in Input) Window {
		if in.Overflows() || in.Unstoppable() {
			return count("SIGTERM", 0)
		}
		late := in.Delay+signalDelivery >= minimumGracePeriodInSeconds*time.Second
		return count("SIGTERM", 1).unless(late, "killed before its handler ran", -1)
	},
}

// ObeyedSignal is the time from SIGTERM to the death of a process that exits on it. SIGKILL ends one that takes longer
// than its grace period.
var ObeyedSignal = Formula{
	ID:          "termination/obeyed-signal",
	Description: "a process that exits on SIGTERM is gone when it exits",
	Source:      "containerd internal/cri/server/container_stop.go",
	Of:          Runtime,
	Implemented: func(in Input) Window {
		if own := in.OwnDelay; own <= in.leftLeast() {
			return span(exactly("the process' own delay", own), upTo("exit", runtimeLatency))
		}
		return fromSignal(in.remainderTerm())
	},
}

// leftLeast and leftMost return the least and the greatest grace period that the hook may have left.
func (in Input) leftLeast() time.Duration { return in.remainder(in.hookPart().High) }
func (in Input) leftMost() time.Duration  { return in.remainder(in.hookPart().Low) }

// DeathCode is the exit code of a killed container.
var DeathCode = Formula{
	ID:          "termination/exit-code",
	Description: "a process that ignores SIGTERM ends with 137, one that obeys ends with its own code",
	Source:      "containerd exit status of the init process",
	Of:          Runtime,
	Implemented: func(in Input) Window {
		code := int64(137)
		if in.Obeys && !in.Overflows() && in.OwnDelay < in.leftMost() {
			code = int64(in.OwnExitCode)
		}
		w := window(ExitCode, Term{Name: "exit code", Earliest: code, Latest: code})
		late := in.Delay > 0 && in.Delay+signalDelivery+in.OwnDelay >= in.leftLeast()
		return w.unless(late, "killed before it obeyed", 137-code)
	},
}

// ObjectDeleted is the time from the death to the object's end after a graceful delete.
var ObjectDeleted = Formula{
	ID:          "deletion/object-after-death",
	Description: "the object disappears when the containers are dead and the volumes unmounted",
	Source:      "pkg/kubelet/status/status_manager.go syncPod, canBeDeleted; pkg/kubelet/kubelet.go SyncTerminatedPod",
	Implemented: func(in Input) Window {
		terms := []Term{tornDown}
		if !in.Kubelet.Has(FinishedDeletes) {
			terms = append(terms, upTo("status manager's periodic look", statusSyncPeriod))
		}
		return span(terms...)
	},
}

// ObjectForced is the time from a delete without a grace period to the object's end.
var ObjectForced = documented(Formula{
	ID:           "deletion/object-without-grace",
	Description:  "a delete without grace removes the object at once",
	Source:       "pkg/registry/core/pod/strategy.go CheckGracefulDelete",
	Of:           APIServer,
	Implemented:  always(span(watched)),
	Promise:      "A force delete removes the pod from the API without the kubelet's confirmation.",
	DocumentedAt: "https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination-forced",
})

// KilledTogether is the time between the first signs of a kill in two containers of a pod.
var KilledTogether = Formula{
	ID:          "termination/killed-together",
	Description: "all containers of a pod are killed in parallel",
	Source:      "pkg/kubelet/kuberuntime/kuberuntime_container.go killContainers",
	Implemented: func(in Input) Window {
		start := in.hookStarts().Latest
		return span(between("runtime", -runtimeLatency, runtimeLatency),
			Term{Name: "starts of the hooks' processes", Earliest: -start, Latest: start},
		)
	},
}

// Mistakes of the termination formulas.
var (
	// FullGraceAgain is the bug of Kubernetes 1.22 to 1.27.
	FullGraceAgain = distorted("the hook's time is not subtracted: the full grace period begins again after it",
		"kubernetes#115817", fullGraceAgain.distort)
	// NoMinimum lacks the minimum of two seconds.
	NoMinimum = distorted("no minimum of two seconds", "minimumGracePeriodInSeconds", noMinimum.distort)
	// SpecGrace ignores the delete request's option.
	SpecGrace = distorted("the delete request's gracePeriodSeconds is ignored: the pod's own grace period counts",
		"pod_workers.go calculateEffectiveGracePeriod; of a force delete kubernetes#115819", podGrace)
	// PodGraceOnProbe ignores the probe's own grace period.
	PodGraceOnProbe = distorted(
		"the probe's terminationGracePeriodSeconds is ignored: the pod's own grace period counts",
		"kubernetes#119377", podGrace)
	// ProbeGraceOnPod obeys the probe's own grace period for the whole pod.
	ProbeGraceOnPod = distorted(
		"the probe's terminationGracePeriodSeconds also counts if nothing of the pod is to run on", "KEP-2238",
		func(in Input) Input {
			in.Kill.WholePod = false
			return in
		})
)

func podGrace(in Input) Input {
	in.Kill.GracePeriodSeconds, in.Kill.ProbeTerminationGracePeriodSeconds = nil, nil
	return in
}
