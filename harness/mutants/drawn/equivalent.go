package drawn

import (
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/kubelets/operator"
	"github.com/podclock/podclock/harness/reach"
)

// equivalence is why survivors do what the unchanged code does, or nothing that a pod or its API object shows. An empty
// operator stands for any, empty texts for all code of the functions. Texts have single spaces.
type equivalence struct {
	because  string
	within   []string
	operator operator.Operator
	now      string
	// code is the end of the mutant's line and the one before, for a text that the functions have more than once.
	code string
}

// equivalences were read in the source of v1.37.2. Those of whole functions decide nothing about how a pod dies or
// restarts, although some of their mutants change what a container is created with. They are asked for survivors only,
// so none hides a difference.
var equivalences = []equivalence{
	{because: "it writes the container's /etc/hosts and hostname", within: []string{
		"getContainerEtcHostsPath", "shouldMountHostsFile", "makeHostsMount", "ensureHostsFile", "nodeHostsFileContent",
		"managedHostsFileContent", "hostsEntriesFromHostAliases", "truncatePodHostnameIfNeeded",
		"Kubelet.GeneratePodHostNameAndDomain",
	}},
	{because: "it describes a container's mounts and devices", within: []string{
		"makeMounts", "makeDevices", "makeCDIDevices", "Kubelet.makeBlockVolumes", "resolveRecursiveReadOnly",
		"runtimeHandlerSupportsRecursiveReadOnlyMounts", "Kubelet.runtimeClassSupportsRecursiveReadOnlyMounts",
		"translateMountPropagation", "kubeGenericRuntimeManager.makeMounts",
	}},
	{because: "it limits what processes may do", within: []string{
		"fieldSeccompProfile", "kubeGenericRuntimeManager.getSeccompProfile", "getAppArmorProfile",
		"applyAppArmorVersionSkew", "HasPrivilegedContainer", "Kubelet.getKubeletMappings",
	}},
	{because: "it collects the names of Secrets and ConfigMaps", within: []string{
		"skipEmptyNames", "VisitPodSecretNames", "VisitPodConfigmapNames", "visitContainerSecretNames",
		"visitContainerConfigmapNames",
	}},
	{because: "it only feeds a metric", within: []string{
		"manager.observePendingResizeCount", "manager.recordInProgressResizeCount", "managerImpl.setMetrics",
		"updateMetrics", "recordPodLevelResourcesAdmission", "recordAdmissionRejection", "incrementImageVolumeMetrics",
		"splitPodsByStatic",
	}},
	{because: "it only makes a line of a log", within: []string{
		"debugLogObservations", "debugLogThresholdsWithObservation", "imageManager.logIt", "PodWorkerState.String",
		"SyncPodType.String", "formatThreshold",
	}},
	{because: "it names a container in events", within: []string{"GenerateContainerRef", "fieldPath"}},
	{because: "it fills a container's environment variables", within: []string{
		"Kubelet.getServiceEnvVarMap", "Kubelet.podFieldSelectorRuntimeValue",
	}},
	{because: "it maps ports of the node", within: []string{"MakePortMappings", "toRuntimeProtocol"}},
	{because: "the scheduler finds a node", within: []string{
		"mutatePodAffinity", "mutateTopologySpreadConstraints", "applySchedulingGatedCondition",
	}},
	{because: "SetStderr sets the same writer", within: []string{"execProber.Probe"}, operator: operator.NoCall,
		now: "e.SetStdout(writer)"},
	{because: "validation refuses other ports", within: []string{"ResolveContainerPort"}, operator: operator.Increased,
		now: "65536"},
	{because: "it removes logs of pods that are gone", within: []string{"containerGC.evictPodLogsDirectories"}},
	{because: "the API server and the kubelet's sources fill it in", within: []string{
		"managerImpl.synchronize", "newContainerAnnotations", "podStrategy.CheckGracefulDelete",
	}, operator: operator.AlwaysTrue, now: "pod.Spec.TerminationGracePeriodSeconds != nil"},
	{because: "the API server and the kubelet's sources fill it in", within: []string{
		"kubeGenericRuntimeManager.generatePodSandboxLinuxConfig",
	}, operator: operator.AlwaysTrue, now: "pod.Spec.SecurityContext != nil"},
	{because: "the pod's own grace period follows", within: []string{"podStrategy.CheckGracefulDelete"},
		operator: operator.Increased, code: "period := int64(0)"},
	{because: "a retry of no resize does nothing", within: []string{"manager.HasPendingResizes"},
		operator: operator.Moved},
	{because: "it treats both pods alike", within: []string{"podResizesAdmitHandler.Admit"}, operator: operator.Swapped,
		now:  "pod, allocatedPod",
		code: "disallowResizeForSwappableContainers(h.containerRuntime, pod, allocatedPod); resizeNotAllowed {"},
	{because: "the kubelet drops an event whose object is a pod (container/helpers.go FilterEventRecorder)",
		within: []string{"handlerRunner.runHTTPHandler"}, now: "eventRecorder != nil"},
	{because: "the kubelet drops an event whose object is a pod (container/helpers.go FilterEventRecorder)",
		within: []string{"handlerRunner.runHTTPHandler"}, operator: operator.Swapped,
		now: `"request to HTTPS lifecycle hook %s got HTTP response, retry with HTTP succeeded", req.URL.Host`},
	{because: "the kubelet ends with this context", within: []string{"managerImpl.Start"}, operator: operator.NoCase,
		now: `case <-ctx.Done(): logger.Info("Eviction manager: monitoring loop exiting", "err", ctx.Err()) return`},
	{because: "the loop over nothing gives an empty map, which is only read", within: []string{"parseGracePeriods"},
		operator: operator.AlwaysFalse, now: "len(statements) == 0"},
	{because: "all thresholds that are met have the operator LessThan", within: []string{"hasThreshold"},
		operator: operator.AlwaysTrue, now: "input.Operator == item.Operator"},
	{because: "an image without a digest has a tag", within: []string{"applyDefaultImageTag"},
		operator: operator.AlwaysTrue, now: "len(tag) > 0"},
	{because: "only one handler is registered", within: []string{"Kubelet.getPodsToSync"}, operator: operator.NoJump,
		now: "break"},
	{because: "the trigger is only a label of a metric", within: []string{"Kubelet.HandlePodReconcile"},
		operator: operator.NoAssign, now: "triggerReason = allocation.TriggerReasonPodTerminated"},
	{because: "the trigger is only a label of a metric", within: []string{"Kubelet.HandlePodReconcile"},
		operator: operator.NoAssign, now: "triggerReason = allocation.TriggerReasonPodResized"},
	{because: "a status that is not found has no phase", within: []string{"Kubelet.isAdmittedPodTerminal"},
		operator: operator.AlwaysTrue, now: "ok"},
	{because: "it only selects a metric", within: []string{"Kubelet.HandlePodCleanups"}, operator: operator.NoField,
		now: "Orphan: true,"},
	{because: "only a metric reads it", within: []string{"podWorkers.SyncKnownPods"}, operator: operator.NoAssign,
		now: "sync.HasConfig = true"},
	{because: "only a metric reads it", within: []string{"podWorkers.SyncKnownPods"}, operator: operator.NoAssign,
		now: "sync.Static = kubetypes.IsStaticPod(status.activeUpdate.Pod)"},
	{because: "only a metric reads it", within: []string{"podWorkers.SyncKnownPods"}, operator: operator.NoAssign,
		now: "sync.Static = kubetypes.IsStaticPod(status.pendingUpdate.Pod)"},
	{because: "only a metric reads what it assigns", within: []string{"podWorkers.SyncKnownPods"},
		operator: operator.NoCase, now: "case status.activeUpdate != nil: if status.activeUpdate.Pod != nil { " +
			"sync.HasConfig = true sync.Static = kubetypes.IsStaticPod(status.activeUpdate.Pod) }"},
	{because: "the status of a container that is found replaces it", within: []string{
		"Kubelet.convertToAPIContainerStatuses",
	}, operator: operator.NoJump, code: "if found { continue"},
	{because: "the times of all statuses move alike, and are only compared", within: []string{
		"kubeGenericRuntimeManager.toKubeContainerStatus",
	}, operator: operator.Increased, code: "CreatedAt: time.Unix(0, status.CreatedAt),"},
	{because: "a deleted pod is killed with an override", within: []string{"setTerminationGracePeriod"},
		operator: operator.NoCase,
		now:      "case pod.DeletionGracePeriodSeconds != nil: return *pod.DeletionGracePeriodSeconds"},
	{because: "a loop over no container follows", within: []string{"kubeGenericRuntimeManager.doPodResizeAction"},
		operator: operator.Moved, code: "if len(podContainerChanges.ContainersToUpdate[rName]) > 0 {"},
	{because: "nothing is found in no results, and an empty map is only read", within: []string{
		"kubeGenericRuntimeManager.toKubeContainerImageVolumes",
	}, operator: operator.NoJump, now: "return nil, nil"},
	{because: "its error counts only in back-off", within: []string{"kubeGenericRuntimeManager.doBackOff"},
		operator: operator.AnError, code: `return false, "", nil`},
	{because: "an empty text is an error, which is only logged", within: []string{"getJSONObjectFromLabel"},
		operator: operator.AlwaysTrue, now: "found"},
	{because: "the select that follows has the case", within: []string{"GenericPLEG.workerLoopIteration"},
		operator: operator.NoCase, now: "case <-g.globalRelistTimer.C(): g.Relist(ctx) " +
			"g.globalRelistTimer.Reset(g.relistDuration.RelistPeriod) return true"},
	{because: "events of this type are dropped", within: []string{"generateEvents"}, operator: operator.NoField,
		now: "ID: podID,", code: "return []*PodLifecycleEvent{{ID: podID, Type: ContainerChanged, Data: cid}}"},
	{because: "exit codes are only logged", within: []string{"GenericPLEG.reconcilePodRecord"},
		operator: operator.NoAssign, now: "containerExitCode[containerStatus.ID.ID] = containerStatus.ExitCode"},
	{because: "no addresses are returned either way", within: []string{"GenericPLEG.getPodIPs"},
		operator: operator.AlwaysFalse, now: "len(oldStatus.IPs) == 0"},
	{because: "only static pods are found by it, and those come as pending", within: []string{"podWorkers.UpdatePod"},
		operator: operator.NoField, code: "finished: false, fullname: kubecontainer.BuildPodFullName(name, ns),"},
	{because: "only metrics read when an update began", within: []string{"podWorkers.UpdatePod"},
		operator: operator.Negated, now: "status.pendingUpdate.StartTime.Before(options.StartTime)"},
	{because: "only metrics read when an update began", within: []string{"podWorkers.UpdatePod"},
		operator: operator.NoAssign, now: "options.StartTime = status.pendingUpdate.StartTime"},
	{because: "the channel is closed, so the loop ends", within: []string{"podWorkers.podWorkerLoop"},
		operator: operator.NoJump, code: "if !canEverStart { return"},
	{because: "zero is assigned to zero", within: []string{"podWorkers.completeWork"}, operator: operator.Moved,
		code: "if backoff < 0 {"},
	{because: "the channel is only closed", within: []string{"killPodNow"}, now: "1",
		code: "ch := make(chan struct{}, 1)"},
	{because: "it only selects a metric", within: []string{"CriticalPodAdmissionHandler.evictPodsToFreeRequests"},
		operator: operator.Increased, code: "if len(insufficientResources) > 0 {"},
	{because: "zero is added", within: []string{"admissionRequirementList.distance"}, operator: operator.Moved,
		code: "if remainingRequest > 0 {"},
	{because: "the panic that follows is recovered, and also returns true", within: []string{"worker.doProbe"},
		operator: operator.NoJump, code: "if c.State.Terminated == nil { return true"},
	{because: "the status has all containers of the pod", within: []string{"GeneratePodInitializedCondition"},
		operator: operator.AlwaysTrue, now: "len(pod.Spec.InitContainers) > 0"},
	{because: "it tells only watchers of the kubelet's own API of pods", within: []string{
		"manager.SetPodStatus", "manager.SetContainerReadiness", "manager.SetPodVolumeHealth",
		"manager.SetContainerStartup", "manager.TerminatePod",
	}, operator: operator.NoCall, now: "m.sendNotification(logger, notification)"},
	{because: "a UID never comes back", within: []string{"manager.syncBatch"}, operator: operator.NoCall,
		now: "delete(m.apiStatusVersions, uid)"},
	{because: "a UID never comes back", within: []string{"manager.syncBatch"}, operator: operator.AlwaysFalse,
		now: "all", code: "if all {"},
	{because: "the API drops nanoseconds, and nothing compares these times", within: []string{"normalizeStatus"},
		operator: operator.NoCall, now: "normalizeTimeStamp(&condition.LastTransitionTime)"},
	{because: "only its sign counts", within: []string{"manager.sortPendingResizes", "priority"}, now: "1"},
	{because: "every refusal has a reason", within: []string{"manager.handlePodResourcesResize"},
		operator: operator.AlwaysTrue, now: `reason != ""`},
	{because: "every pod has a name", within: []string{"ParsePodFullName"}, operator: operator.Increased, now: "0",
		code: `parts[0] == "" || parts[1] == "" {`},
	{because: "amounts of inodes are only compared", within: []string{"containerUsage"}, operator: operator.NoField,
		now: "Format: resource.DecimalSI"},
	{because: "a map that follows has each threshold once", within: []string{"compareThresholdValue"},
		operator: operator.AlwaysFalse, now: "a.Quantity != nil"},
	{because: "it only makes the prefix of a log", within: []string{"imageManager.EnsureImageExists"},
		operator: operator.Swapped, now: "pod.Name, requestedImage"},
	{because: "only the Node has it", within: []string{"NewMainKubelet"}, operator: operator.NoField,
		now: "providerID: providerID,"},
	{because: "without a mounter it writes a file that nothing reads", within: []string{"NewMainKubelet"},
		operator: operator.AlwaysTrue, now: "len(experimentalMounterPath) != 0"},
	{because: "NewMainKubelet sets it", within: []string{"Kubelet.Run"}, operator: operator.AlwaysTrue,
		now: "kl.allocationManager != nil"},
	{because: "NewMainKubelet sets it", within: []string{"Kubelet.syncLoop"}, operator: operator.AlwaysTrue,
		now: "kl.dnsConfigurer != nil"},
	{because: "SyncTerminatedPod follows, which unregisters the pod", within: []string{"Kubelet.SyncPod"},
		operator: operator.AlwaysTrue,
		code:     "used by the pod if !kl.podWorkers.IsPodTerminationRequested(pod.UID) {"},
	{because: "no feature reads a pod's status", within: []string{"Kubelet.HandlePodUpdates"},
		operator: operator.NoField, now: "Status: &pod.Status"},
	{because: "nothing reads it", within: []string{"Kubelet.HandlePodCleanups"}, operator: operator.NoAssign,
		now: "runningPods[uid] = struct{}{}"},
	{because: "it only feeds a metric", within: []string{"Kubelet.HandlePodCleanups"}, operator: operator.NoAssign,
		now: "restartCountStatic++"},
	{because: "both conditions were just cleared", within: []string{"Kubelet.determinePodResizeStatus"},
		operator: operator.NoJump, now: "return nil"},
	{because: "mergePodStatus drops conditions that are not the kubelet's", within: []string{
		"Kubelet.generateAPIPodStatus",
	}, operator: operator.Increased, now: "0",
		code: "s.Conditions = make([]v1.PodCondition, 0, len(pod.Status.Conditions)+1)"},
	{because: "podRestarting needs the feature gate", within: []string{"Kubelet.convertToAPIContainerStatuses"},
		operator: operator.AlwaysTrue,
		now:      "utilfeature.DefaultFeatureGate.Enabled(features.RestartAllContainersOnContainerExits)",
		code:     "&& podRestarting && oldStatus.State.Waiting == nil {"},
	{because: "the map has the same pointer", within: []string{"Kubelet.convertToAPIContainerStatuses"},
		operator: operator.NoAssign, now: "statuses[container.Name] = status",
		code: "} statuses[container.Name] = status"},
	{because: "each sandbox of a pod has another attempt", within: []string{"podSandboxByCreatedThenID.Less"},
		operator: operator.AlwaysFalse, now: "p[i].CreatedAt != p[j].CreatedAt"},
	{because: "no pod's cgroup has CPUs of its own", within: []string{"mergeResourceConfig"},
		operator: operator.Moved, code: "if update.CPUSet.Size() > 0 {"},
	{because: "no pod's cgroup has CPUs of its own", within: []string{
		"convertResourceConfigToLinuxContainerResources",
	}, operator: operator.Negated, now: "rc.CPUSet.Size() > 0"},
	{because: "messages without arguments are constants without a percent sign", within: []string{
		"kubeGenericRuntimeManager.recordContainerEvent",
	}, operator: operator.AlwaysTrue, now: "len(args) > 0"},
	{because: "the times of all sandboxes move alike, and are only compared", within: []string{
		"containerGC.evictSandboxes",
	}, operator: operator.Increased, code: "createTime: time.Unix(0, sandbox.CreatedAt),"},
	{because: "mergeResourceConfig keeps the limit that was just asked for", within: []string{
		"kubeGenericRuntimeManager.validateMemoryResizeAction",
	}, operator: operator.AlwaysFalse, now: "currentPodResources.Memory == nil"},
	{because: "its only caller has read it", within: []string{"kubeGenericRuntimeManager.SyncPod"},
		operator: operator.AlwaysTrue, now: "podStatus != nil"},
	{because: "it only decides what is counted", within: []string{"kubeGenericRuntimeManager.SyncPod"},
		operator: operator.Negated, now: "utilfeature.DefaultFeatureGate.Enabled(features.UserNamespacesSupport)"},
	{because: "a sandbox without a first address has no other", within: []string{
		"kubeGenericRuntimeManager.determinePodSandboxIPs",
	}, operator: operator.AlwaysTrue, now: "len(podSandbox.Network.Ip) != 0"},
	{because: "it is false there", within: []string{"predicateAdmitHandler.Admit"}, operator: operator.NoField,
		now: "Admit: fit,"},
	{because: "it sets the label that is there", within: []string{"rejectPodAdmissionBasedOnOSSelector"},
		operator: operator.Negated, now: "!osLabelExists"},
	{because: "it waits for no pods", within: []string{"podManager.killPods"}, operator: operator.NoJump,
		code: "if len(group.Pods) == 0 { continue"},
	{because: "exit codes are found only for a pod", within: []string{"GenericPLEG.reconcilePodRecord"},
		operator: operator.Negated, now: "pod != nil", code: "ok && pod != nil {"},
	{because: "a client returns an empty pod with an error", within: []string{"basicMirrorClient.CreateMirrorPod"},
		operator: operator.Negated, now: "apierrors.IsAlreadyExists(err)"},
	{because: "no pod has an empty UID", within: []string{"podWorkers.IsPodForMirrorPodTerminatingByFullName"},
		operator: operator.NoJump, code: "if !started { return false"},
	{because: "it only logs", within: []string{"podWorkers.UpdatePod"}, now: "4"},
	{because: "it only logs", within: []string{"podWorkers.UpdatePod"}, operator: operator.Swapped,
		now: `"Notifying pod of pending update", "workType"`},
	{because: "only metrics read when an update began", within: []string{"podWorkers.UpdatePod"},
		operator: operator.Negated, now: "!status.pendingUpdate.StartTime.IsZero()"},
	{because: "only a log and tests read it", within: []string{"podWorkers.requeueLastPodUpdate"},
		operator: operator.NoAssign, now: "status.working = true"},
	{because: "SetStderr sets the same writer", within: []string{"execInContainer.SetStdout"},
		operator: operator.NoAssign},
	{because: "the status has only containers of the pod", within: []string{"manager.UpdatePodStatus"},
		operator: operator.AlwaysTrue, now: "containerSpec != nil"},
	{because: "all cases only count", within: []string{"worker.doProbe"}, operator: operator.NoCase,
		now: "case results.Success: ProberResults.With(w.proberResultsSuccessfulMetricLabels).Inc() " +
			"ProberDuration.With(w.proberDurationSuccessfulMetricLabels).Observe(time.Since(startTime).Seconds())"},
	{because: "the status has all containers of the pod", within: []string{"GenerateContainersReadyCondition"},
		operator: operator.Increased, code: "if len(unknownContainers) > 0 {"},
	{because: "it tells only watchers of the kubelet's own API of pods", within: []string{
		"manager.updateStatusInternal",
	}, operator: operator.NoAssign, now: "podCopy.Status = status"},
	{because: "the end of a pod cleared its conditions, and a UID never comes back", within: []string{
		"manager.RemoveOrphanedStatuses",
	}, operator: operator.AlwaysFalse,
		now: "utilfeature.DefaultFeatureGate.Enabled(features.InPlacePodVerticalScaling)"},
	{because: "nothing is deleted, and the rest feeds metrics", within: []string{"manager.RemoveOrphanedStatuses"},
		operator: operator.AlwaysTrue, now: "exists"},
	{because: "the next return follows, which only logs otherwise", within: []string{"manager.syncPod"},
		operator: operator.AlwaysFalse, now: "errors.IsNotFound(err)"},
	{because: "it is returned only with an error", within: []string{"ResolveContainerPort"}, now: "1"},
	{because: "it only logs", within: []string{"Kubelet.SyncTerminatingPod"}, now: "loggerVEnabled"},
	{because: "it only feeds a metric", within: []string{"Kubelet.SyncPod"},
		code: "if !ok || existingStatus.Phase == v1.PodPending && apiPodStatus.Phase == v1.PodRunning &&"},
	{because: "it only feeds a metric", within: []string{"manager.updateStatusInternal"},
		now: "oldStatuses[i].Name == newCStat.Name"},
	{because: "it is only a label of a metric", within: []string{"Kubelet.HandlePodCleanups"}, now: "t",
		code: "if t {"},
	{because: "whether they differ counts, and the rest feeds a metric", within: []string{
		"recordContainerResizeOperations",
	}, operator: operator.Swapped},
	{because: "it tells only watchers of the kubelet's own API of pods", within: []string{
		"manager.updateStatusInternal",
	}, operator: operator.Negated, now: "pod.DeletionTimestamp == nil",
		code: "isAdded: !isCached && pod.DeletionTimestamp == nil,"},
	{because: "its only caller has found both", within: []string{"cpuMemoryResourcesEqual"},
		operator: operator.Negated, now: "allocatedPodResources == nil",
		code: "if actuatedPodResources == nil && allocatedPodResources == nil {"},
	{because: "a pod without a policy has the default one, which every node supports", within: []string{
		"rejectPodAdmissionBasedOnSupplementalGroupsPolicy",
	}, operator: operator.NoJump, code: "if !inUse { return admit"},
	{because: "the loop over nothing finds nothing", within: []string{"GetPodConditionFromList"},
		operator: operator.NoJump, code: "if conditions == nil { return -1, nil"},
	{because: "the loop over no file counts zero", within: []string{"calcRestartCountByLogDir"},
		operator: operator.AlwaysFalse, now: "len(files) == 0", code: "if len(files) == 0 {"},
	{because: "it is always true on Linux", within: []string{"kubeGenericRuntimeManager.SyncPod"},
		operator: operator.AlwaysTrue, now: "resizable"},
	{because: "only an update of a terminating pod is repeated, and that does not use the mirror pod", within: []string{
		"podSyncStatus.mergeLastUpdate",
	}, operator: operator.Negated, now: "other.MirrorPod != nil"},
	{because: "the same status follows, which is dropped", within: []string{"manager.SetContainerStartup"},
		operator: operator.AlwaysFalse, now: "containerStatus.Started != nil && *containerStatus.Started == started"},
	{because: "only a mirror pod can be without a pod", within: []string{"Kubelet.HandlePodUpdates"},
		operator: operator.AlwaysTrue, now: "wasMirror"},
	{because: "only a pod that was added before has allocated resources", within: []string{"Kubelet.HandlePodUpdates"},
		operator: operator.AlwaysTrue, now: "oldPod != nil"},
	{because: "it names a link to a log", within: []string{"kubeGenericRuntimeManager.startContainer"},
		operator: operator.Swapped, now: "sandboxMeta.Name, sandboxMeta.Namespace"},
	{because: "a pod that needs no feature fits every node", within: []string{"declaredFeaturesAdmitHandler.Admit"},
		operator: operator.NoJump, code: "if reqs.IsEmpty() { return PodAdmitResult{Admit: true}"},
	{because: "only a critical pod is not evicted, and all its containers are refused alike", within: []string{
		"managerImpl.containerEphemeralStorageLimitEviction",
	}, operator: operator.NoJump, now: "return false", code: "} return false"},
	{because: "every distance is less than it", within: []string{"getPodsToPreemptByDistance"}, now: "1",
		code: "bestDistance := float64(len(requirements) + 1)"},
	{because: "it is only logged", within: []string{"Kubelet.syncLoopIteration"}, now: "started",
		code: "if started {"},
	{because: "nothing reads it", within: []string{"NewMainKubelet"}, operator: operator.NoField,
		now: "nodeHasSynced: nodeHasSynced,"},
	{because: "the status of a container that is found replaces it", within: []string{
		"Kubelet.convertToAPIContainerStatuses",
	}, operator: operator.AlwaysFalse, now: "found", code: "} if found {"},
	{because: "it only logs", within: []string{"podManager.killPods"}, operator: operator.AlwaysTrue,
		now:  "err != nil",
		code: "if err := m.volumeManager.WaitForAllPodsUnmount(groupCtx, group.Pods); err != nil {"},
	{because: "only the kubelet's own list of running pods shows it", within: []string{"Pod.ToAPIPod"},
		operator: operator.NoAssign, now: "container.Image = c.Image"},
	{because: "it only feeds a metric", within: []string{"updateRunningPodAndContainerMetrics"}},
	{because: "it only feeds a metric", within: []string{
		"manager.SetPodResizePendingCondition", "manager.ClearPodResizePendingCondition",
	}, operator: operator.NoCall, now: "m.observePendingResizeCount()"},
	{because: "it only logs", within: []string{"podWorkers.UpdatePod"}, now: "3"},
	{because: "only a log reads it", within: []string{"kubeGenericRuntimeManager.computeInitContainerActions"},
		operator: operator.NoField, now: "container: container,"},
	{because: "only a log reads it", within: []string{"ConvertPodStatusToRunningPod"}, operator: operator.NoField,
		now: "Namespace: podStatus.Namespace,"},
	{because: "it serves the node's logs", within: []string{"Kubelet.Run"}, now: "kl.logServer == nil"},
	{because: "no hostPath volume has statistics", within: []string{"localVolumeNames"},
		operator: operator.AlwaysFalse, now: "volume.HostPath != nil"},
	{because: "a client returns an empty pod with an error", within: []string{"basicMirrorClient.CreateMirrorPod"},
		operator: operator.AlwaysTrue, now: "err != nil && apierrors.IsAlreadyExists(err)"},
	{because: "amounts of inodes are only compared", within: []string{"podDiskUsage"}, operator: operator.NoField,
		now: "Format: resource.DecimalSI"},
	{because: "it adds an empty prefix", within: []string{"Kubelet.makeEnvironmentVariables"},
		operator: operator.AlwaysTrue, now: "len(envFrom.Prefix) > 0"},
	{because: "no threshold is found among none, and the same return follows", within: []string{
		"managerImpl.synchronize",
	}, operator: operator.AlwaysFalse, now: "len(thresholds) == 0", code: "if len(thresholds) == 0 {"},
	{because: "it merges nothing", within: []string{"managerImpl.synchronize"}, operator: operator.AlwaysTrue,
		now: "len(m.thresholdsMet) > 0"},
	{because: "its only caller has read it", within: []string{
		"kubeGenericRuntimeManager.isPodLevelResourcesResizeInProgress",
	}, operator: operator.AlwaysFalse, now: "podStatus == nil"},
	{because: "only a metric and a log follow", within: []string{"CriticalPodAdmissionHandler.evictPodsToFreeRequests"},
		operator: operator.Negated, now: "err != nil", code: "}) if err != nil {"},
	{because: "it can only set again what is set, and the label of a metric", within: []string{
		"Kubelet.HandlePodReconcile",
	}, operator: operator.AlwaysTrue, now: "!retryPendingResizes"},
	{because: "it only logs, and the loop goes on either way", within: []string{
		"kubeGenericRuntimeManager.pruneInitContainersBeforeStart",
	}, operator: operator.AlwaysTrue, now: "err != nil",
		code: "if err := m.removeContainer(ctx, status.ID.ID, false); err != nil {"},
	{because: "the zero time is also older than the limit", within: []string{"GenericPLEG.Healthy"},
		operator: operator.AlwaysFalse, now: "relistTime.IsZero()"},
	{because: "the default makes the same reason of the resource's name", within: []string{
		"predicateAdmitHandler.Admit",
	}, operator: operator.NoCase, now: "case v1.ResourceCPU: reason = OutOfCPU"},
	{because: "its only caller has a grace period above zero", within: []string{"terminationOrdering.waitForTurn"},
		operator: operator.Moved},
	{because: "only static pods are found by it, and those come as pending", within: []string{"podWorkers.UpdatePod"},
		operator: operator.Swapped, now: "name, ns",
		code: "finished: false, fullname: kubecontainer.BuildPodFullName(name, ns),"},
	{because: "equality is the same in both directions", within: []string{"updateContainerResourcesFromAllocation"},
		operator: operator.Swapped, now: "c.Resources, cAlloc"},
	{because: "its callers ask only for pods that failed or succeeded", within: []string{
		"generateContainersReadyConditionForTerminalPhase",
	}, operator: operator.AlwaysTrue, now: "podPhase == v1.PodSucceeded"},
	{because: "both cases are asked for again inside", within: []string{
		"kubeGenericRuntimeManager.toKubeContainerStatus",
	}, operator: operator.AlwaysTrue, now: "cStatusResources == nil || cStatusResources.MemoryRequest == nil"},
	{because: "errors.As has already searched what it wraps", within: []string{"MinBackoffExpiration"},
		operator: operator.AlwaysFalse, now: "e != nil"},
	{because: "a map that follows has each condition once", within: []string{"nodeConditions"},
		operator: operator.AlwaysTrue, now: "!hasNodeCondition(results, nodeCondition)"},
	{because: "UpdatePod gives a pod without a grace period the same second", within: []string{
		"Kubelet.HandlePodCleanups",
	}, operator: operator.NoField, now: "KillPodOptions: killPodOptions,"},
	{because: "what the cache does not hold is read from files", within: []string{"NewKubeGenericRuntimeManager"},
		now: "5", code: "pullRecordsCacheSize = 5 * maxPods"},
	{because: "it only replaces one empty list by another", within: []string{"manager.updateStatusInternal"},
		operator: operator.Moved, code: "if len(oldStatus.VolumeHealth) > 0 && len(status.VolumeHealth) == 0 {"},
	{because: "only a log reads it", within: []string{"basicMirrorClient.DeleteMirrorPod"}, operator: operator.NoAssign,
		now: "uidValue = *uid"},
	{because: "only a log reads it", within: []string{"kubeGenericRuntimeManager.purgeInitContainers"},
		operator: operator.NoAssign, now: "count++"},
	{because: "the prober's manager sets it again for a container that does not run", within: []string{
		"Kubelet.convertToAPIContainerStatuses",
	}, operator: operator.AlwaysTrue, code: "if cStatus.State == kubecontainer.ContainerStateRunning {"},
	{because: "no pod is ranked or evicted among none, and the same return follows", within: []string{
		"managerImpl.synchronize",
	}, operator: operator.NoJump, code: `but no pods are active to evict") return nil, nil`},
	{because: "no pod is ranked or evicted among none, and the same return follows", within: []string{
		"managerImpl.synchronize",
	}, operator: operator.AlwaysFalse, now: "len(activePods) == 0"},
	{because: "it only feeds a metric", within: []string{"manager.observeDeferredResizeDuration"},
		now: "cond.LastTransitionTime.IsZero()"},
	{because: "it only feeds a metric", within: []string{"Kubelet.HandlePodCleanups"}, operator: operator.NoAssign,
		now: "orphanCount++"},
	{because: "an image without a digest has a tag", within: []string{"applyDefaultImageTag"},
		operator: operator.Moved, code: `if len(digest) == 0 && len(tag) > 0 && !strings.HasSuffix(image, ":"+tag) {`},
	{because: "no pod has an empty UID", within: []string{"manager.syncPod"}, operator: operator.AlwaysTrue,
		now: "len(translatedUID) > 0"},
	{because: "it sets again what is set", within: []string{"manager.updateStatusInternal"},
		operator: operator.AlwaysTrue, now: "!podIsFinished"},
	{because: "only the check of the kubelet's health reads it, and the next turn of the loop writes it",
		within: []string{"Kubelet.syncLoop"}, operator: operator.NoCall,
		code: "} kl.syncLoopMonitor.Store(kl.clock.Now())"},
	{because: "validation lets no resize add or remove the limit of a volume, so both pods have it", within: []string{
		"disallowResizeForMemoryBackedVolumes",
	}, operator: operator.Swapped, now: "allocatedPod, desiredPod"},
	{because: "it admits the pod all the same, and nothing reads the reason", within: []string{
		"predicateAdmitHandler.Admit",
	}, operator: operator.AlwaysTrue, code: "} if !fit {"},
	{because: "nothing reads it", within: []string{"ConvertPodStatusToRunningPod"}, operator: operator.NoField,
		now: "Hash: containerStatus.Hash,"},
	{because: "nothing reads it", within: []string{"kubeGenericRuntimeManager.toKubeContainerStatus"},
		operator: operator.NoField, now: "Propagation: mount.Propagation,"},
	{because: "its only caller just logs the error", within: []string{"basicMirrorClient.CreateMirrorPod"},
		operator: operator.AlwaysTrue, now: "ok && h == hash"},
	{because: "the loop over nothing adds nothing", within: []string{"ExpandContainerCommandOnlyStatic"},
		operator: operator.AlwaysTrue, now: "len(containerCommand) != 0"},
	{because: "StorageEphemeral never returns nil", within: []string{
		"managerImpl.containerEphemeralStorageLimitEviction",
	}, operator: operator.AlwaysTrue, now: "ephemeralLimit != nil"},
	{because: "who sets a pending update also wakes the worker, and only a log and tests read the rest",
		within: []string{"podWorkers.completeWork"}, operator: operator.Negated, now: "ok"},
	{because: "only its sign counts", within: []string{"cmpBool"}, now: "1"},
	{because: "the pod is synced for every event but ContainerRemoved", within: []string{
		"GenericPLEG.reconcilePodRecord",
	}, operator: operator.NoField, now: "Type: PodSync"},
	{because: "it is set before each time it is read", within: []string{"podRecords.updateInternal"},
		operator: operator.NoAssign, now: "r.current = nil"},
	{because: "thresholds that nothing measures were dropped before", within: []string{"getThresholdMetInfo"},
		operator: operator.AlwaysTrue, now: "found"},
	{because: "what mounts a volume makes its folders", within: []string{"Kubelet.makePodDataDirs"},
		operator: operator.AlwaysTrue,
		code:     "uid := pod.UID if err := os.MkdirAll(kl.getPodDir(uid), 0750); err != nil && !os.IsExist(err) {"},
	{because: "an empty list has no last status, and the same return follows", within: []string{"hasPodInitialized"},
		operator: operator.AlwaysTrue, now: "l > 0"},
	{because: "an empty list has no last status, and the same return follows", within: []string{"hasPodInitialized"},
		operator: operator.Moved, code: "if l := len(pod.Status.InitContainerStatuses); l > 0 {"},
	{because: "validation refuses other ports", within: []string{"ResolveContainerPort"}, operator: operator.AlwaysTrue,
		now: "err != nil"},
	{because: "an entry that it drops counts as none", within: []string{"imageManager.pullImage"},
		operator: operator.NoCall, now: "m.backOff.GC()"},
	{because: "the threshold for imagefs is the same, and of the same measurement", within: []string{
		"UpdateContainerFsThresholds",
	}, operator: operator.NoField, now: "Operator: hardImageINodeDisk.Operator,"},
	{because: "the loop over nothing finds nothing", within: []string{"GetPodConditionFromList"},
		operator: operator.AlwaysFalse, now: "conditions == nil"},
	{because: "an amount that stays marks nothing", within: []string{
		"kubeGenericRuntimeManager.computePodResizeAction",
	}, operator: operator.AlwaysTrue, now: "resizeMemReq"},
	{because: "it sets what is set, and a metric", within: []string{"manager.ClearPodResizePendingCondition"},
		operator: operator.NoJump, now: "return"},
	{because: "the rest that follows is empty, too", within: []string{"getContainersToDeleteInPod"},
		operator: operator.Moved, code: "if len(candidates) <= containersToKeep {"},
	{because: "only an update of a terminating pod is repeated, and that does not use the mirror pod", within: []string{
		"podSyncStatus.mergeLastUpdate",
	}, operator: operator.AlwaysTrue, now: "other.MirrorPod != nil"},
	{because: "only a kill reads it, and there is nothing to kill", within: []string{"makeDefaultData"},
		operator: operator.NoField, now: "ID: id"},
	{because: "it is only a key", within: []string{"imageManager.pullImage"}, operator: operator.Swapped,
		now: "podUID, image", code: `backOffKey := fmt.Sprintf("%s_%s", podUID, image)`},
	{because: "the API server refuses a second mirror pod", within: []string{"Kubelet.SyncPod"},
		operator: operator.NoField, now: "MirrorPod: mirrorPod,"},
	{because: "a map that follows has each threshold once", within: []string{"compareThresholdValue"},
		operator: operator.Negated, now: "b.Quantity != nil"},
	{because: "both sizes round a percentage to the same number", within: []string{"parsePercentage"},
		operator: operator.Increased, now: "32"},
	{because: "mergePodStatus sets the time anew when it sends the condition", within: []string{
		"manager.updateStatusInternal",
	}, operator: operator.Swapped, code: "updateLastTransitionTime(&status, &oldStatus, v1.DisruptionTarget)"},
	{because: "only the level of a log depends on it", within: []string{"Kubelet.StartGarbageCollection"},
		operator: operator.AlwaysTrue, now: "loggedContainerGCFailure"},
	{because: "nothing reads it", within: []string{"podWorkers.UpdatePod"}, operator: operator.NoField,
		now: "syncedAt: now,"},
	{because: "no probe panics", within: []string{"worker.doProbe"}, operator: operator.NoCall, now: "recover()"},
	{because: "an error only makes an event of the node, and no error is left out", within: []string{
		"containerGC.GarbageCollect",
	}, operator: operator.Negated, code: "if err := cgc.evictPodLogsDirectories(ctx, allSourcesReady); err != nil {"},
	{because: "it only logs", within: []string{"podWorkers.UpdatePod"}, operator: operator.NoCall,
		now: `updateLogger.V(3).Info("Cancelling current pod sync", "workType", status.WorkType())`},
	{because: "it limits what processes may do", within: []string{"NewKubeGenericRuntimeManager"},
		operator: operator.NoField, now: "seccompDefault: seccompDefault,"},
	{because: "a pod is never observed before its last change", within: []string{"cache.getIfNewerThan"},
		operator: operator.AlwaysFalse, now: "d.modified.After(minTime)"},
	{because: "nothing is found in an empty map", within: []string{"ShouldAllContainersRestart"},
		operator: operator.AlwaysTrue, now: "apiPodStatus != nil", code: "} if apiPodStatus != nil {"},
	{because: "the sync of a terminating pod ignores that context", within: []string{"podWorkers.UpdatePod"},
		operator: operator.NoAssign, now: "wasGracePeriodShortened = gracePeriodShortened"},
	{because: "it only logs", within: []string{"kubeGenericRuntimeManager.startingResizedContainer"},
		operator: operator.AlwaysFalse, now: "!ok"},
	{because: "it reads the same Secret again", within: []string{"Kubelet.makeEnvironmentVariables"},
		operator: operator.AlwaysTrue, code: "secret, ok := secrets[name] if !ok {"},
	{because: "only a log and tests read it", within: []string{"podWorkers.UpdatePod"}, operator: operator.NoAssign,
		now: "status.working = true"},
	{because: "the status is deleted with it", within: []string{"podWorkers.completeTerminatingRuntimePod"},
		operator: operator.NoAssign, now: "status.finished = true"},
}

// unknown returns the functions of the reasons that a map does not have.
func unknown(m reach.Map) (names []string) {
	known := map[string]bool{}
	for _, f := range m.Files {
		for _, function := range f.Functions {
			known[function.Name] = true
		}
	}
	for _, e := range equivalences {
		for _, name := range e.within {
			if !known[name] {
				names = append(names, name)
			}
		}
	}
	return names
}

// equivalent returns why a survivor is equivalent, or "".
func equivalent(m Mutant) string {
	if m.idle != "" {
		return m.idle
	}
	for _, e := range equivalences {
		if slices.Contains(e.within, m.Within) && (e.operator == "" || e.operator == m.Operator) &&
			(e.now == "" || e.now == oneSpace(m.Now)) && strings.HasSuffix(m.code, e.code) {
			return e.because
		}
	}
	return ""
}

// code returns the line at an offset and the line before it, with single spaces.
func code(source []byte, offset int) string {
	before := strings.Split(string(source[:offset]), "\n")
	rest, _, _ := strings.Cut(string(source[offset:]), "\n")
	lines := strings.Join(before[max(0, len(before)-2):], " ") + rest
	return oneSpace(lines)
}

func oneSpace(text string) string { return strings.Join(strings.Fields(text), " ") }
