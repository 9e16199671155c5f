package mutation

// The files of the kill path.
const (
	runtimeManager   = "pkg/kubelet/kuberuntime/kuberuntime_manager.go"
	containerRuntime = "pkg/kubelet/kuberuntime/kuberuntime_container.go"
	killContainer    = "kubeGenericRuntimeManager.killContainer"
)

// hookSubtractedLast is since killContainer subtracts the hook's time and applies the minimum last. Before 1.28 it set
// a deletion's grace period again afterwards.
var hookSubtractedLast = Range{From: "v1.28.0"}

func graceMutations() []Mutation {
	shared := Mutation{File: containerRuntime, Formula: "termination/remainder", Versions: since134}
	return with(shared, []Mutation{
		{
			Name: "hook-not-subtracted", Within: killContainer,
			Now: "gracePeriod = gracePeriod - m.executePreStopHook", Mutant: "_ = m.executePreStopHook",
			Breaks: "The hook's time is part of the grace period. The mutant restarts the grace period when the hook " +
				"ends.",
			Versions: hookSubtractedLast, Reference: "kubernetes#115817",
		},
		constant(Mutation{
			Name: "no-minimum-grace", File: runtimeManager, Within: "minimumGracePeriodInSeconds",
			Now: "2", Mutant: "0",
			Breaks:   "A container has at least two seconds between SIGTERM and SIGKILL. The mutant has no minimum.",
			Versions: hookSubtractedLast,
		}),
		constant(Mutation{
			Name: "minimum-grace-five", File: runtimeManager, Within: "minimumGracePeriodInSeconds",
			Now: "2", Mutant: "5",
			Breaks:   "A container has at least two seconds between SIGTERM and SIGKILL. The mutant gives five.",
			Versions: hookSubtractedLast,
		}),
		{
			Name: "override-ignored", Within: killContainer,
			Now: "if gracePeriodOverride != nil {", Mutant: "if false {",
			Breaks: "Each kill of a pod comes with a grace period. The mutant uses the container's own.",
		}, {
			Name: "grace-halved", Within: killContainer,
			Now:    "m.runtimeService.StopContainer(ctx, containerID.ID, gracePeriod)",
			Mutant: "m.runtimeService.StopContainer(ctx, containerID.ID, gracePeriod/2)",
			Breaks: "SIGKILL comes at the end of the remaining grace period. The mutant sends it after half of that.",
		}, {
			Name: "grace-halved-at-times", Within: killContainer,
			Now:    "m.runtimeService.StopContainer(ctx, containerID.ID, gracePeriod)",
			Mutant: "m.runtimeService.StopContainer(ctx, containerID.ID, gracePeriod>>(pod.UID[0]&1))",
			Breaks: "SIGKILL comes at the end of the remaining grace period. The mutant sends it after half of that " +
				"in half of the pods.",
		}, {
			Name: "deletion-grace-from-spec", Within: "setTerminationGracePeriod",
			Now: "return *pod.DeletionGracePeriodSeconds", Mutant: "return *pod.Spec.TerminationGracePeriodSeconds",
			Breaks: "A container of a deleted pod has the grace period of the delete. The mutant uses the pod's own.",
			Equivalent: "A pod worker always sets a grace period for a deleted pod (UpdatePod, " +
				"calculateEffectiveGracePeriod), which replaces this one in killContainer. A kill within a sync uses " +
				"a copy of the pod without the timestamp.",
		}, {
			Name: "liveness-grace-from-pod", Within: "setTerminationGracePeriod",
			Now:    "*containerSpec.LivenessProbe.TerminationGracePeriodSeconds",
			Mutant: "*pod.Spec.TerminationGracePeriodSeconds",
			Breaks: "The liveness probe's own grace period overrides the pod's. The mutant ignores it.",
		}, {
			Name: "startup-grace-from-pod", Within: "setTerminationGracePeriod",
			Now:    "*containerSpec.StartupProbe.TerminationGracePeriodSeconds",
			Mutant: "*pod.Spec.TerminationGracePeriodSeconds",
			Breaks: "The startup probe's own grace period overrides the pod's. The mutant ignores it.",
		}, {
			Name: "liveness-kill-without-reason", File: runtimeManager,
			Within: "kubeGenericRuntimeManager.computePodActions",
			Now:    "reason = reasonLivenessProbe", Mutant: "reason = reasonUnknown",
			Breaks: "A liveness kill uses the probe's grace period. The mutant loses the reason and uses the pod's.",
		}, {
			Name: "startup-kill-as-liveness", File: runtimeManager,
			Within: "kubeGenericRuntimeManager.computePodActions",
			Now:    "reason = reasonStartupProbe", Mutant: "reason = reasonLivenessProbe",
			Breaks: "A startup kill uses that probe's grace period. The mutant uses the liveness probe's.",
		}, {
			Name: "sidecar-kill-without-reason", Within: "kubeGenericRuntimeManager.computeInitContainerActions",
			Now: "reason: reasonLivenessProbe", Mutant: "reason: reasonUnknown",
			Breaks: "A sidecar's liveness kill uses the probe's grace period. The mutant loses the reason and uses " +
				"the pod's.",
		}, {
			Name: "restart-all-with-grace", File: runtimeManager, Within: "kubeGenericRuntimeManager.SyncPod",
			Now: "var gracePeriod int64 = 0", Mutant: "var gracePeriod int64 = 10",
			Breaks: "A restart of all containers leaves two seconds and runs no hook. The mutant leaves ten and runs " +
				"hooks.",
			Versions: since135,
		},
	})
}
