package formula

// formerPlace is where releases without a declaration have its code.
type formerPlace struct {
	// since lists the releases with the declaration, as Change.Since does.
	since string
	// was is the file and name in other releases. It is empty if they have nothing like it.
	was string
}

const (
	kubeletFile    = "pkg/kubelet/kubelet.go "
	workersFile    = "pkg/kubelet/pod_workers.go "
	helpersFile    = "pkg/kubelet/kuberuntime/helpers.go "
	containerFile  = "pkg/kubelet/kuberuntime/kuberuntime_container.go "
	managerFile    = "pkg/kubelet/prober/prober_manager.go "
	runtimeFile    = "pkg/kubelet/kuberuntime/kuberuntime_manager.go "
	statusFile     = "pkg/kubelet/status/status_manager.go "
	shutdownFile   = "pkg/kubelet/nodeshutdown/nodeshutdown_manager"
	tainterFile    = "pkg/controller/tainteviction/taint_eviction.go "
	formerTaints   = "pkg/controller/nodelifecycle/scheduler/taint_manager.go "
	formerKill     = containerFile + "killContainersWithSyncResult"
	gatesFile      = "pkg/features/kube_features.go "
	formerGates    = "pkg/features/versioned_kube_features.go "
	versionedGates = "defaultVersionedKubernetesFeatureGates"
	evictionFile   = "pkg/registry/core/pod/storage/eviction.go "
)

// former has the declarations that not every release has, as sources write them. The releases are those of everyBranch
// in which the declarations were looked up. A formerPlace may have a former place itself.
var former = map[string]formerPlace{
	kubeletFile + "SyncPod":                   {"v1.27.0", kubeletFile + "syncPod"},
	kubeletFile + "SyncTerminatedPod":         {"v1.27.0", kubeletFile + "syncTerminatedPod"},
	kubeletFile + "SyncTerminatingPod":        {"v1.27.0", kubeletFile + "syncTerminatingPod"},
	kubeletFile + "SyncTerminatingRuntimePod": {"v1.27.0", kubeletFile + "syncTerminatingPod"},
	kubeletFile + "OnPodSandboxReady":         {since: SandboxShownFirst.Since},
	kubeletFile + "genericPlegRelistPeriod":   {"v1.26.0", kubeletFile + "plegRelistPeriod"},
	kubeletFile + "newCrashLoopBackOff":       {"v1.33.0", kubeletFile + "NewMainKubelet"},
	kubeletFile + "tryReconcileMirrorPods":    {"v1.32.0", kubeletFile + "SyncPod"},

	workersFile + "podWorkerLoop": {"v1.27.0", workersFile + "managePodLoop"},
	workersFile + "completeSync":  {since: TerminalPhaseLast.Since},

	helpersFile + "GetBackoffKey":                {"v1.34.0", helpersFile + "GetStableKey"},
	helpersFile + "GetStableKey":                 {"v1.32.0", helpersFile + "getStableKey"},
	helpersFile + "getContainerConfigStopSignal": {since: "v1.33.0"},

	containerFile + "computeInitContainerActions":  {"v1.28.0", containerFile + "findNextInitContainerToRun"},
	containerFile + "convertToKubeContainerStatus": {"v1.26.0", containerFile + "getPodContainerStatuses"},
	containerFile + "updateContainerResources":     {since: "v1.27.0"},
	containerFile + "updatePodSandboxResources":    {since: "v1.33.0"},
	containerFile + "setTerminationGracePeriod":    {"v1.25.0", containerFile + "killContainer"},
	containerFile + "killContainers":               {KilledBySync.Since, formerKill},
	containerFile + "killRunningPodContainers":     {KilledBySync.Since, formerKill},

	runtimeFile + "getContainersToReset":                                   {since: "v1.35.0"},
	"pkg/kubelet/container/helpers.go ShouldAllContainersRestart":          {since: "v1.35.0"},
	statusFile + "SetPodResizeInProgressCondition":                         {since: "v1.33.0"},
	"pkg/kubelet/kuberuntime/kuberuntime_termination_order.go waitForTurn": {since: "v1.29.0"},
	"pkg/kubelet/lifecycle/handlers.go runSleepHandler":                    {since: "v1.29.0"},
	"pkg/kubelet/container/sync_result.go MinBackoffExpiration":            {since: "v1.35.0"},
	"pkg/kubelet/pleg/generic.go Relist":                                   {"v1.26.0", "pkg/kubelet/pleg/generic.go relist"},
	"pkg/kubelet/pleg/generic.go RequestRelist":                            {since: "v1.36.0"},
	"pkg/kubelet/volumemanager/volume_manager.go WaitForAllPodsUnmount":    {since: "v1.32.0"},

	resizeAction:                                           {since: "v1.27.0"},
	runtimeFile + "doPodResizeAction":                      {since: "v1.27.0"},
	runtimeFile + "updatePodContainerResources":            {since: "v1.27.0"},
	runtimeFile + "startingResizedContainer":               {since: StartsResizePods.Since},
	runtimeFile + "validateMemoryResizeAction":             {since: "v1.34.0"},
	allocationFile + " canResizePod":                       {"v1.34.0", kubeletFile + "canResizePod"},
	kubeletFile + "canResizePod":                           {since: "v1.27.0"},
	allocationFile + " handlePodResourcesResize":           {"v1.34.0", kubeletFile + "handlePodResourcesResize"},
	kubeletFile + "handlePodResourcesResize":               {since: "v1.27.0"},
	allocationFile + " retryPendingResizes":                {since: "v1.34.0"},
	allocationFile + " sortPendingResizes":                 {since: "v1.34.0"},
	statusFile + "SetPodResizePendingCondition":            {since: "v1.33.0"},
	statusFile + "ClearPodResizeInProgressCondition":       {since: "v1.33.0"},
	"plugin/pkg/admission/podresize/admission.go Validate": {since: ResizeChecked.Since},

	"pkg/kubelet/stats/cri_stats_provider.go PodCPUAndMemoryStats": {since: "v1.34.0"},

	managerFile + "StopLivenessAndStartup":        {since: PodWorkerStopsProbes.Since},
	managerFile + "isContainerStarted":            {"v1.28.0", managerFile + "UpdatePodStatus"},
	managerFile + "setReadyStateOnKubeletRestart": {since: "v1.35.0"},
	"pkg/probe/http/http.go RedirectChecker":      {"v1.26.0", "pkg/probe/http/http.go redirectChecker"},
	"pkg/probe/util.go ResolveContainerPort":      {"v1.26.0", "pkg/kubelet/prober/prober.go extractPort"},

	shutdownFile + ".go killPods": {"v1.32.0", shutdownFile + "_linux.go processShutdownEvent"},
	shutdownFile + ".go NodeShutdownNotAdmittedReason": {
		"v1.32.0", shutdownFile + "_linux.go nodeShutdownNotAdmittedReason",
	},

	"pkg/proxy/topology.go CategorizeEndpoints": {"v1.24.0", "pkg/proxy/topology.go FilterEndpoints"},

	tainterFile + "getMinTolerationTime":      {"v1.29.0", formerTaints + "getMinTolerationTime"},
	tainterFile + "processPodOnNode":          {"v1.29.0", formerTaints + "processPodOnNode"},
	evictionFile + "addConditionAndDeletePod": {"v1.25.0", evictionFile + "Create"},

	gatesFile + versionedGates:   {"v1.33.0", formerGates + versionedGates},
	formerGates + versionedGates: {"v1.32.0", gatesFile + "defaultKubernetesFeatureGates"},
}
