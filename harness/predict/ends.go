package predict

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
)

// evictions are those by the node's pressure, which end any pod, and those by limits of the pod's own.
func (s scene) evictions() []*line {
	all := append(
		s.evicted(formula.ByHardEviction, "", "the node crosses a hard eviction threshold, and the pod is the next to go", formula.HardEvictionFound),
		s.evicted(formula.BySoftEviction, "", "the node crosses a soft eviction threshold, and the pod is the next to go", formula.SoftEvictionFound)...)
	volume, layer := storageLimits(s.pod)
	if volume {
		all = append(all, s.evicted(formula.ByStorageLimit, "of volumes", "what is stored in the pod's emptyDir volumes exceeds a limit", formula.VolumeLimitFound(0))...)
	}
	if layer {
		all = append(all, s.evicted(formula.ByStorageLimit, "of a container's layer", "what is stored in a container's own layer exceeds its limit", formula.LayerLimitFound(0))...)
	}
	return all
}

// storageLimits says which of a pod's ephemeral storage has a limit: its emptyDir volumes, by their own or within the pod's, and its containers' layers.
func storageLimits(p *corev1.Pod) (volume, layer bool) {
	stored := false
	for _, v := range p.Spec.Volumes {
		if v.EmptyDir != nil && v.EmptyDir.Medium == corev1.StorageMediumDefault {
			stored, volume = true, volume || v.EmptyDir.SizeLimit != nil
		}
	}
	for _, c := range roles(p) {
		if _, limited := c.spec.Resources.Limits[corev1.ResourceEphemeralStorage]; limited {
			layer = true
		}
	}
	return volume || layer && stored, layer
}

// evicted is an eviction, which ends the pod for good.
func (s scene) evicted(cause formula.Cause, variant, begins string, found formula.Formula) []*line {
	a := about{id: slug(string(cause), variant), cause: cause, kill: cause, variant: variant, begins: begins}
	return s.assumed(a, func(l *line) {
		s.podKill(l, a, reason{after: Zero, rule: found})
		l.ended()
		l.value("disruption-target", "condition DisruptionTarget", 1, formula.DisruptionTarget)
		l.value("reason", "reason Evicted", 1, formula.EvictedReason)
		l.endsForGood()
	})
}

// endsForGood is what becomes of a pod that its kubelet ends.
func (l *line) endsForGood() {
	l.value("starts", "lives of the container", 1, formula.EndedForGood)
	l.value("objects", "objects of the pod that stay", 1, formula.ObjectStays)
}

// preempted makes room on the node for a critical pod. Critical pods are never preempted themselves (pkg/kubelet/types/pod_update.go Preemptable).
func (s scene) preempted() []*line {
	if class := s.pod.Spec.PriorityClassName; class == "system-node-critical" || class == "system-cluster-critical" {
		return nil
	}
	a := about{
		id: "preemption", cause: formula.ByPreemption, kill: formula.ByPreemption,
		begins: "a critical pod is bound to the node, does not fit, and this pod is to make room",
	}
	return s.assumed(a, func(l *line) {
		s.podKill(l, a, reason{after: Zero, rule: formula.PreemptionStart})
		l.ended()
		l.value("disruption-target", "condition DisruptionTarget", 1, formula.DisruptionTarget)
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
		begins: "the kubelet has taken the pod: status.startTime, from which activeDeadlineSeconds count",
	}
	return s.assumed(a, func(l *line) {
		s.podKill(l, a, reason{after: Zero, rule: formula.DeadlineKills})
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
		id: "completion", cause: formula.ByCompletion, kill: formula.ByCompletion, begins: "the last main container has ended, and none is started again",
	}
	return s.assumed(a, func(l *line) { s.podKill(l, a, reason{after: Zero, rule: formula.SidecarsAfterMain}) })
}

// postStartFails is the kill of a container whose postStart hook fails, and its restart.
func (s scene) postStartFails() []*line {
	if s.spec.Lifecycle == nil || s.spec.Lifecycle.PostStart == nil {
		return nil
	}
	a := about{id: "post-start", cause: formula.ByPostStart, kill: formula.ByPostStart, begins: "the postStart hook ends in failure"}
	return s.assumed(a, func(l *line) {
		l.step("event-failedpoststarthook", "the event FailedPostStartHook", 1, reason{after: Zero, rule: formula.PostStartEvent})
		l.kill(1, reason{after: Zero, rule: formula.PostStartKills})
		if s.restarted() {
			l.restarts(1, formula.RestartDelay)
		}
	})
}

// imageChanges is the kill of a container whose image is changed in the pod. Where others than users make the pods, they make new ones for a change.
func (s scene) imageChanges() []*line {
	if s.workload.Kind != "Pod" || s.role == Init {
		return nil
	}
	a := about{id: "image-change", cause: formula.ByChange, kill: formula.ByChange, begins: "the container's image is changed in the pod's spec"}
	return s.assumed(a, func(l *line) { l.kill(1, reason{after: Zero, rule: formula.ChangeKills}) })
}

// slug is an ID of words.
func slug(words ...string) string {
	return strings.TrimSuffix(strings.NewReplacer(" ", "-", "'", "").Replace(strings.Join(words, "-")), "-")
}
