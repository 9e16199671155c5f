package formula

import "time"

// immediate reports whether the documentation promises an eviction without a grace period.
func (in Input) immediate() bool {
	c := in.Kill.Cause
	return (c == ByHardEviction || c == BySoftEviction) && in.requested() == 0
}

const evictionPromise = "A hard threshold means a grace period of 0 s, an immediate shutdown. " +

	"A soft one means the shorter of the pod's grace period and evictionMaxPodGracePeriod. " +
	"If that maximum is not set, the kill is immediate; if it is negative, the pod's own grace period applies."

// EvictionRemainder is the time from the stop signal to the death of an evicted process that ignores it.
var EvictionRemainder = Formula{
	ID: "eviction/remainder",
	Says: "an eviction by a hard threshold or a limit leaves one second, which becomes two; one by a soft " +
		"threshold leaves the shorter of evictionMaxPodGracePeriod and the pod's grace period",
	Source: "pkg/kubelet/eviction/eviction_manager.go synchronize, evictPod; pkg/kubelet/pod_workers.go " +
		"calculateEffectiveGracePeriod",
	Implemented: Remainder.Implemented,
	Documented: func(in Input) *Window {
		if in.immediate() {
			return new(span(append(signalToKill(), exactly("no grace period", 0))...))
		}
		return Remainder.Documented(in)
	},
	Promise:      evictionPromise,
	DocumentedAt: nodePressurePage,
	Issues:       Input.evictionGraceIssues,
}

// EvictionHookBound is the time from the beginning of a hook that hangs to the stop signal of an eviction.
var EvictionHookBound = Formula{
	ID: "eviction/hook-bound",
	Says: "an eviction without a grace period waits one second for a preStop hook, others wait until the " +
		"grace period is over",
	Source:      HookBound.Source,
	Implemented: HookBound.Implemented,
	Documented: func(in Input) *Window {
		if in.immediate() {
			return new(span(exactly("no grace period", 0),
				between("start of the hook, before its first mark", -HookStart(in.Kill.Hook), 0),
				upTo("runtime", runtimeLatency),
			))
		}
		return HookBound.Documented(in)
	},
	Promise:      evictionPromise,
	DocumentedAt: nodePressurePage,
	Issues:       Input.evictionGraceIssues,
}

// EventThenKill is the time from the arrival of the event with the reason of a pod's end to its hook or its stop
// signal. The event is written first and travels separately.
var EventThenKill = Formula{
	ID: "eviction/event-then-kill",
	Says: "the kill begins when the event is written, as soon as the pod's worker has a status newer than its last " +
		"sync",
	Source: "pkg/kubelet/eviction/eviction_manager.go evictPod; pkg/kubelet/preemption/preemption.go " +
		"evictPodsToFreeRequests",
	Implemented: func(in Input) Window {
		return span(append(in.killBegins(), between("way of the event", -eventWay, 0))...)
	},
}

// DisruptionTarget is whether the API shows the condition of this name together with the phase Failed: 1 or 0.
var DisruptionTarget = Formula{
	ID: "eviction/disruption-target",
	Says: "a pod that a threshold evicts or a critical pod preempts has the condition DisruptionTarget; one that " +
		"exceeds a limit of its own has not",
	Source: "pkg/kubelet/eviction/eviction_manager.go synchronize, localStorageEviction; " +
		"pkg/kubelet/preemption/preemption.go",
	Implemented: func(in Input) Window {
		if in.Kill.Cause == ByStorageLimit || !in.Kubelet.Has(DisruptionConditions) {
			return count("conditions", 0)
		}
		return count("condition", 1)
	},
	Documented: func(in Input) *Window {
		if in.Kill.Cause == ByStorageLimit || !in.Kubelet.Has(DisruptionConditions) {
			return nil
		}
		return new(count("condition", 1))
	},
	Promise: "A pod that the kubelet ends because of node pressure, or to make room for a critical pod, has the " +
		"condition DisruptionTarget.",
	DocumentedAt: "https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions",
}

// EvictedReason is whether the API gives Evicted as the reason of the phase Failed: 1 or 0. The kubelet keeps the
// reason only if the phase that follows from the containers' ends is the phase that it wrote when it decided to
// evict.
var EvictedReason = Formula{
	ID: "eviction/reason",
	Says: "a pod that was evicted by a threshold or a limit, and whose process was killed, has failed with " +
		"the reason Evicted",
	Source: "pkg/kubelet/eviction/eviction_manager.go evictPod; pkg/kubelet/kubelet_pods.go " +
		"generateAPIPodStatus (preserve the reason)",
	Implemented:  always(count("reason", 1)),
	Documented:   promised(always(count("reason", 1))),
	Promise:      "The kubelet sets the phase of a pod that it evicts to Failed, and the reason to Evicted.",
	DocumentedAt: nodePressurePage,
}

// EndedForGood is how many lives a container of an evicted or preempted pod has had.
var EndedForGood = Formula{
	ID:          "eviction/ended-for-good",
	Says:        "the containers of an evicted pod are not started again, whatever its restartPolicy",
	Source:      "pkg/kubelet/pod_workers.go UpdatePod (a terminating pod is never synced again)",
	Implemented: always(count("life", 1)),
}

// ObjectStays is how many objects of an evicted or preempted pod exist some seconds after it has Failed.
var ObjectStays = Formula{
	ID:           "eviction/object-stays",
	Says:         "a pod that the kubelet ended stays as an object with the phase Failed: no request deleted it",
	Source:       "pkg/kubelet/status/status_manager.go canBeDeleted (only with a deletionTimestamp)",
	Implemented:  always(count("object", 1)),
	Documented:   promised(always(count("object", 1))),
	Promise:      "The object of a failed pod remains until a person or a controller removes it.",
	DocumentedAt: "https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-garbage-collection",
}

// PreemptionStart is the time from creating a critical pod that does not fit to the kill of the pod that makes room.
var PreemptionStart = Formula{
	ID:     "eviction/preemption-start",
	Says:   "the kubelet ends a pod for a critical one as soon as it sees that the critical one does not fit",
	Source: "pkg/kubelet/lifecycle/predicate.go Admit; pkg/kubelet/preemption/preemption.go HandleAdmissionFailure",
	Implemented: func(in Input) Window {
		return span(append([]Term{upTo("watch", watchLatency)}, in.killBegins()...)...)
	},
}

// PreemptorStart is the time from the death of the pod that makes room to the start of the critical pod's container.
var PreemptorStart = Formula{
	ID:     "eviction/preemptor-start",
	Says:   "the critical pod starts after the death of the pod that makes room",
	Source: "pkg/kubelet/preemption/preemption.go evictPodsToFreeRequests (killPodFunc blocks)",
	Implemented: func(Input) Window {
		return span(upTo("sandbox stopped", sandboxStop),
			upTo("sandbox started", sandboxStart),
			upTo("create and start", containerStart),
		)
	},
}

// fullGrace returns the window of an eviction with a grace period of n seconds.
func fullGrace(name string, n int64) Window {
	return span(append(signalToKill(), exactly(name, seconds(max(minimumGracePeriodInSeconds, n))))...)
}

// Rivals of the formulas of evicted pods' deaths.
var (
	// PodGraceOnEviction gives the pod its own grace period.
	PodGraceOnEviction = Rival{
		Name: "an eviction without a grace period leaves the pod its own grace period", Reference: "kubernetes#115819",
		Would: func(in Input) Window {
			return fullGrace("the pod's own grace period", in.Kill.TerminationGracePeriodSeconds)
		},
	}
	// SoftMaximumOnHard gives the pod the grace period of a soft threshold.
	SoftMaximumOnHard = Rival{
		Name:      "evictionMaxPodGracePeriod also counts for a hard threshold",
		Reference: "eviction/eviction_manager.go synchronize (isHardEvictionThreshold)",
		Would: func(in Input) Window {
			return fullGrace(
				"the shorter of evictionMaxPodGracePeriod and the pod's own grace period", in.softEviction(),
			)
		},
	}
	// LengthenedBySoftMaximum gives the pod the node's maximum though its own grace period is shorter.
	LengthenedBySoftMaximum = Rival{
		Name: "evictionMaxPodGracePeriod lengthens the pod's own grace period", Reference: "kubernetes#64530",
		Would: func(in Input) Window {
			return fullGrace("evictionMaxPodGracePeriod", in.Kubelet.EvictionMaxPodGracePeriod)
		},
	}
	// NegativeMaximumDefers does what the flag's help describes, which no release did.
	NegativeMaximumDefers = Rival{
		Name: "a negative maximum leaves the pod its own grace period, as documented", Reference: "kubernetes#118172",
		Would: PodGraceOnEviction.Would,
	}
	// FailedWhileDying shows the phase when the kill begins.
	FailedWhileDying = Rival{
		Name: "the pod is shown as Failed while its containers are dying", Reference: "kubernetes PR 108366",
		Would: func(in Input) Window {
			alive := in.hookPart().High + in.remainder(0)
			return span(between("from the kill to the death", -alive-runtimeLatency, -time.Millisecond))
		},
	}
	// EvictedAndRestarted starts the containers of an evicted pod again.
	EvictedAndRestarted = Rival{
		Name: "an evicted pod's container is started again", Reference: "kubernetes#105358",
		Would: always(count("lives", 2)),
	}
	// PreemptorFirst starts the critical pod beside the one that makes room.
	PreemptorFirst = Rival{
		Name:      "the critical pod starts while the other one lives",
		Reference: "preemption/preemption.go evictPodsToFreeRequests",
		Would: func(in Input) Window {
			return span(between("the other pod's remaining life", -in.remainder(0), -time.Millisecond))
		},
	}
)
