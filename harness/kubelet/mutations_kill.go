package kubelet

// hookSubtractedLast: until 1.28 a deletion's grace period was put in place again after the hook's time and the minimum had been applied (killContainer), so a
// deleted pod had neither formula, and nothing would be broken.
var hookSubtractedLast = Range{From: "v1.28.0"}

// killMutations break how a container is killed: its hook, its grace period, its turn among the sidecars.
func killMutations() []Mutation {
	return []Mutation{
		{
			Name: "hook-not-subtracted", Component: TheKubelet,
			File: "pkg/kubelet/kuberuntime/kuberuntime_container.go", Within: "kubeGenericRuntimeManager.killContainer",
			Now: "gracePeriod = gracePeriod - m.executePreStopHook", Mutant: "_ = m.executePreStopHook",
			Breaks: "The preStop hook's time is part of the grace period. " +
				"Here the whole grace period begins again when the hook has ended.",
			Versions: hookSubtractedLast, Reference: "kubernetes#115817",
		},
		{
			Name: "no-minimum-grace", Component: TheKubelet,
			File: "pkg/kubelet/kuberuntime/kuberuntime_manager.go", Within: "minimumGracePeriodInSeconds",
			Now: "minimumGracePeriodInSeconds = 2", Mutant: "minimumGracePeriodInSeconds = 0",
			Breaks: "A container has two seconds between SIGTERM and SIGKILL, whatever the hook left of its grace period. " +
				"Here it may have less, down to none.",
			Versions: hookSubtractedLast,
		},
	}
}
