package predict

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
)

// nodeCritical is the class of the highest priority.
const nodeCritical = "system-node-critical"

// critical says whether the kubelet does not evict the pod, which has the priority of a critical one
// (pkg/kubelet/types/pod_update.go IsCriticalPod).
func critical(spec *corev1.PodSpec) bool {
	return spec.PriorityClassName == nodeCritical || spec.PriorityClassName == "system-cluster-critical"
}

// The formulas of evictions by limits, of a pod that is alone on its node.
var volumeLimitFound, layerLimitFound = formula.VolumeLimitFound(0), formula.LayerLimitFound(0)

// evictions are those by the node's pressure, and those by limits of the pod's own.
func (s scene) evictions() []*line {
	if critical(&s.pod.Spec) {
		return nil
	}
	all := append(
		s.evicted(
			formula.ByHardEviction,
			"",
			"the crossing of a hard eviction threshold of the node, on which this pod is the next to go",
			&formula.HardEvictionFound,
		),
		s.evicted(
			formula.BySoftEviction,
			"",
			fmt.Sprintf(
				"the crossing of a soft eviction threshold of the node, which has a grace period of %s, and on which this pod is the next to go",
				short(s.kubelet.EvictionSoftGracePeriod),
			),
			&formula.SoftEvictionFound,
		)...)
	volume, layer := storageLimits(&s.pod.Spec)
	if volume {
		all = append(
			all,
			s.evicted(
				formula.ByStorageLimit,
				"of volumes",
				"the moment from which the pod's emptyDir volumes hold more than a limit allows",
				&volumeLimitFound,
			)...)
	}
	if layer {
		all = append(
			all,
			s.evicted(
				formula.ByStorageLimit,
				"of a container's layer",
				"the moment from which a container's own layer holds more than its limit allows",
				&layerLimitFound,
			)...)
	}
	return all
}

// storageLimits says which of a pod's ephemeral storage has a limit: its emptyDir volumes, by their own or
// within the pod's, and its containers' layers (pkg/kubelet/eviction/eviction_manager.go
// localStorageEviction). A volume's limit of 0 is none.
func storageLimits(spec *corev1.PodSpec) (volume, layer bool) {
	stored := false
	for i := range spec.Volumes {
		if dir := spec.Volumes[i].EmptyDir; dir != nil && dir.Medium == corev1.StorageMediumDefault {
			stored, volume = true, volume || dir.SizeLimit != nil && dir.SizeLimit.Sign() > 0
		}
	}
	for _, containers := range [][]corev1.Container{spec.Containers, spec.InitContainers} {
		for i := range containers {
			if _, limited := containers[i].Resources.Limits[corev1.ResourceEphemeralStorage]; limited {
				layer = true
			}
		}
	}
	return volume || layer && stored, layer
}

// evicted is an eviction, which ends the pod for good.
func (s scene) evicted(cause formula.Cause, variant, begins string, found *formula.Formula) []*line {
	a := about{id: slug(string(cause), variant), cause: cause, kill: cause, variant: variant, begins: begins}
	return s.assumed(a, func(l *line) {
		s.podKill(l, a, reason{after: Zero, rule: found})
		l.ended()
		l.value("disruption-target", "condition DisruptionTarget", 1, &formula.DisruptionTarget)
		l.value("reason", "reason Evicted", 1, &formula.EvictedReason)
		l.endsForGood()
	})
}

// endsForGood is what becomes of a pod that its kubelet ends.
func (l *line) endsForGood() {
	l.value("starts", "lives of the container", 1, &formula.EndedForGood)
	l.value("objects", "objects of the pod that stay", 1, &formula.ObjectStays)
}

// preempted makes room on the node for a critical pod: any other one, and one that is critical, too, of a
// lower priority (pod_update.go Preemptable).
func (s scene) preempted() []*line {
	if s.pod.Spec.PriorityClassName == nodeCritical {
		return nil
	}
	a := about{
		id: "preemption", cause: formula.ByPreemption, kill: formula.ByPreemption,
		begins: "the binding of a critical pod to the node, on which it does not fit, and this pod is to make room",
	}
	return s.assumed(a, func(l *line) {
		s.podKill(l, a, reason{after: Zero, rule: &formula.PreemptionStart})
		l.ended()
		l.value("disruption-target", "condition DisruptionTarget", 1, &formula.DisruptionTarget)
		l.endsForGood()
	})
}

// pastDeadline is the end of a pod by its own activeDeadlineSeconds.
func (s scene) pastDeadline() []*line {
	if s.pod.Spec.ActiveDeadlineSeconds == nil {
		return nil
	}
	a := about{
		id: "active-deadline", cause: formula.ByDeadline, kill: formula.ByDeadline,
		begins: "status.startTime, when the kubelet took the pod, and from which activeDeadlineSeconds count",
	}
	return s.assumed(a, func(l *line) {
		s.podKill(l, a, reason{after: Zero, rule: &formula.DeadlineKills})
		if s.kubelet.Has(formula.TerminalPhaseLast) {
			l.ended()
		}
	})
}

// podCompletes is the end of sidecars when the main containers have ended, and are not started again.
func (s scene) podCompletes() []*line {
	if s.role != Sidecar || s.pod.Spec.RestartPolicy == "" || s.pod.Spec.RestartPolicy == corev1.RestartPolicyAlways {
		return nil
	}
	a := about{
		id:     "completion",
		cause:  formula.ByCompletion,
		kill:   formula.ByCompletion,
		begins: "the end of the last main container, none of which is started again",
	}
	return s.assumed(a, func(l *line) { s.podKill(l, a, reason{after: Zero, rule: &formula.SidecarsAfterMain}) })
}

// postStartFails is the kill of a container whose postStart hook fails, and its restart.
func (s scene) postStartFails() []*line {
	if s.spec.Lifecycle == nil || s.spec.Lifecycle.PostStart == nil {
		return nil
	}
	a := about{
		id:     "post-start",
		cause:  formula.ByPostStart,
		kill:   formula.ByPostStart,
		begins: "the end of the postStart hook, in failure",
	}
	return s.assumed(a, func(l *line) {
		l.step(
			"event-failedpoststarthook",
			"the event FailedPostStartHook",
			1,
			reason{after: Zero, rule: &formula.PostStartEvent},
		)
		l.kill(1, reason{after: Zero, rule: &formula.PostStartKills})
		if s.restarted() {
			l.restarts(1, &formula.RestartDelay)
		}
	})
}

// imageChanges is the kill of a container whose image is changed in the pod. Where others than users make
// the pods, they make new ones for a change.
func (s scene) imageChanges() []*line {
	if !s.bare || s.role == Init {
		return nil
	}
	a := about{
		id:     "image-change",
		cause:  formula.ByChange,
		kill:   formula.ByChange,
		begins: "the change of the container's image in the pod's spec",
	}
	return s.assumed(a, func(l *line) { l.kill(1, reason{after: Zero, rule: &formula.ChangeKills}) })
}

// slug is an ID of words, the last of which may be empty.
func slug(words ...string) string {
	return strings.TrimRight(strings.NewReplacer(" ", "-", "'", "").Replace(strings.Join(words, "-")), "-")
}
