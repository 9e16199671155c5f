package formula

import "time"

func (in Input) immediate() bool {
	c := in.Kill.Cause
	return (c == ByHardEviction || c == BySoftEviction) && in.requested() == 0
}

const evictionPromise = "A hard threshold means a grace period of 0 s, an immediate shutdown. " +

	"A soft one means the shorter of the pod's grace period and evictionMaxPodGracePeriod. " +
	"If that maximum is not set, the kill is immediate; if it is negative, the pod's own grace period applies."

// EvictionRemainder is the time from an evicted pod's SIGTERM to its death.
var EvictionRemainder = Formula{
	ID: "eviction/remainder",
	Description: "a hard threshold or a limit leaves two seconds, a soft threshold the shorter of evictionMaxPodGracePeriod " +
		"and the pod's grace period",
	Source: "pkg/kubelet/eviction/eviction_manager.go synchronize, evictPod; pkg/kubelet/pod_workers.go " +
		"calculateEffectiveGracePeriod",
	Implemented: Remainder.Implemented,
	Documented: func(in Input) *Window {
		if in.immediate() {
			return new(fromSignal(exactly("no grace period", 0)))
		}
		return Remainder.Documented(in)
	},
	Promise:      evictionPromise,
	DocumentedAt: nodePressurePage,
	Issues:       Input.evictionGraceIssues,
}

// EvictionHookBound is the time from the start of a hook that hangs to an eviction's SIGTERM.
var EvictionHookBound = Formula{
	ID:          "eviction/hook-bound",
	Description: "an eviction without a grace period waits one second for a hook, others their grace period",
	Source:      HookBound.Source,
	Implemented: HookBound.Implemented,
	Documented: func(in Input) *Window {
		if in.immediate() {
			return new(span(exactly("no grace period", 0),
				in.hookBegan(),
				atRuntime,
			))
		}
		return HookBound.Documented(in)
	},
	Promise:      evictionPromise,
	DocumentedAt: nodePressurePage,
	Issues:       Input.evictionGraceIssues,
}

// EventThenKill is the time from the event with the reason of a pod's end to the kill's first sign.
var EventThenKill = Formula{
	ID:          "eviction/event-then-kill",
	Description: "the kill begins when the event is written, as soon as the pod worker has a new status",
	Source: "pkg/kubelet/eviction/eviction_manager.go evictPod; pkg/kubelet/preemption/preemption.go " +
		"evictPodsToFreeRequests",
	Implemented: func(in Input) Window {
		return span(append(in.killBegins(), between("way of the event", -eventWay, 0))...)
	},
}

// DisruptionTarget is 1 if the API shows this condition with the phase Failed, else 0.
var DisruptionTarget = Formula{
	ID: "eviction/disruption-target",
	Description: "a pod that a threshold evicts, a critical pod preempts or a node's shutdown ends has the condition, one " +
		"above its own limit has not",
	Source: "pkg/kubelet/eviction/eviction_manager.go synchronize, localStorageEviction; " +
		"pkg/kubelet/preemption/preemption.go evictPodsToFreeRequests; " +
		"pkg/kubelet/nodeshutdown/nodeshutdown_manager.go killPods",
	Implemented: func(in Input) Window {
		if !in.disruption() {
			return count("conditions", 0)
		}
		return count("condition", 1)
	},
	Documented: func(in Input) *Window {
		if !in.disruption() {
			return nil
		}
		return new(count("condition", 1))
	},
	Promise: "A pod that the kubelet ends for node pressure, a critical pod or the node's shutdown has the condition " +
		"DisruptionTarget.",
	DocumentedAt: "https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions",
}

// disruption reports whether the kubelet gives a pod that it ends the condition DisruptionTarget.
func (in Input) disruption() bool {
	switch in.Kill.Cause {
	case ByStorageLimit:
		return false
	case ByPreemption:
		return in.Kubelet.Has(DisruptionConditions) && in.Kubelet.Has(PreemptionCondition)
	}
	return in.Kubelet.Has(DisruptionConditions)
}

// EvictedReason is 1 if the API gives Evicted as the reason of the phase Failed, else 0. The kubelet keeps the reason
// only if the containers' ends lead to the phase that it wrote when it evicted.
var EvictedReason = documented(Formula{
	ID:          "eviction/reason",
	Description: "an evicted pod whose process was killed has failed with the reason Evicted",
	Source: "pkg/kubelet/eviction/eviction_manager.go evictPod; pkg/kubelet/kubelet_pods.go " +
		"generateAPIPodStatus (preserve the reason)",
	Implemented: always(count("reason", 1)),
	Promise:     "An evicted pod's phase is Failed, its reason Evicted.", DocumentedAt: nodePressurePage,
})

// SuccessReason is EvictedReason of a pod whose container always restarts, and ends with 0 on SIGTERM.
var SuccessReason = Formula{
	ID: "eviction/reason-after-success",
	Description: "an evicted pod whose containers succeed has failed with the reason Evicted; from 1.27 to 1.37 it " +
		"has succeeded, without a reason",
	Source: "pkg/kubelet/kubelet.go SyncTerminatingPod; pkg/kubelet/kubelet_pods.go generateAPIPodStatus, getPhase",
	// A relist between the container's death and the reading of its end removes the container, as with [LostCode].
	Implemented: func(in Input) Window {
		if in.Kubelet.Has(FinishedDeletes) && !in.Kubelet.Has(FailureKept) {
			lost := in.Kubelet.Has(RelistsOnStop) || in.life(1).ExitCode == unknownCode
			return count("reason", 0).unless(lost, "container removed before its end is read", 1)
		}
		return count("reason", 1)
	},
	Documented:   EvictedReason.Documented,
	Promise:      EvictedReason.Promise,
	DocumentedAt: nodePressurePage,
	Issues:       issues("kubernetes#118310, kubernetes#120182"),
}

// LostCode is the exit code in the API of a container that ends by itself on SIGTERM while another one of its evicted
// pod is still being killed: one whose hook hangs and that ignores SIGTERM.
var LostCode = Formula{
	ID: "eviction/lost-exit-code",
	Description: "a dead container of an evicted pod may be removed before its end is written, if the kill of others goes " +
		"on: the API then shows 137, whatever the exit code",
	Source: "pkg/kubelet/pod_workers.go ShouldPodContentBeRemoved (IsEvicted); pkg/kubelet/kubelet.go " +
		"cleanUpContainersInPod; pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses",
	// The removal and the writing of the end race. On real nodes of v1.37.2 the code survived in one run of four. No
	// third code is possible.
	Implemented: func(in Input) Window {
		if in.life(in.Life).ExitCode == unknownCode {
			return window(ExitCode, Term{Name: "ContainerStatusUnknown", Earliest: unknownCode, Latest: unknownCode})
		}
		return ownCode(in)
	},
	Documented: promised(ownCode),
	Promise:    "The state of a container that has ended shows its exit code.", DocumentedAt: terminatedPage,
	Issues: issues("kubernetes#104107, kubernetes#122160"),
}

func ownCode(in Input) Window {
	return window(ExitCode, Term{Name: "exit code", Earliest: int64(in.OwnExitCode), Latest: int64(in.OwnExitCode)})
}

// unknownCode is the exit code of an end that the kubelet does not know (kubelet_pods.go
// convertToAPIContainerStatuses).
const unknownCode = 137

// EndedForGood is how many lives an evicted or preempted pod's container has had.
var EndedForGood = Formula{
	ID: "eviction/ended-for-good",
	Description: "the containers of an evicted pod are not started again, whatever its restartPolicy; a kubelet that " +
		"restarts knows of no eviction, and starts one that died meanwhile",
	Source: "pkg/kubelet/pod_workers.go UpdatePod (a terminating pod is never synced again; its state is in memory only)",
	Implemented: func(in Input) Window {
		return count("life", 1).unless(in.diedUnseen(), "a life that a restarted kubelet started", 1)
	},
}

// ObjectStays is how many objects of an evicted or preempted pod still exist after some seconds.
var ObjectStays = documented(Formula{
	ID:           "eviction/object-stays",
	Description:  "a pod that the kubelet ended stays as an object: no request deleted it",
	Source:       "pkg/kubelet/status/status_manager.go canBeDeleted (only with a deletionTimestamp)",
	Implemented:  always(count("object", 1)),
	Promise:      "The object of a failed pod remains until somebody removes it.",
	DocumentedAt: lifecyclePage + "#pod-garbage-collection",
})

// NotEvicted is how often a pod ends while others on its node are evicted, if nothing allows its own eviction.
var NotEvicted = Formula{
	ID: "eviction/lives-on",
	Description: "a pod below its own limits, a critical one, one whose room a preemptor does not need, or one behind those " +
		"whose end relieves the node, is not ended with others",
	Source: "pkg/kubelet/eviction/eviction_manager.go localStorageEviction, emptyDirLimitEviction, evictPod " +
		"(IsCriticalPod); pkg/kubelet/eviction/helpers.go rankDiskPressureFunc; " +
		"pkg/kubelet/preemption/preemption.go getPodsToPreempt, getPodsToPreemptByDistance",
	Implemented: always(count("ends", 0)),
}

// EvictedAgain is the time from a kubelet's restart within the eviction of a pod above an emptyDir's limit to the first
// sign of its next kill.
var EvictedAgain = Formula{
	ID: "eviction/evicted-again",
	Description: "a kubelet that restarts within an eviction does not know of it: the pod runs until it is evicted " +
		"again",
	Source: "pkg/kubelet/pod_workers.go UpdatePod (its state is in memory only); " +
		"pkg/kubelet/status/status_manager.go mergePodStatus (the API learns of an eviction with the death); " +
		VolumeLimitFound(0).Source,
	Implemented: func(in Input) Window {
		w := VolumeLimitFound(0).Implemented(in)
		for _, t := range in.firstLook() {
			w = w.With(t)
		}
		return w
	},
}

// CriticalEvicted spares no pod.
var CriticalEvicted = mistake("a critical pod is evicted like any other", "eviction/eviction_manager.go evictPod",
	always(count("ends", 1)))

// PreemptionStart is the time from a critical pod's creation to the kill that makes room.
var PreemptionStart = Formula{
	ID:          "eviction/preemption-start",
	Description: "the kubelet ends a pod as soon as it sees that a critical one does not fit",
	Source:      "pkg/kubelet/lifecycle/predicate.go Admit; pkg/kubelet/preemption/preemption.go HandleAdmissionFailure",
	Implemented: func(in Input) Window {
		return span(append([]Term{watched}, in.killBegins()...)...)
	},
}

// PreemptorStart is the time from the preempted pod's death to the critical container's start.
var PreemptorStart = Formula{
	ID:          "eviction/preemptor-start",
	Description: "the critical pod starts after the death of the pod that makes room",
	Source:      "pkg/kubelet/preemption/preemption.go evictPodsToFreeRequests (killPodFunc blocks)",
	Implemented: always(span(upTo("sandbox stopped", sandboxStop), upTo("sandbox started", sandboxStart), started)),
}

// PreemptedNext is the time from one preempted pod's death to the kill of another for the same critical pod.
var PreemptedNext = Formula{
	ID:          "eviction/preempted-next",
	Description: "pods that make room for one critical pod end one after another",
	Source: "pkg/kubelet/preemption/preemption.go getPodsToPreempt, smallerResourceRequest, evictPodsToFreeRequests " +
		"(killPodFunc blocks)",
	Implemented: func(in Input) Window {
		return span(append([]Term{upTo("sandbox stopped", sandboxStop)}, in.killBegins()...)...)
	},
}

func fullGrace(name string, n int64) Window {
	return fromSignal(exactly(name, seconds(max(minimumGracePeriodInSeconds, n))))
}

// Mistakes of the formulas of evicted pods' deaths.
var (
	// PodGraceOnEviction gives the pod its own grace period.
	PodGraceOnEviction = mistake("an eviction without a grace period leaves the pod its own grace period",
		"kubernetes#115819", func(in Input) Window {
			return fullGrace("the pod's own grace period", in.Kill.TerminationGracePeriodSeconds)
		})
	// SoftMaximumOnHard gives the pod a soft threshold's grace period.
	SoftMaximumOnHard = mistake("evictionMaxPodGracePeriod also counts for a hard threshold",
		"eviction/eviction_manager.go synchronize (isHardEvictionThreshold)", func(in Input) Window {
			return fullGrace(
				"the shorter of evictionMaxPodGracePeriod and the pod's own grace period", in.softEviction(),
			)
		})
	// LengthenedBySoftMaximum ignores a pod's shorter grace period.
	LengthenedBySoftMaximum = mistake("evictionMaxPodGracePeriod lengthens the pod's own grace period",
		"kubernetes#64530", func(in Input) Window {
			return fullGrace("evictionMaxPodGracePeriod", in.Kubelet.EvictionMaxPodGracePeriod)
		})
	// NegativeMaximumDefers obeys the flag's help, as no release did.
	NegativeMaximumDefers = mistake("a negative maximum leaves the pod its own grace period, as documented",
		"kubernetes#118172", PodGraceOnEviction.Would)
	// FailedWhileDying shows the phase when the kill begins.
	FailedWhileDying = mistake("the pod is shown as Failed while its containers are dying", "kubernetes PR 108366",
		func(in Input) Window {
			alive := in.hookPart().High + in.remainder(0)
			return span(between("from the kill to the death", -alive-runtimeLatency, -time.Millisecond))
		})
	// EvictedAndRestarted restarts evicted containers.
	EvictedAndRestarted = mistake("an evicted pod's container is started again", "kubernetes#105358",
		always(count("lives", 2)))
	// PreemptorFirst starts the critical pod too early.
	PreemptorFirst = mistake("the critical pod starts while the other one lives",
		"preemption/preemption.go evictPodsToFreeRequests", func(in Input) Window {
			lives := max(in.remainder(0), time.Millisecond)
			return span(between("the other pod's remaining life", -lives, -time.Millisecond))
		})
)
