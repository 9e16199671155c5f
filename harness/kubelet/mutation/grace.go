package mutation

// The files of the kill path.
const (
	runtimeManager   = "pkg/kubelet/kuberuntime/kuberuntime_manager.go"
	containerRuntime = "pkg/kubelet/kuberuntime/kuberuntime_container.go"
	killContainer    = "kubeGenericRuntimeManager.killContainer"
)

// hookSubtractedLast: until 1.28 a deletion's grace period was put in place again after the hook's time and
// the minimum had been applied (killContainer), so a deleted pod had neither formula, and nothing would be
// broken.
var hookSubtractedLast = Range{From: "v1.28.0"}

// graceMutations break which grace period a kill has, and what of it is left when SIGTERM is sent.
func graceMutations() []Mutation {
	return []Mutation{
		{
			Name: "hook-not-subtracted", File: containerRuntime, Within: killContainer,
			Now: "gracePeriod = gracePeriod - m.executePreStopHook", Mutant: "_ = m.executePreStopHook",
			Breaks: "The preStop hook's time is part of the grace period. Here the whole grace period begins again " +
				"when the hook has ended.",
			Formula: "termination/remainder", Versions: hookSubtractedLast, Reference: "kubernetes#115817",
		},
		{
			Name: "no-minimum-grace", File: runtimeManager, Within: "minimumGracePeriodInSeconds",
			Now: "minimumGracePeriodInSeconds = 2", Mutant: "minimumGracePeriodInSeconds = 0",
			Breaks: "A container has two seconds between SIGTERM and SIGKILL, whatever the hook left of its grace " +
				"period. Here it may have less, down to none.",
			Formula: "termination/remainder", Versions: hookSubtractedLast,
		},
		{
			Name: "minimum-grace-five", File: runtimeManager, Within: "minimumGracePeriodInSeconds",
			Now: "minimumGracePeriodInSeconds = 2", Mutant: "minimumGracePeriodInSeconds = 5",
			Breaks: "A container whose grace period is spent has two seconds between SIGTERM and SIGKILL. Here it " +
				"has five, and so has every shorter grace period.",
			Formula: "termination/remainder", Versions: hookSubtractedLast,
		},
		{
			Name: "override-ignored", File: containerRuntime, Within: killContainer,
			Now: "if gracePeriodOverride != nil {", Mutant: "if false {",
			Breaks: "Whoever has a pod killed says with what grace period. Here the container's own is taken: an " +
				"eviction leaves the pod's, and a force delete none, so that no hook is run.",
			Formula: "termination/remainder", Versions: since134,
		},
		{
			Name: "grace-halved", File: containerRuntime, Within: killContainer,
			Now:    "m.runtimeService.StopContainer(ctx, containerID.ID, gracePeriod)",
			Mutant: "m.runtimeService.StopContainer(ctx, containerID.ID, gracePeriod/2)",
			Breaks: "SIGKILL comes when the grace period that is left has passed since SIGTERM. Here it comes after " +
				"half of it.",
			Formula: "termination/remainder", Versions: since134,
		},
		{
			Name: "deletion-grace-from-spec", File: containerRuntime, Within: "setTerminationGracePeriod",
			Now: "return *pod.DeletionGracePeriodSeconds", Mutant: "return *pod.Spec.TerminationGracePeriodSeconds",
			Breaks: "A container of a pod that is being deleted has the grace period of the delete. Here it has the " +
				"pod's own.",
			Unseen: "A pod worker that sees a deletion timestamp only ends the pod (UpdatePod), and then always " +
				"says with what grace period (calculateEffectiveGracePeriod), which replaces this one in " +
				"killContainer. A kill within a sync has the pod as it was when the sync began, a copy without the " +
				"timestamp.",
			Formula: "termination/remainder", Versions: since134,
		},
		{
			Name: "liveness-grace-from-pod", File: containerRuntime, Within: "setTerminationGracePeriod",
			Now:     "*containerSpec.LivenessProbe.TerminationGracePeriodSeconds",
			Mutant:  "*pod.Spec.TerminationGracePeriodSeconds",
			Breaks:  "The liveness probe's own grace period comes before the pod's. Here it is ignored.",
			Formula: "termination/remainder", Versions: since134,
		},
		{
			Name: "startup-grace-from-pod", File: containerRuntime, Within: "setTerminationGracePeriod",
			Now:     "*containerSpec.StartupProbe.TerminationGracePeriodSeconds",
			Mutant:  "*pod.Spec.TerminationGracePeriodSeconds",
			Breaks:  "The startup probe's own grace period comes before the pod's. Here it is ignored.",
			Formula: "termination/remainder", Versions: since134,
		},
		{
			Name: "liveness-kill-without-reason", File: runtimeManager,
			Within: "kubeGenericRuntimeManager.computePodActions",
			Now:    "reason = reasonLivenessProbe", Mutant: "reason = reasonUnknown",
			Breaks: "The kill of a container that fails its liveness probe has that probe's grace period. Here the " +
				"kill does not know why it is made, and takes the pod's.",
			Formula: "termination/remainder", Versions: since134,
		},
		{
			Name: "startup-kill-as-liveness", File: runtimeManager,
			Within: "kubeGenericRuntimeManager.computePodActions",
			Now:    "reason = reasonStartupProbe", Mutant: "reason = reasonLivenessProbe",
			Breaks: "The kill of a container that fails its startup probe has the startup probe's grace period. " +
				"Here it is taken for a liveness probe's, and has that one's.",
			Formula: "termination/remainder", Versions: since134,
		},
		{
			Name: "sidecar-kill-without-reason", File: containerRuntime,
			Within: "kubeGenericRuntimeManager.computeInitContainerActions",
			Now:    "reason: reasonLivenessProbe", Mutant: "reason: reasonUnknown",
			Breaks: "The kill of a sidecar that fails its liveness probe has that probe's grace period. Here the " +
				"kill does not know why it is made, and takes the pod's.",
			Formula: "termination/remainder", Versions: since134,
		},
		{
			Name: "restart-all-with-grace", File: runtimeManager, Within: "kubeGenericRuntimeManager.SyncPod",
			Now: "var gracePeriod int64 = 0", Mutant: "var gracePeriod int64 = 10",
			Breaks: "A restart of all containers leaves them two seconds and no hook. Here they have ten seconds, " +
				"and run their hooks.",
			Formula: "termination/remainder", Versions: since135,
		},
	}
}
