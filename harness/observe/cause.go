package observe

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Causes that no formula distinguishes.
const (
	// ByAPIEviction is a delete through the pod's eviction, as kubectl drain does it.
	ByAPIEviction formula.Cause = "API eviction"
	// ByNodePressure is a hard or a soft eviction: no event says which.
	ByNodePressure formula.Cause = "node-pressure eviction"
	// BySchedulerPreemption is a delete by the scheduler for a pod of a higher priority.
	BySchedulerPreemption formula.Cause = "preemption by the scheduler"
	ByOOM                 formula.Cause = "OOM"
	// ByGarbageCollection is a delete by the control plane, such as that of a pod whose node is gone.
	ByGarbageCollection formula.Cause = "garbage collection"
	// Unreported is an end that nothing explains.
	Unreported formula.Cause = "unknown"
)

// ended is a cause and what says so.
type ended struct {
	cause formula.Cause
	why   string
}

// oomKilled is the reason of a container whose main process the kernel killed (containerd and CRI-O set it).
const oomKilled = "OOMKilled"

// lost is the reason of a container whose end the runtime did not report (pkg/kubelet/container/helpers.go,
// pkg/kubelet/kubelet_pods.go).
const lost = "ContainerStatusUnknown"

// restartingAll is the reason of a container that is removed because another one's end restarts all
// (pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses). It stands for whatever the runtime reported.
const restartingAll = "RestartingAllContainers"

// reported reports whether the runtime reported an end.
func reported(t *corev1.ContainerStateTerminated) bool {
	return t != nil && t.Reason != lost && t.Reason != restartingAll
}

// killed returns the cause that a Killing event names (pkg/kubelet/kuberuntime/kuberuntime_manager.go
// computePodActions, kuberuntime_container.go startContainer). An event of another kill has none.
func killed(message string) formula.Cause {
	switch {
	case strings.Contains(message, " failed liveness probe"):
		return formula.ByLiveness
	case strings.Contains(message, " failed startup probe"):
		return formula.ByStartup
	case strings.Contains(message, " definition changed"), strings.HasSuffix(message, " resize requires restart"):
		return formula.ByChange
	case strings.Contains(message, "FailedPostStartHook"), strings.Contains(message, "PostStartHook"):
		return formula.ByPostStart
	}
	return ""
}

// disrupted are the reasons of the condition DisruptionTarget of deletes (k8s.io/api/core/v1 PodReason…,
// pkg/registry/core/pod/storage/eviction.go, pkg/controller/tainteviction, pkg/controller/podgc).
var disrupted = map[string]formula.Cause{
	"EvictionByEvictionAPI":               ByAPIEviction,
	corev1.PodReasonPreemptionByScheduler: BySchedulerPreemption,
	"DeletionByTaintManager":              predict.ByTaint,
	"DeletionByPodGC":                     ByGarbageCollection,
}

// announced returns the cause that an event of the kubelet about a whole pod names. It comes before the kill, and the
// status only after it (pkg/kubelet/pod_workers.go killPodNow, pkg/kubelet/active_deadline.go).
func announced(reason, message string) ended {
	switch reason {
	case "Evicted", "Preempting", "DeadlineExceeded":
		p := corev1.Pod{Status: corev1.PodStatus{Reason: reason, Message: message}}
		return ofPod(&p)
	}
	return ended{}
}

// ofPod returns why a pod ends, or no cause if it does not.
func ofPod(p *corev1.Pod) ended {
	target := corev1.PodCondition{}
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
			target = c
		}
	}
	switch reason, message := p.Status.Reason, p.Status.Message; reason {
	case "Evicted": // pkg/kubelet/eviction/eviction_manager.go Reason
		if strings.Contains(message, "exceed") && !strings.Contains(message, "low on resource") {
			return ended{formula.ByStorageLimit, message}
		}
		return ended{ByNodePressure, message}
	case "Preempting": // pkg/kubelet/types/constants.go; preemption/preemption.go
		return ended{formula.ByPreemption, message}
	case "Terminated", "NodeShutdown", "Shutdown": // pkg/kubelet/nodeshutdown
		return ended{formula.ByShutdown, message}
	case "DeadlineExceeded": // pkg/kubelet/active_deadline.go
		return ended{formula.ByDeadline, message}
	}
	if target.Reason == corev1.PodReasonTerminationByKubelet && strings.Contains(target.Message, "shutdown") {
		return ended{formula.ByShutdown, target.Message}
	}
	if p.DeletionTimestamp == nil {
		return ended{}
	}
	if cause, is := disrupted[target.Reason]; is {
		return ended{cause, strings.TrimSpace(target.Message)}
	}
	why := "nothing says by whom"
	if g := p.DeletionGracePeriodSeconds; g != nil && *g == 0 && p.Status.Phase == corev1.PodRunning {
		return ended{formula.ByDelete, "by force: the object is removed before the processes end"}
	}
	if owner := metav1.GetControllerOf(p); owner != nil {
		why = fmt.Sprintf("not by its %s, as far as events say", owner.Kind)
	}
	return ended{formula.ByDelete, why}
}

// byItself returns the cause of an end that nothing asked for.
func byItself(t corev1.ContainerStateTerminated) ended {
	switch {
	case t.Reason == oomKilled:
		return ended{ByOOM, "the kernel killed the process for its memory limit"}
	case t.ExitCode == 0:
		return ended{predict.Completing, "it exited by itself"}
	case outcome(t) == SIGKILL:
		return ended{predict.Crashing, "SIGKILL that neither the kubelet nor a memory limit explains"}
	}
	return ended{predict.Crashing, "it exited by itself"}
}

// outcome returns how a process ended. Runtimes report the death by a signal as 128 and its number.
func outcome(t corev1.ContainerStateTerminated) Outcome {
	const byKill = 128 + 9
	switch {
	case !reported(&t):
		return Unknown
	case t.Reason == oomKilled, t.ExitCode == byKill, t.Signal == 9:
		return SIGKILL
	}
	return Exited
}
