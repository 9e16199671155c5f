package formula

import "time"

// The formulas of kills without a delete request, or with more than one cause.

// PostStartKills is the time from the end of a failed postStart hook to the first sign of the kill for the victim:
// its preStop hook, or SIGTERM.
var PostStartKills = Formula{
	ID:     "termination/post-start-kills",
	Says:   "a postStart hook that fails kills its container at once, with the preStop hook and the pod's grace period",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer",
	Implemented: func(in Input) Window {
		return span(upTo("end of the postStart hook's process", runtimeLatency),
			in.hookStarts(),
			upTo("runtime", runtimeLatency),
		)
	},
}

// ChangeKills is the time from a change of a container's image to the first sign of the kill for the victim: its
// preStop hook, or SIGTERM.
var ChangeKills = Formula{
	ID: "termination/image-change-kills",
	Says: "a container whose image is changed is killed when the kubelet sees the change, with the preStop hook " +
		"and the pod's grace period",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions (containerChanged), SyncPod",
	Implemented: func(in Input) Window {
		return span(append(deleteToKill(), in.hookStarts())...)
	},
}

// DeadlineKills is the time from a pod's status.startTime to the first sign of its deadline for a victim: its preStop
// hook, or SIGTERM.
var DeadlineKills = Formula{
	ID: "termination/active-deadline",
	Says: "activeDeadlineSeconds count from status.startTime, which is cut to whole seconds, and are checked once " +
		"a second",
	Source: "pkg/kubelet/active_deadline.go pastActiveDeadline; pkg/kubelet/kubelet.go syncLoopIteration (syncTicker)",
	Implemented: func(in Input) Window {
		terms := []Term{upTo("tick", syncTick), upTo("PLEG relist", plegRelist)}
		if !in.Kubelet.Has(TerminalPhaseLast) {
			terms = append(
				terms,
				upTo("the phase's way to the API server and back", apiRequest+watchLatency),
				upTo("PLEG relist after it", plegRelist),
			)
		}
		return in.deadline(terms...)
	},
	Documented: promised(func(in Input) Window {
		return in.deadline(upTo("tick", syncTick), upTo("PLEG relist", plegRelist))
	}),
	Promise: "A pod may be active for activeDeadlineSeconds from its start time. Then the system fails it and " +
		"kills its containers.",
	DocumentedAt: "https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#lifecycle",
	Issues: func(in Input) string {
		if in.Kubelet.Has(TerminalPhaseLast) {
			return NoIssueKnown
		}
		return "kubernetes#88613, " + TerminalPhaseLast.Reference
	},
}

func (in Input) deadline(slack ...Term) Window {
	terms := []Term{exactly("activeDeadlineSeconds", seconds(in.Kill.ActiveDeadlineSeconds))}
	return span(append(append(terms, slack...), in.hookStarts(), upTo("runtime", runtimeLatency))...)
}

// PhaseAfterDeath is the time from the death of a pod's last container to the terminal phase in the API.
var PhaseAfterDeath = Formula{
	ID:           "termination/phase-after-death",
	Says:         "a pod is shown as Failed after its containers are dead, not before",
	Source:       "pkg/kubelet/kubelet.go SyncTerminatingPod; pkg/kubelet/status/status_manager.go",
	Implemented:  terminalPhase,
	Documented:   promised(terminalPhase),
	Promise:      "Failed means that all containers of the pod have terminated.",
	DocumentedAt: "https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-phase",
}

// terminalPhase is the way from the death of a pod's last container to a terminal phase in the API: the kubelet sees
// the death, ends the pod with its sandbox, and needs a newer status of it.
func terminalPhase(Input) Window {
	return span(upTo("PLEG relist", plegRelist),
		upTo("sandbox stopped", sandboxStop),
		upTo("PLEG relist of the ended pod", plegRelist),
		upTo("status", statusWrite),
	)
}

// KilledInTurn is the time between the stop signals of two containers without a hook, of one pod, that the same kind
// of probe kills at the same time.
var KilledInTurn = Formula{
	ID: "termination/killed-in-turn",
	Says: "containers of one pod that fail their probes together are killed one after another, each for its whole " +
		"grace period",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod (the loop over ContainersToKill)",
	Implemented: func(in Input) Window {
		return span(between("signal delivery", -signalDelivery, 0),
			in.remainderTerm(),
			upTo("runtime, of two kills", 2*runtimeLatency),
			// If the second failure came after the first kill had begun, the next sync kills for it.
			upTo("restart of the one killed first", containerStart),
			upTo("PLEG relist", plegRelist),
			upTo("sync", syncLatency),
		)
	},
	Issues: issues("kubernetes#138146"),
}

// KillWaits is the time from a delete request to the death of a process that ignores SIGTERM during a probe's kill.
var KillWaits = Formula{
	ID: "termination/delete-waits-for-kill",
	Says: "a delete waits for the kill that is under way: the process has all of its first grace period, even if " +
		"the delete's is shorter",
	Source: "pkg/kubelet/kubelet.go SyncPod (context.WithoutCancel); pkg/kubelet/pod_workers.go UpdatePod",
	Implemented: func(in Input) Window {
		under := time.Duration(0)
		if life := in.life(in.Life); life.Signalled && len(in.Deletes) > 0 {
			under = in.Deletes[0].At - life.Signal
		}
		return span(append(signalToKill(), in.remainderTerm(), exactly("the kill was under way", -under))...)
	},
	Documented: func(in Input) *Window {
		g := in.meanwhile()
		if g <= 0 {
			return nil // a force delete's "small grace period" has no number
		}
		return new(span(append(deleteToKill(), exactly("grace period of the delete", seconds(g)))...))
	},
	Promise:      "SIGKILL comes at the end of the grace period of the delete request.",
	DocumentedAt: terminationPage,
	Issues:       issues("kubernetes#113606"),
}

// meanwhile returns the grace period in seconds of a delete that comes during a kill.
func (in Input) meanwhile() int64 {
	k := in.Kill
	if len(in.Deletes) > 0 {
		k.GracePeriodSeconds = in.Deletes[0].GracePeriodSeconds
	}
	return k.deletionGracePeriodSeconds()
}

// RestartAllKills is the time from the end of a container whose rule restarts all others to the SIGTERM of another.
var RestartAllKills = Formula{
	ID: "termination/restart-all-kills",
	Says: "the others are killed after the kubelet has seen the end and marked the pod: without a hook, with two " +
		"seconds",
	Source: "pkg/kubelet/kubelet_pods.go generateAPIPodStatus (AllContainersRestarting); " +
		"pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod (ContainersToReset)",
	Implemented: func(Input) Window {
		return span(upTo("PLEG relist", plegRelist),
			upTo("PLEG relist before the sync", plegRelist),
			upTo("sync", syncLatency),
			upTo("runtime", runtimeLatency),
		)
	},
}

// RestartAllFree is the time from a container's death by RestartAllContainers to its next start.
var RestartAllFree = Formula{
	ID: "termination/restart-all-free",
	Says: "restarts of all containers are never backed off: no ended container remains from which a back-off " +
		"could count",
	Source: "pkg/kubelet/kubelet.go SyncPod (the requeue after a reset); " +
		"pkg/kubelet/kuberuntime/kuberuntime_manager.go doBackOff",
	Implemented: restartedWithAll,
	Documented:  promised(restartedWithAllBackedOff),
	Promise: "The kubelet's exponential back-off also applies to restarts of all containers: none before the " +
		"first, then 10 s, 20 s and so on.",
	DocumentedAt: "https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/" +
		"5532-restart-all-containers-on-container-exits#unintended-pod-restart-loops",
	Issues: issues(NoIssueKnown),
}

func restartedWithAll(Input) Window {
	return span(upTo("runtime", runtimeLatency),
		upTo("PLEG relist", plegRelist),
		upTo("sync", syncLatency),
		upTo("create and start", containerStart),
	)
}

// restartedWithAllBackedOff is the restart that begins Input.Life if restarts of all containers were backed off like
// any other.
func restartedWithAllBackedOff(in Input) Window {
	g, b := in.Kubelet.documentedGrowth(), time.Duration(0)
	for life := 3; life <= in.Life; life++ {
		b = g.after(b)
	}
	if b == 0 {
		return restartedWithAll(in)
	}
	return in.waits(b)
}

// ExceededGrace is the time from the event with the reason of a pod's end, Evicted or Preempting, to the event
// ExceededGracePeriod, if the kill does not end.
var ExceededGrace = Formula{
	ID: "termination/exceeded-grace-period",
	Says: "the kubelet waits one and a half grace periods for the end of a pod that it kills, at least ten " +
		"seconds, and then reports that the grace period was exceeded",
	Source: "pkg/kubelet/pod_workers.go killPodNow",
	Implemented: func(in Input) Window {
		g := in.asked()
		return span(exactly("max(10 s, 1.5 grace periods)", seconds(max(killPodMinTimeout, g+g/2))),
			between("events on their way", -eventWay, eventWay))
	},
}

// HookRunsAgain is how many times the preStop hook runs for a kill during which the kubelet is restarted once.
var HookRunsAgain = Formula{
	ID:          "termination/hook-runs-again",
	Says:        "a restarted kubelet begins a kill again: the hook runs again",
	Source:      "pkg/kubelet/pod_workers.go UpdatePod (its state is in memory only)",
	Implemented: always(count("runs", 2)),
	Documented:  promised(always(count("runs", 2))),
	Promise: "If the kubelet is restarted while it waits for processes to end, it begins again from the start, " +
		"with the full original grace period.",

	DocumentedAt: terminationPage,
}

// GraceAgain is the time from the beginning of the preStop hook's second run, by a restarted kubelet, to the death of
// a process that ignores SIGTERM.
var GraceAgain = Formula{
	ID:   "termination/grace-again",
	Says: "a restarted kubelet gives the whole grace period again, the hook's second run included",
	Source: "pkg/kubelet/pod_workers.go UpdatePod; containerd internal/cri/server/container_stop.go (the signal is " +
		"not sent again, the wait is)",
	Of: Runtime,
	Implemented: func(in Input) Window {
		return span(between("start of the hook, before its first mark", -HookStart(in.Kill.Hook), 0),
			in.hookTerm(), in.remainderTerm(), upTo("runtime, of hook and kill", 2*runtimeLatency))
	},
	Documented: func(in Input) *Window {
		if in.undocumented() {
			return nil
		}
		p := in.hookPart()
		return new(span(between("start of the hook, before its first mark", -HookStart(in.Kill.Hook), 0),
			exactly("grace period", seconds(in.requested())),
			upTo("the fraction of a second that the hook took", min(time.Second, p.High-p.Low.Truncate(time.Second))),
			upTo("runtime, of hook and kill", 2*runtimeLatency),
		))
	},
	Promise:      HookRunsAgain.Promise,
	DocumentedAt: terminationPage,
	Issues:       Remainder.Issues,
}

// Rivals of these formulas.
var (
	// KilledAtOnce kills containers side by side instead of in turn.
	KilledAtOnce = Rival{
		Name: "containers that fail their probes together are killed side by side", Reference: "kubernetes#138146",
		Would: always(span(upTo("sync", syncLatency), upTo("runtime", runtimeLatency))),
	}
	// WaitsOneGrace waits for one grace period, not for one and a half.
	WaitsOneGrace = Rival{
		Name:      "the kubelet waits for one grace period, not for one and a half",
		Reference: "pod_workers.go killPodNow",
		Would: func(in Input) Window {
			return span(exactly("max(10 s, grace period)", seconds(max(killPodMinTimeout, in.asked()))),
				between("events on their way", -eventWay, eventWay),
			)
		},
	}
	// DeleteNotWaiting cuts a kill that is under way to the grace period of a delete.
	DeleteNotWaiting = Rival{
		Name: "a delete cuts the kill that is under way", Reference: "kubernetes#113606",
		Would: func(in Input) Window {
			least := max(minimumGracePeriodInSeconds, in.meanwhile())
			rest := exactly("grace period of the delete, at least two seconds", seconds(least))
			return span(append(deleteToKill(), rest)...)
		},
	}
	// GraceLeft is a kubelet that continues after its restart where it was before.
	GraceLeft = Rival{
		Name: "a restarted kubelet gives what was left of the grace period", Reference: "pod_workers.go UpdatePod",
		Would: func(in Input) Window {
			return span(between("less than a grace period", 0, in.remainder(0)-time.Second))
		},
	}
	// BackedOff backs off a pod that restarts all its containers like any other, from its third life on.
	BackedOff = Rival{
		Name: "restarts of all containers are backed off", Reference: "KEP-5532",
		Would: restartedWithAllBackedOff,
	}
)
