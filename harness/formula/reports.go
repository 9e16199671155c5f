package formula

// The formulas of what the kubelet reports about a pod. Each counts the reports that the marks contradict, so none may
// come. They hold for every trial.
var (
	EndsReported = noReport("status/ends",
		"The API shows a container as ended only when its process has died.",
		"pkg/kubelet/kuberuntime/kuberuntime_container.go toKubeContainerStatus")
	EndsDated = noReport("status/end-times",
		"finishedAt is the second in which the container's process died.",
		"pkg/kubelet/kuberuntime/kuberuntime_container.go toKubeContainerStatus; "+
			"kubelet_pods.go convertToAPIContainerStatuses")
	ExitCodesReported = noReport("status/exit-codes",
		"The API shows the exit code that the process gave, or 137 if SIGKILL ended it.",
		"pkg/kubelet/kuberuntime/kuberuntime_container.go toKubeContainerStatus")
	EndsKnown = noReport("status/lost-ends",
		"Only the end of an evicted container may be unknown to the kubelet (reason ContainerStatusUnknown).",
		"pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses")
	FailuresCounted = noReport("probes/failures-counted",
		"The kubelet counts no failed probe that did not reach the container.",
		"pkg/kubelet/prober/prober.go probe; worker.go doProbe (prober_probe_total)")
)

func noReport(id, says, source string) Formula {
	return never(id, says, source, "reports that the marks contradict")
}

// Evicts reports whether the kubelet evicts a pod for this cause. It then writes the ends of containers itself.
func (c Cause) Evicts() bool {
	return c == ByHardEviction || c == BySoftEviction || c == ByStorageLimit || c == ByPreemption
}

// The formulas of the kubelet's own conduct during all trials.
var (
	KubeletExits = never("kubelet/exits", "The kubelet exits or panics only if something outside it asks for that.",
		"cmd/kubelet/app/server.go run; staging/src/k8s.io/apimachinery/pkg/util/runtime/runtime.go HandleCrash",
		"exits that nobody asked for")
	KubeletHangs = never("kubelet/hangs", "The kubelet answers its health check while its node is free.",
		"staging/src/k8s.io/apiserver/pkg/server/healthz/healthz.go", "hangs that the node's delay does not explain")
)

func never(id, says, source, what string) Formula {
	return Formula{ID: id, Says: says, Source: source, Implemented: always(count(what, 0))}
}
