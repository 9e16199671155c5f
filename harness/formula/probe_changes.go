package formula

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
