package formula

// The formulas of pods that the kubelet does not take, because they do not fit its node. A scheduler would not have
// bound them.
var (
	// Refusal is the time from a pod's creation to its phase Failed.
	Refusal = Formula{
		ID:          "eviction/refusal",
		Description: "a kubelet refuses a pod that does not fit its node, or whose node is under pressure, at once",
		Source: "pkg/kubelet/lifecycle/predicate.go Admit, rejectPodAdmissionBasedOnOSSelector, " +
			"rejectPodAdmissionBasedOnOSField; pkg/kubelet/preemption/preemption.go HandleAdmissionFailure; " +
			"pkg/kubelet/eviction/eviction_manager.go Admit",
		Implemented: always(span(atAPIServer, watched, shown)),
	}
	// RefusalFor is 1 if the API gives the expected reason of the phase Failed, else 0.
	RefusalFor = Formula{
		ID: "eviction/refusal-for",
		Description: "the reason of a refused pod is the resource that the node lacks, or the predicate that fails; a critical " +
			"pod for which no others can make room has UnexpectedAdmissionError",
		Source:      "pkg/kubelet/lifecycle/predicate.go Admit; pkg/kubelet/preemption/preemption.go getPodsToPreempt",
		Implemented: always(count("reason", 1)),
	}
	// RefusedNever is how many lives the container of a refused pod has.
	RefusedNever = Formula{
		ID:          "eviction/refused-never-starts",
		Description: "a pod that the kubelet refuses has no process",
		Source:      "pkg/kubelet/kubelet.go HandlePodAdditions; pkg/kubelet/lifecycle/predicate.go Admit",
		Implemented: always(count("lives", 0)),
	}
)
