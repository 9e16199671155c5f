package reach

// Files in which reasons are given.
const (
	allocations        = kubelet + "/allocation/allocation_manager.go"
	allocationFeatures = kubelet + "/allocation/features_linux.go"
	allocationHandlers = kubelet + "/allocation/handlers.go"
)

// Reasons that several functions share.
const (
	volumeResizes = "resizes of volumes are alpha"
	lockedGate    = "the gate is locked"
	noCheckpoint  = "the checkpoint of resources cannot be written"
	// infeasible is why no resize of a released kubelet is infeasible.
	infeasible = "only swap and exclusive CPUs or memory, which are off by default, make a resize infeasible"
	bothPods   = "callers have both pods"
	resizeEnds = "the pod is gone, and its resize with it"
)

// allocationExcuses are for the code that decides which resizes are granted.
var allocationExcuses = []Excuse{
	{File: allocations, Function: "newStateImpl", Code: "NewNoopStateCheckpoint", Why: Unused, Because: lockedGate},
	{File: allocations, Function: "newStateImpl", Code: "Failed to initialize allocation checkpoint manager",
		Why: Broken, Because: "the checkpoint of resources cannot be read, and the kubelet does not start"},
	{File: allocations, Function: "NewInMemoryManager", Why: Unused, Because: "only unit tests call it"},
	{File: allocations, Function: "manager.Run", Why: Unobserved, Because: "a line of the log"},
	{File: allocations, Function: "manager.retryPendingResizes", Code: "Pod not found", Why: Elsewhere,
		Because: resizeEnds},
	{File: allocations, Function: "manager.retryPendingResizes", Code: "Failed to handle pod resources resize",
		Why: Broken, Because: noCheckpoint},
	{File: allocations, Function: "manager.retryPendingResizes", Code: "Pod resize is infeasible", Why: Unused,
		Because: infeasible},
	{File: allocations, Function: "manager.sortPendingResizes", Code: "Pod not found", Why: Elsewhere,
		Because: resizeEnds},
	{File: allocations, Function: "manager.GetContainerResourceAllocation", Why: Unused, Because: infeasible},
	{File: allocations, Function: "manager.GetPodLevelResourceAllocation", Why: Unused},
	{File: allocations, Function: "updatePodFromAllocation", Code: "pod == nil", Why: Unused,
		Because: "its caller has a pod"},
	{File: allocations, Function: "updatePodFromAllocation", Code: "updateEmptyDirVolumeLimitsFromAllocation",
		Why: Unused, Because: volumeResizes},
	{File: allocations, Function: "updateEmptyDirVolumeLimitsFromAllocation", Why: Unused, Because: volumeResizes},
	{File: allocations, Function: "ResourceInfoForPod", Code: "IsResizableContainer", Why: Unused,
		Because: "init containers can be resized too, and the gate is locked"},
	{File: allocations, Function: "ResourceInfoForPod", Code: "_, vol := range", Why: Unused, Because: volumeResizes},
	{File: allocations, Function: "ResourceInfoForPod", Code: "VolHasMemoryBackedEmptyDirSizeLimit", Why: Unused,
		Because: volumeResizes},
	{File: allocations, Function: "ResourceInfoForPod", Code: "podAlloc.EmptyDirVolumeLimits", Why: Unused,
		Because: volumeResizes},
	{File: allocations, Function: "manager.AddPod", Why: Broken, Because: noCheckpoint},
	{File: allocations, Function: "manager.RemovePod", Why: Broken, Because: noCheckpoint},
	{File: allocations, Function: "manager.handlePodResourcesResize", Code: "return false, err", Why: Broken,
		Because: noCheckpoint},
	{File: allocations, Function: "manager.handlePodResourcesResize", Code: "events.ResizeInfeasible", Why: Unused,
		Because: infeasible},
	{File: allocations, Function: "manager.getAllocatedPods", Why: Unused, Because: lockedGate},
	{File: allocations, Function: "manager.GetAllocatedPods", Why: Elsewhere,
		Because: "a user asks the kubelet's server"},
	{File: allocations, Function: "IsResizableContainer", Why: Unused,
		Because: "callers ask for no ephemeral containers"},
	{File: allocations, Function: "VolHasMemoryBackedEmptyDirSizeLimit", Why: Elsewhere,
		Because: "a resize looks for resized volumes and finds none, because " + volumeResizes},

	{File: allocationFeatures, Function: "IsInPlacePodVerticalScalingAllowed", Why: Unused, Because: lockedGate},
	{File: allocationFeatures, Function: "IsInPlacePodLevelResourcesVerticalScalingAllowed",
		Code: "plr_feature_gate_off", Why: Unused, Because: "the gate is on by default"},

	{File: allocationHandlers, Function: "podResizesAdmitHandler.Admit",
		Code: "IsInPlacePodVerticalScalingAllowed(pod)", Why: Unused, Because: lockedGate},
	{File: allocationHandlers, Function: "podResizesAdmitHandler.Admit", Code: "swap_limitation", Why: Unused,
		Because: infeasible},
	{File: allocationHandlers, Function: "podResizesAdmitHandler.Admit", Code: "pending pod-level resources resize",
		Why: Unused, Because: "the gate is on by default"},
	{File: allocationHandlers, Function: "podResizesAdmitHandler.Admit",
		Code: "disallowResizeForMemoryBackedVolumes", Why: Unused, Because: volumeResizes},
	{File: allocationHandlers, Function: "podResizesAdmitHandler.Admit", Code: "cpu_manager_static_policy",
		Why: Unused, Because: infeasible},
	{File: allocationHandlers, Function: "podResizesAdmitHandler.Admit", Code: "memory_manager_static_policy",
		Why: Unused, Because: infeasible},
	{File: allocationHandlers, Function: "disallowResizeForMemoryBackedVolumes", Code: "desiredPod == nil",
		Why: Unused, Because: bothPods},
	{File: allocationHandlers, Function: "disallowResizeForMemoryBackedVolumes", Why: Unused, Because: volumeResizes},
	{File: allocationHandlers, Function: "disallowResizeForSwappableContainers", Code: "desiredPod == nil",
		Why: Unused, Because: bothPods},
	{File: allocationHandlers, Function: "disallowResizeForSwappableContainers", Code: "if !ok", Why: Unused,
		Because: "the allocated pod has the same containers"},
	{File: allocationHandlers, Function: "disallowResizeForSwappableContainers", Code: "containers with swap",
		Why: Unused, Because: infeasible},
	{File: allocationHandlers, Function: "disallowResizeForSwappableContainers", Code: "return false", Why: Elsewhere,
		Because: "a policy without memory matters only to containers with swap, which is off by default"},
	{File: allocationHandlers, Function: "podResizesAdmitHandler.guaranteedPodResourceResizeRequired", Why: Unused,
		Because: infeasible},
	{File: allocationHandlers, Function: "IsMemoryBackedVolumeResizeRequested", Code: "len(allocatedPod.Spec.Volumes)",
		Why: Unused, Because: "validation refuses other volumes"},
	{File: allocationHandlers, Function: "IsMemoryBackedVolumeResizeRequested", Code: "return true", Why: Unused,
		Because: volumeResizes},
	{File: allocationHandlers, Function: "IsMemoryBackedVolumeResizeRequested", Why: Elsewhere,
		Because: "a resize looks for resized volumes and finds none, because " + volumeResizes},
}
