package formula

import "time"

// The formulas of resizes of running pods (KEP-1287).

const (
	resizePage     = "https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/"
	allocationFile = "pkg/kubelet/allocation/allocation_manager.go"
	resizeAction   = "pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodResizeAction"
	backOffKey     = "pkg/kubelet/kuberuntime/helpers.go GetBackoffKey"
)

// ResizeKills is the time from a resize to the first sign of the kill, if the container's resizePolicy is
// RestartContainer.
var ResizeKills = Formula{
	ID: "restarts/resize-kills",
	Description: "a resize kills a container whose resizePolicy is RestartContainer, with the preStop hook and the " +
		"pod's grace period",
	Source:      resizeAction + ", SyncPod; kuberuntime_container.go computeInitContainerActions, killContainer",
	Implemented: ChangeKills.Implemented,
}

// ResizeStarts is the time from the death of a container that a resize kills to its next start.
var ResizeStarts = Formula{
	ID:          "restarts/resize-starts",
	Description: "the sync that kills a container for a resize restarts it, without a back-off for its new resources",
	Source:      resizeAction + ", doBackOff; " + backOffKey,
	Implemented: ChangeStarts.Implemented,
}

// ResizeStartsBackedOff is the time from the death of a container that a resize kills to its next start, if an earlier
// resize asked for the same resources. The sync that kills counts the back-off from the end that it has seen: that of
// the instance before. If this back-off is over, it restarts the container at once.
var ResizeStartsBackedOff = Formula{
	ID: "restarts/resize-starts-backed-off",
	Description: "a resize to resources that the container had before waits for the back-off that their last restart " +
		"began; up to 1.33 a resize ends each back-off",
	Source: resizeAction + ", doBackOff; " + backOffKey + "; " +
		"client-go util/flowcontrol/backoff.go IsInBackOffSince, Next",
	Implemented: func(in Input) Window {
		if !in.Kubelet.Has(BackOffByResources) {
			return span(sameSync()...)
		}
		initial := in.Kubelet.Growth().Initial
		killed, before := in.life(in.Life-1), in.life(in.Life-2)
		if killed.Gone == 0 || before.Gone == 0 {
			return in.waits(initial)
		}
		since, slack := killed.Gone-before.Gone, in.Delay+runtimeLatency
		var windows []Window
		if since-slack < initial {
			windows = append(windows, in.waits(initial))
		}
		if since+slack >= initial {
			windows = append(windows, span(sameSync()...))
		}
		return EitherOf(windows...)
	},
}

// AfterResize is the time from the resize of a container that waits for its back-off to its start.
var AfterResize = Formula{
	ID:          "restarts/after-resize",
	Description: "a waiting container starts at once with other resources, which have their own back-off",
	Source:      allocationFile + " handlePodResourcesResize; " + backOffKey,
	Implemented: AfterNewImage.Implemented,
}

// ResizedInPlace is how often a container ends that a resize must not end.
var ResizedInPlace = documented(Formula{
	ID: "restarts/resized-in-place",
	Description: "a resize ends no container whose resizePolicy is NotRequired, and none while it is refused, " +
		"infeasible, deferred or below the memory in use",
	Source: resizeAction + ", validateMemoryResizeAction; " + allocationFile + " handlePodResourcesResize",

	Implemented:  always(count("ends", 0)),
	Promise:      "NotRequired applies a change to a running container. A resize that is not granted changes nothing.",
	DocumentedAt: resizePage,
})

// ResizeCompleted is the time from a resize in place, or from the start of a container that was killed for one, to the
// event ResizeCompleted.
var ResizeCompleted = Formula{
	ID:          "restarts/resize-completed",
	Description: "the sync after the one that restarts the last container reports the end of the resize",
	Source: "pkg/kubelet/kubelet.go SyncPod; " +
		"pkg/kubelet/status/status_manager.go ClearPodResizeInProgressCondition",
	Implemented: always(span(relist, synced, events)),
}

// ResizeShown is the time from a resize that is not granted to its condition PodResizePending. It is also the time from
// the resize that takes one back to the end of the condition.
var ResizeShown = Formula{
	ID:          "restarts/resize-shown",
	Description: "the sync that a resize causes shows that it is pending, or that none is",
	Source: allocationFile + " handlePodResourcesResize, retryPendingResizes; " +
		"pkg/kubelet/status/status_manager.go SetPodResizePendingCondition, ClearPodResizeInProgressCondition",
	Implemented: always(span(watched, notRelisted, shown)),
}

// ResizeShownForAMoment is how often the condition PodResizeInProgress comes and goes with a resize in place. The next
// sync takes it back. The status manager writes only the newest status, which on a real node may be that of this sync.
var ResizeShownForAMoment = Formula{
	ID: "restarts/resize-shown-for-a-moment",
	Description: "a resize in place is shown as in progress until the next sync, if the kubelet writes the status " +
		"before that",
	Source: "pkg/kubelet/kubelet.go SyncPod; " +
		"pkg/kubelet/status/status_manager.go SetPodResizeInProgressCondition, syncBatch",
	Implemented: func(in Input) Window {
		if in.Kubelet.OwnServer {
			return count("times", 1)
		}
		return window(Count, Term{Name: "times, unless a newer status is written instead", Latest: 1})
	},
}

// ResizeRefused is the status of the answer to a resize that exceeds the node's allocatable resources.
var ResizeRefused = Formula{
	ID: "restarts/resize-refused",
	Description: "the API server refuses a resize beyond the node with status 403; up to 1.35 it accepts it, and the " +
		"kubelet does not",
	Source: "plugin/pkg/admission/podresize/admission.go Validate",
	Of:     APIServer,
	Implemented: func(in Input) Window {
		status := int64(0)
		if in.Kubelet.Serves(ResizeChecked) {
			status = 403
		}
		return window(Status, Term{Name: "status", Earliest: status, Latest: status})
	},
}

// PlainResizeRefused is the status of the answer to an update of a pod, not of its subresource resize, with other
// resources of the pod as a whole.
var PlainResizeRefused = Formula{
	ID:          "restarts/plain-resize-refused",
	Description: "the API server refuses other resources of a pod that do not come by its subresource with status 422",
	Source:      "pkg/registry/core/pod/strategy.go podStrategy.PrepareForUpdate, podStrategy.ValidateUpdate",
	Of:          APIServer,
	Implemented: always(window(Status, Term{Name: "status", Earliest: 422, Latest: 422})),
}

// ResizeInfeasible is whether the pod shows that its resize is infeasible.
var ResizeInfeasible = Formula{
	ID:          "restarts/resize-infeasible",
	Description: "a resize beyond the node that the API server accepts is infeasible",
	Source:      "before v1.36.0 " + allocationFile + " canResizePod",
	Implemented: func(in Input) Window {
		if in.Kubelet.Serves(ResizeChecked) {
			return count("conditions", 0)
		}
		return count("conditions", 1)
	},
}

// ResizeRetried is the time from a resize that makes room to the kill by a resize that was deferred.
var ResizeRetried = Formula{
	ID: "restarts/resize-retried",
	Description: "deferred resizes are tried again when the API shows that another pod requests less; the highest " +
		"priority comes first",
	Source: "pkg/kubelet/kubelet.go HandlePodReconcile; " + allocationFile + " retryPendingResizes, sortPendingResizes",
	Implemented: func(in Input) Window {
		return fromDelete(
			upTo("PLEG relist of the pod that makes room", PLEGRelist), shown,
			upTo("watch of its status", watchLatency), upTo("PLEG relist of the resized pod", PLEGRelist),
			in.hookStarts(),
		)
	},
}

// ResizeAfterEnd is the time from the last death of a pod that is deleted to the kill by a resize that waits for its
// resources.
var ResizeAfterEnd = Formula{
	ID:          "restarts/resize-after-end",
	Description: "deferred resizes are tried again when another pod has ended, or its object is gone",
	Source: "pkg/kubelet/kubelet.go HandlePodRemoves, HandlePodReconcile; " + allocationFile +
		" retryPendingResizes",
	Implemented: func(in Input) Window {
		return fromDelete(tornDown, in.hookStarts())
	},
}

// ResizeErrorShown is the time from a resize below the memory in use to the condition PodResizeInProgress with the
// reason Error.
var ResizeErrorShown = Formula{
	ID:          "restarts/resize-error-shown",
	Description: "the sync that fails to resize notes the error; the next one, ten to fifteen seconds later, shows it",
	Source: "pkg/kubelet/kubelet.go SyncPod (SetPodResizeInProgressCondition after SetPodStatus); " +
		"pkg/kubelet/kuberuntime/kuberuntime_manager.go validateMemoryResizeAction; " +
		"pkg/kubelet/pod_workers.go completeWork",
	Implemented: always(span(
		watched, notRelisted, between("retry of a sync that failed", backOffPeriod, backOffPeriod*3/2),
		upTo("work queue", syncTick), shown,
	)),
}

// LoweredAfterRestart is how many errors a pod shows some time after the memory limits of containers were lowered in
// place that had restarted, and that use less. The kubelet takes the usage of a dead container for missing if the
// runtime lists it after the one of the same name that runs. containerd lists them in no order.
var LoweredAfterRestart = Formula{
	ID: "restarts/lowered-after-restart",
	Description: "a lower memory limit of a container that has restarted fails as long as the runtime lists the dead " +
		"container after the one that runs",
	Source: "pkg/kubelet/stats/cri_stats_provider.go PodCPUAndMemoryStats; " +
		"pkg/kubelet/kuberuntime/kuberuntime_manager.go validateMemoryResizeAction",
	Implemented:  always(window(Count, Term{Name: "an error for the usage of a dead container", Latest: 1})),
	LeftToChance: true,
	Documented:   promised(always(count("errors", 0))),
	Promise:      "A memory limit may be lowered in place if the container uses less.",
	DocumentedAt: resizePage,
}

// Mistakes of these formulas.
var (
	// AlwaysRestarts ignores the resizePolicy, or that a resize is not granted.
	AlwaysRestarts = mistake("a resize restarts a container that it must not restart", "kuberuntime_manager.go",
		always(count("ends", 1)))
	// KillsAgain forgets the resources of running containers with the kubelet's process.
	KillsAgain = mistake("a restarted kubelet kills a container again for an earlier resize",
		"kuberuntime_manager.go actuatedPodsStateFile",
		always(span(between("before the next resize", -kubeletStart, 0))))
	// RetriedAtTicks tries deferred resizes again only every three minutes.
	RetriedAtTicks = mistake("deferred resizes are tried again every three minutes only",
		"allocation_manager.go retryDelay", always(span(between("up to the next try", time.Minute, 3*time.Minute))))
)
