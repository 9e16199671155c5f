package formula

// notYet is the Since of a change that no release has by default: its feature gate decides.
const notYet = "v9999.0.0"

// containerStatusOnRestart is the feature gate that brings back what kubelets did up to 1.34: a container's
// flags begin anew with its kubelet.
const containerStatusOnRestart = "ChangeContainerStatusOnKubeletRestart"

// The changes that decide how a container is probed.
var (
	// GRPCProbes are the handler of this name; without it the kubelet finds no handler and discards every such probe.
	GRPCProbes = Change{
		Name:      "probes can be gRPC health checks",
		Reference: "KEP-2727",
		Since:     "v1.24.0",
		Gate:      "GRPCContainerProbe",
	}
	// StartupHolds is absent up to 1.28, where a startup probe could run once more before its success was seen.
	StartupHolds = Change{
		Name:      "a startup probe is on hold from its first success on",
		Reference: "kubernetes PR 121206", Since: "v1.29.0",
	}
	// PodWorkerStopsProbes is absent in 1.22 to 1.24, where housekeeping stopped all probes of a terminating pod.
	PodWorkerStopsProbes = Change{
		Name:      "a terminating pod's liveness and startup probes stop at once, its readiness probes when its containers are dead",
		Reference: "kubernetes PR 110191",
		Since:     "v1.25.0",
	}
	// SidecarProbesStop makes PodWorkerStopsProbes speak of sidecars, too.
	SidecarProbesStop = Change{
		Name:      "a terminating pod's sidecars lose their liveness and startup probes like its main containers",
		Reference: "kubernetes PR 141766", Since: "v1.37.0",
	}
	// StartedInherited came with 1.35: the started flag is copied from the container of the same name before.
	StartedInherited = Change{
		Name:      "a restarted container counts as started until its startup probe's next tick, as the one before it did",
		Reference: "kubernetes#141155",
		Since:     "v1.35.0",
		Until:     "v1.37.0",
		Unless:    containerStatusOnRestart,
	}
	// StartedKept came with 1.35: what counts as started when a kubelet begins goes on doing so.
	StartedKept = Change{
		Name:      "a container that ran before the kubelet was restarted counts as started, though its startup probe has not succeeded",
		Reference: "kubernetes#142305",
		Since:     "v1.35.0",
		Unless:    containerStatusOnRestart,
	}
	// ReadyKept came with 1.35.
	ReadyKept = Change{
		Name:      "a container that was ready before the kubelet was restarted stays so",
		Reference: "kubernetes#100277", Since: "v1.35.0", Unless: containerStatusOnRestart,
	}
)

// The releases whose exec readiness probes end with the pod's SyncPod context: 1.35 has it, 1.36.0 lost it,
// 1.36.3 has it again.
var (
	execReadinessCancelled = Change{
		Name:      "exec readiness probes are cancelled when a pod begins to terminate",
		Reference: "kubernetes#140509",
		Since:     "v1.35.0",
		Until:     "v1.36.0",
	}
	execReadinessCancelled36 = Change{
		Name:      execReadinessCancelled.Name,
		Reference: "kubernetes#140881",
		Since:     "v1.36.3",
		Until:     "v1.37.0",
	}
)

// The changes that decide how a container is killed. Where no release is certain from the source, it is
// that of the change's own text.
var (
	// HookSubtractedLast is absent in 1.22 to 1.27, where the pod worker's grace period replaced what the
	// hook had left, and the minimum with it.
	HookSubtractedLast = Change{
		Name:      "the grace period that a deletion or eviction sets comes before the preStop hook's subtraction and the two-second minimum, not after",
		Reference: "kubernetes#115817",
		Since:     "v1.28.0",
	}
	// ZeroGraceIsOne is absent up to 1.30, where a grace period of 0 counted as unset and the pod's own one was used.
	ZeroGraceIsOne = Change{
		Name:      "a grace period of 0, of a force delete or a hard eviction, counts as one second instead of as unset",
		Reference: "kubernetes PR 124063",
		Since:     "v1.31.0",
	}
	// SoftEvictionMinimum is absent up to 1.31, where a soft eviction could lengthen a pod's grace period.
	SoftEvictionMinimum = Change{
		Name:      "a soft eviction takes the lesser of evictionMaxPodGracePeriod and the pod's own grace period",
		Reference: "kubernetes PR 122890", Since: "v1.32.0", Unless: "AllowOverwriteTerminationGracePeriodSeconds",
	}
	// ProbeGrace is a probe's own terminationGracePeriodSeconds. From 1.22 on it was the API server that
	// dropped the field while the feature gate ProbeTerminationGracePeriod was off; a kubelet obeys what
	// reaches it (v1.23.1 kuberuntime_container.go killContainer asks no gate).
	ProbeGrace = Change{
		Name:      "a probe's own terminationGracePeriodSeconds overrides the pod's",
		Reference: "KEP-2238", Since: "v1.22.0",
	}
	// TerminalPhaseLast is absent up to 1.23.1, where a pod that exceeded its deadline was shown as Failed
	// while its containers ran, and it was that phase, come back from the API server, that had them killed.
	TerminalPhaseLast = Change{
		Name:      "a pod's phase becomes terminal only when its containers have ended",
		Reference: "kubernetes PR 108366", Since: "v1.24.0",
	}
	// FinishedDeletes is absent up to 1.26, where the object of a pod that had ended was deleted once its
	// cgroups and volumes were seen to be gone.
	FinishedDeletes = Change{
		Name:      "a deleted pod's object goes when the pod worker has finished, not when a periodic look finds its resources reclaimed",
		Reference: "kubernetes PR 115331",
		Since:     "v1.27.0",
	}
	// RestartAll is a restart rule's action.
	RestartAll = Change{
		Name:      "a container's restart rule can restart all containers of its pod",
		Reference: "KEP-5532", Since: "v1.36.0", Gate: "RestartAllContainersOnContainerExits",
	}
	// SleepAction is the preStop handler of this name.
	SleepAction = Change{
		Name:      "preStop has a sleep action",
		Reference: "KEP-3960",
		Since:     "v1.30.0",
		Gate:      "PodLifecycleSleepAction",
	}
	// Sidecars are init containers with restartPolicy Always.
	Sidecars = Change{
		Name:      "init containers with restartPolicy Always are sidecars",
		Reference: "KEP-753",
		Since:     "v1.29.0",
		Gate:      "SidecarContainers",
	}
)

// DisruptionConditions is the pod condition DisruptionTarget.
var DisruptionConditions = Change{
	Name:      "a pod that is evicted or preempted has the condition DisruptionTarget",
	Reference: "KEP-3329", Since: "v1.26.0", Gate: "PodDisruptionConditions",
}

// The changes that decide when a container is started again.
var (
	// RequeueAtExpiry is absent up to 1.34, where a pod with a container in its back-off was looked at
	// every ten to fifteen seconds.
	RequeueAtExpiry = Change{
		Name:      "a pod whose container is in its back-off is synced when the back-off ends, not every ten to fifteen seconds",
		Reference: "kubernetes PR 133066",
		Since:     "v1.35.0",
	}
	// NodeRestartPeriod is crashLoopBackOff.maxContainerRestartPeriod that takes effect,
	// NodeRestartPeriodField that the kubelet knows the field and its feature gate at all.
	NodeRestartPeriod = Change{
		Name:      "crashLoopBackOff.maxContainerRestartPeriod limits the back-off of a node's containers",
		Reference: "KEP-5593", Since: "v1.35.0", Gate: "KubeletCrashLoopBackOffMax",
	}
	NodeRestartPeriodField = Change{
		Name:      "the kubelet's configuration has crashLoopBackOff.maxContainerRestartPeriod, behind the feature gate KubeletCrashLoopBackOffMax",
		Reference: "KEP-5593",
		Since:     "v1.32.0",
	}
	// ReducedBackOff is an alpha feature that begins at one second, ReducedBackOffGate that the kubelet knows its gate.
	ReducedBackOff = Change{
		Name:      "the back-off grows from one second to sixty",
		Reference: "KEP-4603", Since: notYet, Gate: "ReduceDefaultCrashLoopBackOffDecay",
	}
	ReducedBackOffGate = Change{
		Name:      "the kubelet has the feature gate ReduceDefaultCrashLoopBackOffDecay",
		Reference: "KEP-4603", Since: "v1.33.0",
	}
	// ContainerRestartRules are a container's own restart policy and its rules by exit code.
	ContainerRestartRules = Change{
		Name:      "a container has a restart policy of its own, with rules by exit code",
		Reference: "KEP-5307", Since: "v1.35.0", Gate: "ContainerRestartRules",
	}
)
