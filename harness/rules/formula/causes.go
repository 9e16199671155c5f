package formula

import (
	"slices"
	"time"
)

// The formulas of kills without a delete request, or with more than one cause.

// PostStartKills is the time from the end of a failed postStart hook to the first sign of the kill.
var PostStartKills = Formula{
	ID:          "termination/post-start-kills",
	Description: "a postStart hook that fails kills its container at once, with the preStop hook and the pod's grace period",
	Source:      "pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer",
	Implemented: func(in Input) Window {
		return span(upTo("end of the postStart hook's process", runtimeLatency),
			in.hookStarts(),
			atRuntime,
		)
	},
}

// PostStartRefused is the time from a start to the event of an HTTP postStart hook that cannot connect.
var PostStartRefused = Formula{
	ID:          "termination/post-start-refused",
	Description: "an HTTP postStart hook is sent when the runtime has started its container, once, and fails at once",
	Source:      PostStartKills.Source + "; pkg/kubelet/lifecycle/handlers.go runHTTPHandler (no retry)",
	Implemented: always(span(
		between("first mark after the start", -containerStart, 0), upTo("address and connection", HTTPStart), atRuntime,
		events,
	)),
}

// PostStartDeath is the time from that event to the death of the container.
var PostStartDeath = Formula{
	ID:          "termination/post-start-death",
	Description: "a postStart hook that fails kills its container after the event, with the pod's grace period",
	Source:      PostStartKills.Source,
	Implemented: func(in Input) Window { return fromSignal(in.remainderTerm(), events) },
}

// PostStartShown is the time from that death to the reason PostStartHookError in the API.
var PostStartShown = Formula{
	ID: "termination/post-start-shown",
	Description: "the sync after a postStart hook's kill shows PostStartHookError, with what the hook failed with, " +
		"and starts the container again",
	Source: "pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses (reasonCache); pkg/kubelet/kubelet.go SyncPod " +
		"(reasonCache.Update)",
	Implemented: always(span(relist, synced, shown)),
}

// ChangeKills is the time from an image change to the first sign of the kill.
var ChangeKills = Formula{
	ID:          "termination/image-change-kills",
	Description: "a container whose image is changed is killed with the preStop hook and the pod's grace period",
	Source:      "pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions (containerChanged), SyncPod",
	Implemented: func(in Input) Window {
		return fromDelete(in.hookStarts())
	},
}

// ChangeStarts is the time from the death of a container whose image is changed to its next start.
var ChangeStarts = Formula{
	ID:          "termination/image-change-starts",
	Description: "the sync that kills a container for its image starts it with the new one, whatever its restartPolicy",
	Source:      "pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions (containerChanged: restart = true)",
	Implemented: always(span(sameSync()...)),
}

// DeadlineKills is the time from status.startTime to the first sign of the kill.
var DeadlineKills = Formula{
	ID:          "termination/active-deadline",
	Description: "activeDeadlineSeconds count from status.startTime, cut to whole seconds, and are checked once a second",
	Source:      "pkg/kubelet/active_deadline.go pastActiveDeadline; pkg/kubelet/kubelet.go syncLoopIteration (syncTicker)",
	Implemented: func(in Input) Window {
		terms := []Term{upTo("tick", syncTick), relist}
		if !in.Kubelet.Has(TerminalPhaseLast) {
			terms = append(
				terms,
				upTo("the phase's way to the API server and back", apiRequest+watchLatency),
				upTo("PLEG relist after it", PLEGRelist),
			)
		}
		return in.deadline(terms...)
	},
	Documented: promised(func(in Input) Window {
		return in.deadline(upTo("tick", syncTick), relist)
	}),
	Promise:      "A pod that was active for activeDeadlineSeconds fails, and its containers are killed.",
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
	return span(append(append(terms, slack...), in.hookStarts(), atRuntime)...)
}

// PhaseAfterDeath is the time from a pod's last death to its terminal phase in the API.
var PhaseAfterDeath = documented(Formula{
	ID:          "termination/phase-after-death",
	Description: "a pod that the kubelet kills is shown as Failed as soon as its containers are dead, not before",
	Source: "pkg/kubelet/kubelet.go SyncTerminatingPod (killPod, then GetPodStatus without a relist); " +
		"pkg/kubelet/status/status_manager.go mergePodStatus (couldHaveRunningContainers)",
	Implemented:  always(span(atRuntime, upTo("sandbox stopped", sandboxStop), shown)),
	Promise:      "Failed means that all containers of the pod have terminated.",
	DocumentedAt: lifecyclePage + "#pod-phase",
})

// terminalPhase is that of a pod whose containers end by themselves. Its kubelet sees them in a relist.
var terminalPhase = span(
	relist, upTo("sandbox stopped", sandboxStop), upTo("PLEG relist of the ended pod", PLEGRelist), shown,
)

// KilledInTurn is the time between two containers' stop signals if their probes fail together. The input is about the
// one that is killed first.
var KilledInTurn = Formula{
	ID: "termination/killed-in-turn",
	Description: "containers of one pod that fail their probes together are killed one after another; since 1.38 one " +
		"sync kills them side by side, if it sees all failures",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod (ContainersToKill); " +
		"pkg/kubelet/pod_workers.go podWorkerLoop (GetNewerThan)",
	Implemented: func(in Input) Window {
		lasts := in.remainderTerm()
		if in.Obeys {
			lasts = exactly("the process' own delay", in.OwnDelay)
		}
		turn := span(between("signal delivery", -signalDelivery, 0),
			lasts,
			upTo("runtime, of two kills", 2*runtimeLatency),
			// If the second failure came after the first kill had begun, the next sync kills for it. Its way to the pod
			// worker passes during the first kill, which lasts two seconds at least.
			upTo("restart of the one killed first", containerStart+in.PostStart.High),
			relist,
		)
		if !in.Kubelet.Has(KilledBySync) {
			return turn
		}
		hook := between("side by side, less its hook", -in.hookPart().High, 0)
		return EitherOf(span(hook, upTo("runtime, of two kills", 2*runtimeLatency)), turn)
	},
	Issues: issues("kubernetes#138146"),
}

// KilledByOneSync is KilledInTurn if all failures come while a sync is under way, so that the next one sees them all.
var KilledByOneSync = Formula{
	ID:          "termination/killed-by-one-sync",
	Description: "a sync kills the containers that failed their probes side by side; up to 1.37 one after another",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod (ContainersToKill); kuberuntime_container.go " +
		"killContainers",
	Implemented: func(in Input) Window {
		both := upTo("runtime, of two kills", 2*runtimeLatency)
		if in.Kubelet.Has(KilledBySync) {
			return span(both)
		}
		return span(between("signal delivery", -signalDelivery, 0), in.remainderTerm(), both)
	},
	Issues: KilledInTurn.Issues,
}

// KillWaits is the time from a delete to a death if a probe's kill is under way.
var KillWaits = Formula{
	ID:          "termination/delete-waits-for-kill",
	Description: "a delete waits for the kill that is under way, even if its own grace period is shorter",
	Source:      "pkg/kubelet/kubelet.go SyncPod (context.WithoutCancel); pkg/kubelet/pod_workers.go UpdatePod",
	Implemented: func(in Input) Window {
		under := time.Duration(0)
		if life := in.life(in.Life); life.Signalled && len(in.Deletes) > 0 {
			under = in.Deletes[0].At - life.Signal
		}
		return fromSignal(
			in.remainderTerm(), between("the kill was under way", -under-in.Delay, -under+in.Delay),
		)
	},
	Documented: func(in Input) *Window {
		g := in.meanwhile()
		if g <= 0 {
			return nil // a force delete's "small grace period" has no number
		}
		return new(fromDelete(exactly("grace period of the delete", seconds(g))))
	},
	Promise: "SIGKILL comes at the end of the grace period of the delete request.", DocumentedAt: terminationPage,
	Issues: issues("kubernetes#113606"),
}

// meanwhile returns the grace period in seconds of a delete that comes during a kill.
func (in Input) meanwhile() int64 {
	k := in.Kill
	if len(in.Deletes) > 0 {
		k.GracePeriodSeconds = in.Deletes[0].GracePeriodSeconds
	}
	return k.deletionGracePeriodSeconds()
}

// ManifestRemoved is the time from the removal of a static pod's file to the kill.
var ManifestRemoved = Formula{
	ID:          "termination/manifest-removed",
	Description: "the kubelet kills a static pod as soon as its file is gone",
	Source: "pkg/kubelet/config/file_linux.go doWatch, consumeWatchEvent; pkg/kubelet/kubelet.go HandlePodRemoves, " +
		"deletePod",
	Implemented: func(in Input) Window {
		return span(upTo("inotify", noticesFile), notRelisted, in.hookStarts(), atRuntime)
	},
}

// MirrorGone is the time from a static pod's death to the end of its mirror.
var MirrorGone = Formula{
	ID:          "termination/mirror-gone",
	Description: "the next housekeeping after a removed static pod's end deletes its mirror",
	Source: "pkg/kubelet/kubelet_pods.go HandlePodCleanups (orphaned mirror pods); " +
		"pkg/kubelet/pod_workers.go IsPodForMirrorPodTerminatingByFullName",
	Implemented: always(span(upTo("sandbox stopped", sandboxStop), upTo("housekeeping", housekeeping), tornDown)),
}

// MirrorFirst deletes the mirror before its pod has ended.
var MirrorFirst = mistake("the mirror of a removed static pod goes while the pod dies",
	"pod_workers.go IsPodForMirrorPodTerminatingByFullName", func(in Input) Window {
		kill := in.remainder(0)
		return span(
			between("the kill and its beginning", -kill-noticesFile-PLEGRelist-runtimeLatency, -kill),
			upTo("housekeeping", housekeeping), watched,
		)
	})

// MirrorDelete is how often a life ends because the mirror of its static pod is deleted.
var MirrorDelete = documented(Formula{
	ID:           "termination/mirror-delete",
	Description:  "a delete of its mirror does not end a static pod",
	Source:       "pkg/kubelet/kubelet.go HandlePodUpdates (mirror pods), tryReconcileMirrorPods",
	Implemented:  always(count("ends", 0)),
	Promise:      "The kubelet, not the API server, controls a static pod.",
	DocumentedAt: "https://kubernetes.io/docs/tasks/configure-pod-container/static-pod/",
})

// MirrorRenewed is the time from the delete of a static pod's mirror to the end of its object. Then the kubelet creates
// another one.
var MirrorRenewed = Formula{
	ID: "termination/mirror-renewed",
	Description: "the sync that a mirror's delete causes removes the mirror; since 1.37 it causes none, and the next " +
		"regular sync removes it",
	Source: "pkg/kubelet/kubelet.go HandlePodUpdates (HasPodAllocatedResources), tryReconcileMirrorPods",
	Implemented: func(in Input) Window {
		if !in.Kubelet.Has(MirrorUpdatesSkipped) {
			return span(watched, notRelisted, atAPIServer)
		}
		regular, ran := in.Kubelet.resyncInterval(), time.Duration(0)
		if len(in.Deletes) > 0 {
			ran = min(regular, max(0, in.Deletes[0].At-in.life(1).Started)+in.Delay)
		}
		return span(between("syncFrequency, since the last sync after the start", regular-ran, regular),
			upTo("jitter", regular/2), upTo("work queue", syncTick), atAPIServer)
	},
}

// MirrorDeleteKills takes the end of a mirror for that of its pod.
var MirrorDeleteKills = mistake("a delete of its mirror ends a static pod", "kubelet.go HandlePodRemoves",
	always(count("ends", 1)))

// StaticTurn is the time from the writing of a static pod's file to the start of its container, if another pod of its
// name dies meanwhile, within ten seconds.
var StaticTurn = Formula{
	ID: "termination/static-turn",
	Description: "a static pod does not start while another one of its name dies; its worker asks again ten to fifteen " +
		"seconds later",
	Source: "pkg/kubelet/pod_workers.go allowPodStart (backOffPeriod, workerBackOffPeriodJitterFactor), " +
		"allowStaticPodStart; pkg/kubelet/kubelet.go getPodsToSync",
	Implemented: always(span(upTo("inotify", noticesFile), exactly("backOffPeriod", backOffPeriod),
		upTo("jitter", backOffPeriod/2), upTo("work queue", syncTick), upTo("sandbox", sandboxStart), started)),
}

// StaticOverlap starts a static pod beside the other one of its name.
var StaticOverlap = mistake("a static pod starts while another one of its name dies",
	"pod_workers.go allowStaticPodStart",
	always(span(upTo("inotify", noticesFile), upTo("sandbox", sandboxStart), started)))

// StaticReturns is the time from a death to the next start, if the same file of a static pod was removed and came back
// before that death.
var StaticReturns = Formula{
	ID: "termination/static-returns",
	Description: "a static pod that returns unchanged while it dies starts again in the first housekeeping after its " +
		"end",
	Source: "pkg/kubelet/pod_workers.go UpdatePod (restartRequested), SyncKnownPods, removeTerminatedWorker; " +
		"pkg/kubelet/kubelet_pods.go HandlePodCleanups (RestartedPodTotal)",
	Implemented: always(span(upTo("sandbox stopped", sandboxStop), tornDown, upTo("housekeeping", housekeeping),
		upTo("sandbox", sandboxStart), started)),
}

// MirrorReplaced is the time from the end of a mirror to the start of the static pod that has another one.
var MirrorReplaced = Formula{
	ID: "termination/mirror-replaced",
	Description: "the first sync of a static pod deletes the mirror of the pod that had its name before, and then " +
		"starts its containers",
	Source: "pkg/kubelet/kubelet.go SyncPod, tryReconcileMirrorPods; pkg/kubelet/pod/pod_manager.go IsMirrorPodOf",
	Implemented: always(span(between("way of the end to its watchers", -watchLatency, 0),
		upTo("folders and volumes", podPrepared), upTo("sandbox", sandboxStart), started)),
}

// noticesFile is the way of a file's removal to the kubelet. From its command to SIGTERM, 0.16 s were measured.
const noticesFile = time.Second

// OrphanFound is the time from the start of a kubelet to the event of the kill of containers whose pod is gone.
var OrphanFound = Formula{
	ID:          "termination/orphan-found",
	Description: "a kubelet kills containers without a pod in its first housekeeping after it knows all pods",
	Source: "pkg/kubelet/kubelet.go syncLoopIteration (housekeepingPeriod); pkg/kubelet/kubelet_pods.go " +
		"HandlePodCleanups (orphaned pod)",
	Implemented: always(span(
		upTo("start of the kubelet", kubeletStart), upTo("housekeeping", housekeeping), lateEvent)),
}

// OrphanKilled is the time from the event of an orphan's kill to its death. SIGTERM may not come at all.
var OrphanKilled = Formula{
	ID: "termination/orphan-killed",
	Description: "the housekeeping that finds an orphan also kills all processes of its cgroup; without cgroups of pods, an " +
		"orphan has two seconds",
	Source: "pkg/kubelet/kubelet_pods.go HandlePodCleanups, cleanupOrphanedPodCgroups (possiblyRunningPods lacks " +
		"orphans); pkg/kubelet/cm/pod_container_manager_linux.go tryKillingCgroupProcesses; " +
		"pkg/kubelet/kubelet.go SyncTerminatingRuntimePod",
	Implemented: func(in Input) Window {
		if !in.Kubelet.CgroupsPerQOS {
			return orphanGrace(in)
		}
		return span(upTo("processes of the cgroup killed", cgroupKilled), beforeEvent)
	},
}

// OrphanGrace leaves an orphan the seconds that the kubelet asks for.
var OrphanGrace = mistake("the cgroup of an orphan stays until its containers have ended",
	"kubelet_pods.go cleanupOrphanedPodCgroups", orphanGrace)

func orphanGrace(in Input) Window {
	return span(exactly("grace period", in.remainder(0)), atRuntime, beforeEvent)
}

const (
	// cgroupKilled is how long the kubelet takes to kill the processes of a cgroup: 15 to 200 ms were measured.
	cgroupKilled = 500 * time.Millisecond
	// startEventWay is the way of an event that a kubelet writes while it starts. Such events took up to 0.8 s.
	startEventWay = 2 * time.Second
)

var (
	lateEvent   = upTo("way of the event", startEventWay)
	beforeEvent = between("way of the event", -startEventWay, 0)
)

// StopFails is the time from a delete to the death of a container that the runtime fails to stop.
var StopFails = Formula{
	ID: "termination/stop-fails",
	Description: "a container that the runtime fails to stop loses its grace period: the kubelet goes on to stop the " +
		"sandbox, which kills it",
	Source:      "pkg/kubelet/kuberuntime/kuberuntime_manager.go killPodWithSyncResult (StopPodSandbox after all kills)",
	Implemented: always(fromDelete(upTo("sandbox stopped", sandboxStop))),
}

// NeverStopped is how often a container ends that a failing probe should restart, if the kubelet's call has no time.
var NeverStopped = Formula{
	ID: "termination/never-stopped",
	Description: "a container of such a long grace period that the call which stops it fails at once is never " +
		"restarted by its probe, because its sandbox is not stopped",
	Source: "pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod (killContainer of ContainersToKill; StopContainer of " +
		"the module cri-client)",
	Issues:      issues("kubernetes#84298"),
	Implemented: always(count("ends", 0)),
}

// OrphanStopFails is StopFails for an orphan, from the event of its kill on.
var OrphanStopFails = Formula{
	ID:          "termination/orphan-stop-fails",
	Description: StopFails.Description,
	Source:      StopFails.Source,
	Implemented: always(span(atRuntime, upTo("sandbox stopped", sandboxStop), beforeEvent)),
}

// RestartAllKills is the time from the end of the container whose rule restarts all to another one's SIGTERM.
var RestartAllKills = Formula{
	ID:          "termination/restart-all-kills",
	Description: "the others are killed once the kubelet has seen the end: without a hook, with two seconds",
	Source: "pkg/kubelet/kubelet_pods.go generateAPIPodStatus (AllContainersRestarting); " +
		"pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod (ContainersToReset)",
	Implemented: always(span(relist, upTo("PLEG relist before the sync", PLEGRelist), synced, atRuntime)),
}

// RestartAllFree is the time from a death by RestartAllContainers to the next start.
var RestartAllFree = Formula{
	ID:          "termination/restart-all-free",
	Description: "restarts of all containers are never backed off, because no ended container remains",
	Source: "pkg/kubelet/kubelet.go SyncPod (the requeue after a reset); " +
		"pkg/kubelet/kuberuntime/kuberuntime_manager.go doBackOff",
	Implemented: restartedWithAll,
	Documented:  promised(restartedWithAllBackedOff),
	Promise:     "The kubelet's exponential back-off also applies to restarts of all containers.",
	DocumentedAt: "https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/" +
		"5532-restart-all-containers-on-container-exits#unintended-pod-restart-loops",
	Issues: issues(NoIssueKnown),
}

// DelayAfterRestartAll is RestartDelay of a container whose first life ended with a restart of all containers.
var DelayAfterRestartAll = Formula{
	ID:           "restarts/delay-after-restart-all",
	Description:  "an end that restarts all containers counts for no later back-off",
	Source:       RestartDelay.Source + "; pkg/kubelet/kuberuntime/kuberuntime_manager.go getContainersToReset",
	Implemented:  func(in Input) Window { return RestartDelay.Implemented(in.withoutFirstLife()) },
	Documented:   RestartDelay.Documented,
	Promise:      RestartAllFree.Promise,
	DocumentedAt: RestartAllFree.DocumentedAt,
	Issues:       RestartAllFree.Issues,
}

func (in Input) withoutFirstLife() Input {
	if in.Life > 1 && len(in.Lives) > 0 {
		in.Life, in.Lives = in.Life-1, in.Lives[1:]
	}
	return in
}

// RestartHeld is the time from the death of a container that a sync kills to the restart of one that ended meanwhile.
var RestartHeld = Formula{
	ID:          "termination/restart-held",
	Description: "a container that ends while a sync kills another one starts again with the next sync, after that kill",
	Source: "pkg/kubelet/pod_workers.go podWorkerLoop (one sync at a time); " +
		"pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod (computePodActions before the kills)",
	Implemented: always(restartHeld()),
}

// RestartAllHeld is the same for a container whose end restarts all, and that the next sync then kills again.
var RestartAllHeld = Formula{
	ID: "termination/restart-all-held",
	Description: "an end that restarts all containers cuts no kill that is under way: the killed container starts " +
		"again, and is then killed once more",
	Source: RestartHeld.Source + "; pkg/kubelet/kubelet_pods.go generateAPIPodStatus (AllContainersRestarting)",
	Implemented: always(restartHeld(
		between("signal delivery", -signalDelivery, 0),
		exactly("kill of the next life, without a grace period", seconds(minimumGracePeriodInSeconds)),
		atRuntime, relist, synced,
	)),
}

func restartHeld(terms ...Term) Window {
	return span(append([]Term{atRuntime, upTo("restart of the killed container", containerStart), relist, synced,
		started}, terms...)...)
}

// RestartedOnce is how many lives a container has had after one restart of all containers and crashes of others.
var RestartedOnce = Formula{
	ID:          "termination/restarted-once",
	Description: "an exit that no rule names restarts its own container only, also after a restart of all containers",
	Source:      "pkg/kubelet/container/helpers.go ShouldAllContainersRestart, ShouldContainerBeRestarted",
	Implemented: always(count("lives", 2)),
}

// RestartAllAgain is the time from a new kubelet process, which replaced one within a restart of all containers, to the
// death of a container that ignores SIGTERM.
var RestartAllAgain = Formula{
	ID:          "termination/restart-all-again",
	Description: "a restarted kubelet begins a restart of all containers again: those that run have two more seconds",
	Source: "pkg/kubelet/container/helpers.go ShouldAllContainersRestart (the API's condition and the runtime's exit " +
		"codes); containerd internal/cri/server/container_stop.go (the signal is not sent again, the wait is)",
	Of: Runtime,
	Implemented: func(in Input) Window {
		return RestartAllKills.Implemented(in).With(
			between("start of the kubelet", -kubeletStart, kubeletStart)).With(in.remainderTerm())
	},
}

func restartedWithAll(Input) Window {
	return span(atRuntime,
		relist,
		synced,
		started,
	)
}

// restartedWithAllBackedOff is RestartAllFree if these restarts were backed off like any other.
func restartedWithAllBackedOff(in Input) Window {
	g, b := in.Kubelet.documentedGrowth(), time.Duration(0)
	for life := 3; life <= in.Life; life++ {
		b = g.After(b)
	}
	if b == 0 {
		return restartedWithAll(in)
	}
	return in.waits(b)
}

// ExceededGrace is the time from the event Evicted or Preempting to the event ExceededGracePeriod.
var ExceededGrace = Formula{
	ID:          "termination/exceeded-grace-period",
	Description: "the kubelet waits one and a half grace periods, at least ten seconds, for the end of a pod that it kills",
	Source:      "pkg/kubelet/pod_workers.go killPodNow",
	Implemented: func(in Input) Window {
		g := in.asked()
		return span(exactly("max(10 s, 1.5 grace periods)", seconds(max(killPodMinTimeout, g+g/2))),
			events)
	},
}

// HookRunsAgain is how many times the hook runs for a kill: once, and once more if the kubelet has restarted before the
// container's death.
var HookRunsAgain = documented(Formula{
	ID:          "termination/hook-runs-again",
	Description: "a restarted kubelet begins a kill again: the hook runs again",
	Source:      "pkg/kubelet/pod_workers.go UpdatePod (its state is in memory only)",
	Implemented: func(in Input) Window {
		died := in.life(in.Life).Gone != 0
		_, perhaps := in.happened(in.Restarts, in.Life, died)
		started := slices.Clone(in.Restarts)
		for i := range started {
			started[i] += kubeletAway
		}
		surely, _ := in.happened(started, in.Life, died)
		runs := func(again bool) int64 {
			if again {
				return 2
			}
			return 1
		}
		return window(Count, Term{Name: "runs", Earliest: runs(surely), Latest: runs(perhaps)})
	},
	Promise: "A kubelet that restarts during a kill begins again, with the full original grace period.",

	DocumentedAt: terminationPage,
})

// kubeletAway is how long a kubelet that restarts does not run at most, without its first sync. A busy node took 1.0 s.
const kubeletAway = 1500 * time.Millisecond

// diedUnseen reports whether the first life ended while a kubelet restarted, or before the new one's first sync.
func (in Input) diedUnseen() bool {
	died := in.life(1).Gone
	return slices.ContainsFunc(in.Restarts, func(restart time.Duration) bool {
		return died != 0 && restart-in.Delay <= died && died <= restart+kubeletStart+in.Delay
	})
}

// GraceAgain is the time from the hook's second run, by a restarted kubelet, to the death.
var GraceAgain = Formula{
	ID:          "termination/grace-again",
	Description: "a restarted kubelet gives the whole grace period again, the hook's second run included",
	Source: "pkg/kubelet/pod_workers.go UpdatePod; containerd internal/cri/server/container_stop.go (the signal is " +
		"not sent again, the wait is)",
	Of: Runtime,
	Implemented: func(in Input) Window {
		return span(in.hookBegan(),
			in.hookTerm(), in.remainderTerm(), upTo("runtime, of hook and kill", 2*runtimeLatency))
	},
	Documented: func(in Input) *Window {
		if in.undocumented() {
			return nil
		}
		p := in.hookPart()
		return new(span(in.hookBegan(),
			exactly("grace period", seconds(in.requested())),
			upTo("the fraction of a second that the hook took", min(time.Second, p.High-p.Low.Truncate(time.Second))),
			upTo("runtime, of hook and kill", 2*runtimeLatency),
		))
	},
	Promise:      HookRunsAgain.Promise,
	DocumentedAt: terminationPage,
	Issues:       Remainder.Issues,
}

// GraceKept is the time from SIGTERM to the death if a kubelet that restarts in between can't extend it.
var GraceKept = Formula{
	ID:          "termination/grace-kept",
	Description: "CRI-O keeps the earliest end of a grace period: a restarted kubelet can't give it again",
	Source:      "CRI-O internal/oci/runtime_oci.go StopLoopForContainer (a new timeout counts only if it ends earlier)",
	Of:          Runtime,

	Implemented: Remainder.Implemented,
}

// Mistakes of these formulas.
var (
	// KilledAtOnce kills containers side by side.
	KilledAtOnce = mistake("containers that fail their probes together are killed side by side", "kubernetes#138146",
		always(span(synced, atRuntime)))
	// WaitsOneGrace waits for one grace period.
	WaitsOneGrace = mistake("the kubelet waits for one grace period, not for one and a half",
		"pod_workers.go killPodNow",
		func(in Input) Window {
			return span(exactly("max(10 s, grace period)", seconds(max(killPodMinTimeout, in.asked()))),
				events,
			)
		})
	// DeleteNotWaiting cuts a kill that is under way.
	DeleteNotWaiting = mistake("a delete cuts the kill that is under way", "kubernetes#113606", func(in Input) Window {
		least := max(minimumGracePeriodInSeconds, in.meanwhile())
		rest := exactly("grace period of the delete, at least two seconds", seconds(least))
		return fromDelete(rest)
	})
	// GraceLeft continues a kill after a restart.
	GraceLeft = mistake("a restarted kubelet gives what was left of the grace period", "pod_workers.go UpdatePod",
		func(in Input) Window {
			return span(between("less than a grace period", 0, max(0, in.remainder(0)-time.Second)))
		})
	// BackedOff backs off restarts of all containers.
	BackedOff = mistake("restarts of all containers are backed off", "KEP-5532", restartedWithAllBackedOff)
)
