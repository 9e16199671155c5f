package formula

// containerStatusOnRestart is the feature gate that restores the behaviour up to 1.34: a restarted kubelet resets the
// flags of its containers.
const containerStatusOnRestart = "ChangeContainerStatusOnKubeletRestart"

// The changes that decide how a container is probed.
var (
	// GRPCProbes adds the gRPC handler. Without it the kubelet discards each such probe.
	GRPCProbes = Change{
		Name:      "probes can be gRPC health checks",
		Reference: "KEP-2727", Since: "v1.24.0", Gate: "GRPCContainerProbe",
	}
	// StartupHolds is missing up to 1.31: a startup probe could run once more before its success was seen.
	StartupHolds = Change{
		Name:      "a startup probe is on hold from its first success on",
		Reference: "kubernetes PR 121206", Since: "v1.32.0",
	}
	// PodWorkerStopsProbes is missing in old patches of 1.22 to 1.24: housekeeping stopped the probes.
	PodWorkerStopsProbes = Change{
		Name: "a terminating pod's liveness and startup probes stop at once, its readiness probes when its " +
			"containers are dead",
		Reference: "kubernetes PR 110191", Since: "v1.22.11 v1.23.8 v1.24.2 v1.25.0",
	}
	// SidecarProbesStop extends PodWorkerStopsProbes to sidecars.
	SidecarProbesStop = Change{
		Name:      "a terminating pod's sidecars lose their liveness and startup probes like its main containers",
		Reference: "kubernetes PR 141766", Since: "v1.38.0-beta.0",
	}
	// StartedInherited copies the started flag from the last container of the same name. Since 1.38 a container keeps
	// only its own.
	StartedInherited = Change{
		Name: "a restarted container inherits the started flag of the last one until its startup probe's next " +
			"tick",
		Reference: "kubernetes#141155, kubernetes PR 141342", Since: "v1.35.0", Until: "v1.38.0-beta.0",
		Unless: containerStatusOnRestart,
	}
	// StartedKept keeps the started flag over a restart of the kubelet.
	StartedKept = Change{
		Name: "a container that ran before the kubelet's restart counts as started, though its startup probe " +
			"has not succeeded",
		Reference: "kubernetes#142305", Since: "v1.35.0", Unless: containerStatusOnRestart,
	}
	// SidecarStartLost lets a sidecar with a startup probe count as one that has not started, after a restart of the
	// kubelet. The kubelet heeds none of its liveness failures then.
	SidecarStartLost = Change{
		Name:      "a restarted kubelet waits for the startup probe of a sidecar that has started, and never runs it",
		Reference: "kubernetes#136910, kubernetes PR 137146", Since: "v1.35.0", Until: "v1.35.4 v1.36.0",
		Unless: containerStatusOnRestart,
	}
	// SidecarsProbedAgain is missing in old patches of 1.33 and 1.34 and in all before: the worker of a startup probe
	// ended with its container, and a new one began only if no other container had one.
	SidecarsProbedAgain = Change{
		Name:      "a sidecar that crashes in a pod that is never restarted keeps its startup probe",
		Reference: "kubernetes#132826, kubernetes PR 133072", Since: "v1.33.6 v1.34.2 v1.35.0",
	}
	// OutOfTurnCounts is missing up to 1.31: the next probe came at the old tick.
	OutOfTurnCounts = Change{
		Name:      "a readiness probe out of turn begins a new period",
		Reference: "kubernetes PR 119089", Since: "v1.32.0",
	}
	// RefusedGRPCFails no longer waits for a connection.
	RefusedGRPCFails = Change{
		Name:      "a gRPC probe whose connection is refused fails at once, not at its timeout",
		Reference: "kubernetes PR 142457", Since: "v1.38.0-beta.0",
	}
	// NewProbeGates adds the feature gates of two alpha features. A kubelet, or its API server, whose gate is off
	// probes as if the field were not there.
	NewProbeGates = Change{
		Name:      "the kubelet has the feature gates GRPCContainerProbeTLS and H2CContainerProbe",
		Reference: "KEP-4939, KEP-5999", Since: "v1.37.0",
	}
	GRPCModeIgnored = Change{
		Name:      "gRPC probes are in the clear, whatever their mode",
		Reference: "KEP-4939", Since: "v1.24.0", Unless: "GRPCContainerProbeTLS",
	}
	ProtocolIgnored = Change{
		Name:      "HTTP probes in the clear are HTTP/1.1, whatever their protocol",
		Reference: "KEP-5999", Since: "v1.22.0", Unless: "H2CContainerProbe",
	}
	// ReadyKept keeps the ready flag over a restart of the kubelet.
	ReadyKept = Change{
		Name:      "a container that was ready before the kubelet's restart stays ready",
		Reference: "kubernetes#100277", Since: "v1.35.0", Unless: containerStatusOnRestart,
	}
)

// ReplacedUnready is missing from 1.35 to 1.37: only the container's age decided whether it kept the ready flag.
var ReplacedUnready = Change{
	Name: "a container that replaced a ready one while its kubelet could not report it is not ready before its own " +
		"probe, after the kubelet's restart",
	Reference: "kubernetes#141473, kubernetes PR 141487", Since: "v1.38.0-beta.0",
}

// execReadinessCancelled cancels a probe with the context of its pod's SyncPod call: in 1.35 and from 1.36.3 on. 1.37
// detaches the probes' context.
var execReadinessCancelled = Change{
	Name:      "exec readiness probes are cancelled when a pod begins to terminate",
	Reference: "kubernetes#140509, kubernetes#140881", Since: "v1.35.0 v1.36.3", Until: "v1.36.0",
}

// The changes that decide how a container is killed. If the source leaves the release open, it is that of the
// change's own text.
var (
	// HookSubtractedLast is missing in 1.22 to 1.27: the pod worker's grace period replaced the rest that the hook had
	// left.
	HookSubtractedLast = Change{
		Name: "the grace period of a deletion or eviction is set before the preStop hook's time is subtracted " +
			"and the two-second minimum applies, not after",
		Reference: "kubernetes#115817", Since: "v1.28.0",
	}
	// ZeroGraceIsOne is missing up to 1.30: a grace period of 0 counted as unset.
	ZeroGraceIsOne = Change{
		Name: "a grace period of 0, from a force delete or a hard eviction, counts as one second instead of as " +
			"unset",
		Reference: "kubernetes PR 124063", Since: "v1.31.0",
	}
	// SoftEvictionMinimum is missing up to 1.31: a soft eviction could lengthen a pod's grace period.
	SoftEvictionMinimum = Change{
		Name:      "a soft eviction takes the shorter of evictionMaxPodGracePeriod and the pod's own grace period",
		Reference: "kubernetes PR 122890", Since: "v1.32.0", Unless: "AllowOverwriteTerminationGracePeriodSeconds",
	}
	// ProbeGrace is a probe's own terminationGracePeriodSeconds. Up to 1.24 a kubelet obeys the field whatever
	// its feature gate, if the API server keeps it (v1.23.1 kuberuntime_container.go killContainer). In 1.25 to 1.27 it
	// does not if the gate ProbeTerminationGracePeriod is off, which is no default.
	ProbeGrace = Change{
		Name:      "a probe's own terminationGracePeriodSeconds overrides the pod's",
		Reference: "KEP-2238", Since: "v1.22.0",
	}
	// TerminalPhaseLast is missing in old patches of 1.22 and 1.23: an exceeded deadline set the phase Failed, which
	// then killed the containers.
	TerminalPhaseLast = Change{
		Name:      "a pod's phase becomes terminal only when its containers have ended",
		Reference: "kubernetes PR 108366", Since: "v1.22.9 v1.23.6 v1.24.0",
	}
	// FinishedDeletes is missing up to 1.26: a periodic check deleted the object of an ended pod.
	FinishedDeletes = Change{
		Name: "a deleted pod's object goes when the pod worker has finished, not when a periodic check finds " +
			"its resources reclaimed",
		Reference: "kubernetes PR 115331", Since: "v1.27.0",
	}
	// PendingAgain is missing from 1.28 to 1.31: the pod stayed Running.
	PendingAgain = Change{
		Name:      "a pod is Pending again while its init containers run again",
		Reference: "kubernetes#126650, kubernetes PR 126653", Since: "v1.32.0",
	}
	// MirrorUpdatesSkipped takes a mirror, to which nothing is allocated, for a pod that was not admitted yet.
	MirrorUpdatesSkipped = Change{
		Name:      "an update of a mirror, such as its delete, causes no sync of its static pod",
		Reference: "kubernetes PR 139522", Since: "v1.37.0",
	}
	// KilledBySync is missing up to 1.37: a sync killed one container after the other.
	KilledBySync = Change{
		Name:      "a sync kills its containers side by side, unless all containers restart",
		Reference: "kubernetes#138146", Since: "v1.38.0-beta.0",
	}
	// FailureKept is missing from 1.27 to 1.37, and up to 1.26 for pods that are not restarted: the containers' exit
	// codes replaced the phase with which the kubelet had begun to end the pod.
	FailureKept = Change{
		Name: "a pod that the kubelet evicts, preempts or shuts down has failed, with its reason, even if its " +
			"containers succeed",
		Reference: "kubernetes PR 142761, kubernetes#118310", Since: "v1.38.0-beta.0",
	}
	// RestartAll adds an action of restart rules.
	RestartAll = Change{
		Name:      "a container's restart rule can restart all containers of its pod",
		Reference: "KEP-5532", Since: "v1.36.0", Gate: "RestartAllContainersOnContainerExits",
	}
	// SandboxCondition is missing up to 1.28: its gate was off, and up to 1.27 it had another name.
	SandboxCondition = Change{
		Name:      "a pod has the condition PodReadyToStartContainers",
		Reference: "KEP-3085", Since: "v1.29.0", Gate: "PodReadyToStartContainersCondition",
	}
	// SandboxShownFirst is missing up to 1.35: the condition waited for the end of the sync, with its pulls and starts.
	SandboxShownFirst = Change{
		Name:      "PodReadyToStartContainers is true before a container's image is pulled",
		Reference: "kubernetes PR 134660", Since: "v1.36.0",
	}
	// SleepAction adds the preStop handler of this name.
	SleepAction = Change{
		Name:      "preStop has a sleep action",
		Reference: "KEP-3960", Since: "v1.30.0", Gate: "PodLifecycleSleepAction",
	}
	// Sidecars are init containers with restartPolicy Always.
	Sidecars = Change{
		Name:      "init containers with restartPolicy Always are sidecars",
		Reference: "KEP-753", Since: "v1.29.0", Gate: "SidecarContainers",
	}
	// StoppedNotWaitedFor is missing in old patches of 1.29 and 1.30: the sidecar before a stopped one got its SIGTERM
	// at the end of the grace period.
	StoppedNotWaitedFor = Change{
		Name:      "a sidecar's SIGTERM does not wait for a later sidecar that does not run",
		Reference: "kubernetes PR 125935", Since: "v1.29.8 v1.30.4 v1.31.0",
	}
	// InPlaceResize makes the resources of running containers changeable.
	InPlaceResize = Change{
		Name:      "the resources of running containers can be changed",
		Reference: "KEP-1287", Since: "v1.33.0", Gate: "InPlacePodVerticalScaling",
	}
	// ResizesQueued is missing in 1.33: a pod's own syncs tried its resize, and nothing reported its end.
	ResizesQueued = Change{
		Name:      "resizes wait in a queue by priority, and an event reports the end of one",
		Reference: "kubernetes PR 131612, kubernetes PR 132342", Since: "v1.34.0",
	}
	// BackOffByResources is missing in 1.33: a resize ended the back-off of its container.
	BackOffByResources = Change{
		Name:      "a container has a back-off for each of the resources that it had",
		Reference: "kubernetes PR 131681, kubernetes#125843", Since: "v1.34.0",
	}
	// StartsResizePods gives a pod's cgroup the resources of a container that was resized while it did not run, before
	// the container starts with them.
	StartsResizePods = Change{
		Name:      "a container that starts with other resources resizes its pod's cgroup first",
		Reference: "kubernetes PR 140387, kubernetes#138760", Since: "v1.36.4 v1.37.0",
	}
	// PodLevelResources are resources of a pod as a whole.
	PodLevelResources = Change{
		Name:      "a pod has resources of its own, which its containers share",
		Reference: "KEP-2837", Since: "v1.34.0", Gate: "PodLevelResources",
	}
	// PodLevelResizes are resizes of a pod's own resources.
	PodLevelResizes = Change{
		Name:      "the resources of a pod as a whole can be resized",
		Reference: "KEP-5419", Since: "v1.36.0", Gate: "InPlacePodLevelResourcesVerticalScaling",
	}
	// SidecarLayerLimits compares a sidecar's layer with its limit. Before, only the pod's sum was compared, if each
	// main container has a limit.
	SidecarLayerLimits = Change{
		Name:      "a pod is evicted if a sidecar's layer exceeds the sidecar's own limit",
		Reference: "kubernetes PR 138462", Since: "v1.37.0",
	}
)

// The changes of kube-proxy.
var (
	// TerminatingRouted is missing up to 1.25: kube-proxy sent nothing to a pod that terminates.
	TerminatingRouted = Change{
		Name:      "kube-proxy sends new connections to pods that terminate if no other pod of the Service is ready",
		Reference: "KEP-1669", Since: "v1.26.0",
	}
	// NFTablesProxy is the proxy mode of this name.
	NFTablesProxy = Change{Name: "kube-proxy has the mode nftables", Reference: "KEP-3866", Since: "v1.31.0"}
)

// The changes that decide whether a pod that the kubelet ends has the condition DisruptionTarget.
var (
	DisruptionConditions = Change{
		Name:      "an evicted pod has the condition DisruptionTarget",
		Reference: "KEP-3329", Since: "v1.26.0", Gate: "PodDisruptionConditions",
	}
	PreemptionCondition = Change{
		Name:      "a pod that the kubelet preempts has the condition DisruptionTarget",
		Reference: "kubernetes PR 117586", Since: "v1.26.6 v1.27.3 v1.28.0",
	}
)

// The changes that decide when a container is started again.
var (
	// RequeueAtExpiry is missing up to 1.34: a pod in back-off was synced every ten to fifteen seconds.
	RequeueAtExpiry = Change{
		Name: "a pod whose container is in its back-off is synced when the back-off ends, not every ten to " +
			"fifteen seconds",
		Reference: "kubernetes PR 133066", Since: "v1.35.0",
	}
	// RelistsOnDemand is missing up to 1.35: a pod's next status waited for the relist of all pods, once a second.
	RelistsOnDemand = Change{
		Name:      "a sync that changed a pod's containers asks for a relist of that pod",
		Reference: "kubernetes PR 137362", Since: "v1.36.0", Gate: "PLEGOnDemandRelist",
	}
	// RelistsOnStop is an alpha feature, and needs a runtime with events.
	RelistsOnStop = Change{
		Name:      "a container's end asks for a relist of its pod at once",
		Reference: "KEP-3386", Gate: "EventedPLEG",
	}
	// NodeRestartPeriod makes crashLoopBackOff.maxContainerRestartPeriod take effect. NodeRestartPeriodField adds the
	// field.
	NodeRestartPeriod = Change{
		Name:      "crashLoopBackOff.maxContainerRestartPeriod limits the back-off of a node's containers",
		Reference: "KEP-5593", Since: "v1.35.0", Gate: "KubeletCrashLoopBackOffMax",
	}
	NodeRestartPeriodField = Change{
		Name: "the kubelet's configuration has crashLoopBackOff.maxContainerRestartPeriod, behind the feature " +
			"gate KubeletCrashLoopBackOffMax",
		Reference: "KEP-5593", Since: "v1.32.0",
	}
	// ContainerFSSignals adds the eviction signals containerfs.available and containerfs.inodesFree. An older kubelet
	// refuses a configuration that has them.
	ContainerFSSignals = Change{
		Name:      "thresholds for containerfs are known and ignored: it has those of the disk that it shares",
		Reference: "KEP-4191", Since: "v1.29.0",
	}
	// ShutdownByPriority is off in 1.23.
	ShutdownByPriority = Change{
		Name:      "the kubelet has the feature gate GracefulNodeShutdownBasedOnPodPriority",
		Reference: "KEP-2712", Since: "v1.23.0",
	}
	// ReducedBackOff is an alpha feature. ReducedBackOffGate adds its feature gate.
	ReducedBackOff = Change{
		Name:      "the back-off grows from one second to sixty",
		Reference: "KEP-4603", Gate: "ReduceDefaultCrashLoopBackOffDecay",
	}
	// LongBackOff is what trials need that do something while a container waits for its second restart.
	LongBackOff = Change{
		Name:      "the back-off begins with ten seconds, not with one",
		Reference: "KEP-4603", Since: "v1.22.0", Unless: "ReduceDefaultCrashLoopBackOffDecay",
	}
	ReducedBackOffGate = Change{
		Name:      "the kubelet has the feature gate ReduceDefaultCrashLoopBackOffDecay",
		Reference: "KEP-4603", Since: "v1.33.0",
	}
	// StopSignalGate adds the feature gate of an alpha feature.
	StopSignalGate = Change{
		Name:      "the kubelet has the feature gate ContainerStopSignals",
		Reference: "KEP-4960", Since: "v1.33.0",
	}
	// ContainerRestartRules adds restart policies of containers.
	ContainerRestartRules = Change{
		Name:      "a container has a restart policy of its own, with rules by exit code",
		Reference: "KEP-5307", Since: "v1.35.0", Gate: "ContainerRestartRules",
	}
	// PullsVerified lets no pod use an image that the kubelet pulled with the Secret of another.
	PullsVerified = Change{
		Name:      "a pod needs the credentials with which the kubelet pulled its image, though the image is present",
		Reference: "KEP-2535", Since: "v1.35.0", Gate: "KubeletEnsureSecretPulledImages",
	}
	// PullSecretsReported adds an event. Up to 1.36 each sync caused it, whether or not it pulled an image.
	PullSecretsReported = Change{
		Name:      "an event reports pull secrets that are missing",
		Reference: "kubernetes PR 117927", Since: "v1.28.0",
	}
	PullSecretsReportedByPulls = Change{
		Name:      "an event reports missing pull secrets only if a pull has failed",
		Reference: "kubernetes PR 138432", Since: "v1.37.0",
	}
	// ManyPulls is missing in 1.35 and 1.36, where a pull may end the kubelet, and in older releases, where nothing
	// locks.
	ManyPulls = Change{
		Name:      "maxParallelImagePulls may be above 31 beside KubeletEnsureSecretPulledImages",
		Reference: "kubernetes PR 138937", Since: "v1.37.0",
	}
	// ContainerRestartRulesGate and RestartAllGate are the releases in which the features were alpha.
	ContainerRestartRulesGate = Change{
		Name:      "the kubelet has the feature gate ContainerRestartRules, off by default",
		Reference: "KEP-5307", Since: "v1.34.0", Until: "v1.35.0",
	}
	RestartAllGate = Change{
		Name:      "the kubelet has the feature gate RestartAllContainersOnContainerExits, off by default",
		Reference: "KEP-5532", Since: "v1.35.0", Until: "v1.36.0",
	}
	// RestartAllSwitch is where a kubelet can be without RestartAll.
	RestartAllSwitch = Change{
		Name:      "the kubelet has the feature gate RestartAllContainersOnContainerExits, on by default",
		Reference: "KEP-5532", Since: "v1.36.0",
	}
)

// The changes of the API server. A real node's one is of the newest release, see [Kubelet.Serves].
var (
	// ZeroSleep is missing up to 1.32: validation refused a pod with such a sleep.
	ZeroSleep = Change{
		Name:      "the API server accepts a sleep action of zero seconds",
		Reference: "KEP-4818", Since: "v1.33.0", Gate: "PodLifecycleSleepActionAllowZero",
	}
	// ResizeChecked is missing up to 1.35: the kubelet alone decided.
	ResizeChecked = Change{
		Name:      "the API server refuses a resize that exceeds the node's allocatable resources",
		Reference: "kubernetes#135341", Since: "v1.36.0",
	}
	// DeletionNotPast is missing up to 1.32.
	DeletionNotPast = Change{
		Name:      "the API server does not move deletionTimestamp into the past",
		Reference: "kubernetes PR 122646", Since: "v1.33.0",
	}
)

// LongerMonitorGrace is a default of the controller manager, which predictions take to be of the kubelet's release.
var LongerMonitorGrace = Change{
	Name:      "a node is unreachable after 50 s without a renewal of its lease, not after 40 s",
	Reference: "kubernetes PR 126287", Since: "v1.32.0",
}

// Changes are all changes, in the order of this file.
var Changes = []Change{
	GRPCProbes,
	StartupHolds,
	PodWorkerStopsProbes,
	SidecarProbesStop,
	StartedInherited,
	StartedKept,
	SidecarStartLost,
	SidecarsProbedAgain,
	OutOfTurnCounts,
	RefusedGRPCFails,
	NewProbeGates,
	GRPCModeIgnored,
	ProtocolIgnored,
	ReadyKept,
	ReplacedUnready,
	execReadinessCancelled,
	HookSubtractedLast,
	ZeroGraceIsOne,
	SoftEvictionMinimum,
	ProbeGrace,
	TerminalPhaseLast,
	FinishedDeletes,
	PendingAgain,
	MirrorUpdatesSkipped,
	KilledBySync,
	FailureKept,
	RestartAll,
	SandboxCondition,
	SandboxShownFirst,
	SleepAction,
	Sidecars,
	StoppedNotWaitedFor,
	InPlaceResize,
	ResizesQueued,
	BackOffByResources,
	StartsResizePods,
	PodLevelResources,
	PodLevelResizes,
	SidecarLayerLimits,
	TerminatingRouted,
	NFTablesProxy,
	DisruptionConditions,
	PreemptionCondition,
	RequeueAtExpiry,
	RelistsOnDemand,
	RelistsOnStop,
	NodeRestartPeriod,
	NodeRestartPeriodField,
	ContainerFSSignals,
	ShutdownByPriority,
	ReducedBackOff,
	LongBackOff,
	ReducedBackOffGate,
	StopSignalGate,
	ContainerRestartRulesGate,
	RestartAllGate,
	RestartAllSwitch,
	ContainerRestartRules,
	PullsVerified,
	PullSecretsReported,
	PullSecretsReportedByPulls,
	ManyPulls,
	ZeroSleep,
	ResizeChecked,
	DeletionNotPast,
	LongerMonitorGrace,
}
