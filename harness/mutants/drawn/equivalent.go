package drawn

import (
	"slices"

	"github.com/podclock/podclock/harness/kubelets/operator"
	"github.com/podclock/podclock/harness/reach"
)

// equivalence is why survivors do what the unchanged code does, or nothing that a pod or its API object shows. An empty
// operator stands for any, an empty text for all code of the functions.
type equivalence struct {
	because  string
	within   []string
	operator operator.Operator
	now      string
}

// equivalences were read in the source. Those of whole functions decide nothing about how a pod dies or restarts. They
// are asked for survivors only, so none hides a difference.
var equivalences = []equivalence{
	{because: "it writes the container's /etc/hosts and hostname", within: []string{
		"getContainerEtcHostsPath", "shouldMountHostsFile", "makeHostsMount", "ensureHostsFile", "nodeHostsFileContent",
		"managedHostsFileContent", "hostsEntriesFromHostAliases", "truncatePodHostnameIfNeeded",
		"Kubelet.GeneratePodHostNameAndDomain",
	}},
	{because: "it describes a container's mounts and devices", within: []string{
		"makeMounts", "makeDevices", "makeCDIDevices", "Kubelet.makeBlockVolumes", "resolveRecursiveReadOnly",
		"runtimeHandlerSupportsRecursiveReadOnlyMounts", "Kubelet.runtimeClassSupportsRecursiveReadOnlyMounts",
		"translateMountPropagation", "kubeGenericRuntimeManager.makeDevices", "kubeGenericRuntimeManager.makeMounts",
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
		"updateMetrics", "recordPodLevelResourcesAdmission", "recordPodLevelResourceResizeOperations",
		"recordAdmissionRejection", "incrementImageVolumeMetrics", "splitPodsByStatic",
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
	for _, e := range equivalences {
		if slices.Contains(e.within, m.Within) && (e.operator == "" || e.operator == m.Operator) &&
			(e.now == "" || e.now == m.Now) {
			return e.because
		}
	}
	return ""
}
