package mutation

// The files of the kill path.
const (
	runtimeManager   = "pkg/kubelet/kuberuntime/kuberuntime_manager.go"
	containerRuntime = "pkg/kubelet/kuberuntime/kuberuntime_container.go"
	killContainer    = "kubeGenericRuntimeManager.killContainer"
)

// hookSubtractedLast is since killContainer subtracts the hook's time and applies the minimum last. Before
// 1.28 it set a deletion's grace period again afterwards, so a deleted pod had neither formula.
var hookSubtractedLast = Range{From: "v1.28.0"}

// graceMutations break the grace period of a kill, and what is left of it at SIGTERM.
func graceMutations() []Mutation {
	shared := Mutation{File: containerRuntime, Formula: "termination/remainder", Versions: since134}
	return with(shared, []Mutation{
		{
			Name: "hook-not-subtracted", Within: killContainer,
			Now: "gracePeriod = gracePeriod - m.executePreStopHook", Mutant: "_ = m.executePreStopHook",
			Breaks: "The preStop hook's time is part of the grace period. The mutant restarts the grace period when " +
				"the hook ends.",
			Versions: hookSubtractedLast, Reference: "kubernetes#115817",
		},
		{
			Name: "no-minimum-grace", File: runtimeManager, Within: "minimumGracePeriodInSeconds",
			Now: "minimumGracePeriodInSeconds = 2", Mutant: "minimumGracePeriodInSeconds = 0",
			Breaks: "A container has two seconds between SIGTERM and SIGKILL, even if the hook used its grace " +
				"period. The mutant has no minimum.",
			Versions: hookSubtractedLast,
		},
		{
			Name: "minimum-grace-five", File: runtimeManager, Within: "minimumGracePeriodInSeconds",
			Now: "minimumGracePeriodInSeconds = 2", Mutant: "minimumGracePeriodInSeconds = 5",
			Breaks: "A container without remaining grace has two seconds between SIGTERM and SIGKILL. The mutant " +
				"gives five, also instead of shorter grace periods.",
			Versions: hookSubtractedLast,
		},
		{
			Name: "override-ignored", Within: killContainer,
			Now: "if gracePeriodOverride != nil {", Mutant: "if false {",
			Breaks: "Each kill of a pod comes with a grace period. The mutant uses the container's own: an eviction " +
				"leaves the pod's, and a force delete leaves none and runs no hook.",
		},
		{
			Name: "grace-halved", Within: killContainer,
			Now:    "m.runtimeService.StopContainer(ctx, containerID.ID, gracePeriod)",
			Mutant: "m.runtimeService.StopContainer(ctx, containerID.ID, gracePeriod/2)",
			Breaks: "SIGKILL comes when the remaining grace period has passed since SIGTERM. The mutant sends it " +
				"after half of that time.",
		},
		{
			Name: "deletion-grace-from-spec", Within: "setTerminationGracePeriod",
			Now: "return *pod.DeletionGracePeriodSeconds", Mutant: "return *pod.Spec.TerminationGracePeriodSeconds",
			Breaks: "A container of a deleted pod has the grace period of the delete. The mutant uses the pod's own.",
			Unseen: "A pod worker that sees a deletion timestamp only ends the pod (UpdatePod). It always sets a " +
				"grace period (calculateEffectiveGracePeriod), which replaces this one in killContainer. A kill " +
				"within a sync uses a copy of the pod without the timestamp.",
		},
		{
			Name: "liveness-grace-from-pod", Within: "setTerminationGracePeriod",
			Now:    "*containerSpec.LivenessProbe.TerminationGracePeriodSeconds",
			Mutant: "*pod.Spec.TerminationGracePeriodSeconds",
			Breaks: "The liveness probe's own grace period overrides the pod's. The mutant ignores it.",
		},
		{
			Name: "startup-grace-from-pod", Within: "setTerminationGracePeriod",
			Now:    "*containerSpec.StartupProbe.TerminationGracePeriodSeconds",
			Mutant: "*pod.Spec.TerminationGracePeriodSeconds",
			Breaks: "The startup probe's own grace period overrides the pod's. The mutant ignores it.",
		},
		{
			Name: "liveness-kill-without-reason", File: runtimeManager,
			Within: "kubeGenericRuntimeManager.computePodActions",
			Now:    "reason = reasonLivenessProbe", Mutant: "reason = reasonUnknown",
			Breaks: "A kill because of a liveness probe uses that probe's grace period. The mutant loses the reason " +
				"of the kill and uses the pod's.",
		},
		{
			Name: "startup-kill-as-liveness", File: runtimeManager,
			Within: "kubeGenericRuntimeManager.computePodActions",
			Now:    "reason = reasonStartupProbe", Mutant: "reason = reasonLivenessProbe",
			Breaks: "A kill because of a startup probe uses that probe's grace period. The mutant uses the liveness " +
				"probe's.",
		},
		{
			Name: "sidecar-kill-without-reason", Within: "kubeGenericRuntimeManager.computeInitContainerActions",
			Now: "reason: reasonLivenessProbe", Mutant: "reason: reasonUnknown",
			Breaks: "A kill of a sidecar because of its liveness probe uses that probe's grace period. The mutant " +
				"loses the reason of the kill and uses the pod's.",
		},
		{
			Name: "restart-all-with-grace", File: runtimeManager, Within: "kubeGenericRuntimeManager.SyncPod",
			Now: "var gracePeriod int64 = 0", Mutant: "var gracePeriod int64 = 10",
			Breaks: "A restart of all containers leaves them two seconds and runs no hook. The mutant leaves ten " +
				"seconds and runs the hooks.",
			Versions: since135,
		},
	})
}
