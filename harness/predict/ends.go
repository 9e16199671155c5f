package predict

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/predict/effective"
)

// The formulas of evictions by limits, for a pod that is alone on its node.
var volumeLimitFound, layerLimitFound = formula.VolumeLimitFound(0), formula.LayerLimitFound(0)

// evictions predicts evictions by the node's pressure and by the pod's own limits.
func (p predictor) evictions() []*draft {
	if p.pod.Critical() {
		return nil
	}
	all := slices.Concat(
		p.evicted(&formula.HardEvictionFound, trigger{cause: formula.ByHardEviction,
			begins: "the crossing of a hard eviction threshold of the node; this pod is the next to go"}),
		p.evicted(&formula.SoftEvictionFound, trigger{cause: formula.BySoftEviction,
			begins: "the crossing of a soft eviction threshold of the node with a grace period of " +
				effective.Words(p.kubelet.EvictionSoftGracePeriod) + "; this pod is the next to go"}),
	)
	volume, layer := storageLimits(&p.pod.Spec)
	if volume {
		all = append(all, p.evicted(&volumeLimitFound, trigger{cause: formula.ByStorageLimit, variant: "of volumes",
			begins: "the moment from which the pod's emptyDir volumes hold more than a limit allows"})...)
	}
	if layer {
		all = append(all, p.evicted(&layerLimitFound, trigger{
			cause: formula.ByStorageLimit, variant: "of a container's layer",
			begins: "the moment from which a container's own layer holds more than its limit allows"})...)
	}
	return all
}

// storageLimits reports which of a pod's ephemeral storage has a limit: its emptyDir volumes, by their own or
// by the pod's, and its containers' layers (pkg/kubelet/eviction/eviction_manager.go localStorageEviction).
// A volume's limit of 0 is no limit.
func storageLimits(spec *corev1.PodSpec) (volume, layer bool) {
	stored := false
	for i := range spec.Volumes {
		if dir := spec.Volumes[i].EmptyDir; dir != nil && dir.Medium == corev1.StorageMediumDefault {
			stored, volume = true, volume || dir.SizeLimit != nil && dir.SizeLimit.Sign() > 0
		}
	}
	for _, c := range slices.Concat(spec.Containers, spec.InitContainers) {
		if _, limited := c.Resources.Limits[corev1.ResourceEphemeralStorage]; limited {
			layer = true
		}
	}
	return volume || layer && stored, layer
}

// evicted predicts an eviction, which ends the pod for good.
func (p predictor) evicted(found *formula.Formula, t trigger) []*draft {
	t.id, t.kill = slug(string(t.cause), t.variant), t.cause
	return p.kills(t, func(d *draft) {
		p.killPod(d, t, reason{after: Zero, rule: found})
		d.failed()
		d.value("disruption-target", "condition DisruptionTarget", 1, &formula.DisruptionTarget)
		d.value("reason", "reason Evicted", 1, &formula.EvictedReason)
		d.endsForGood()
	})
}

// endsForGood adds the values of a pod that its kubelet ends.
func (d *draft) endsForGood() {
	d.value("starts", "lives of the container", 1, &formula.EndedForGood)
	d.value("objects", "objects of the pod that stay", 1, &formula.ObjectStays)
}

// preempted predicts that the pod makes room for a critical pod. A critical pod makes room only for one of a
// higher priority (pkg/kubelet/types/pod_update.go Preemptable).
func (p predictor) preempted() []*draft {
	if p.pod.Spec.PriorityClassName == effective.NodeCritical {
		return nil
	}
	t := trigger{id: "preemption", cause: formula.ByPreemption, kill: formula.ByPreemption,
		begins: "the binding of a critical pod to the node, which has no room for it; this pod is to make room"}
	return p.kills(t, func(d *draft) {
		p.killPod(d, t, reason{after: Zero, rule: &formula.PreemptionStart})
		d.failed()
		d.value("disruption-target", "condition DisruptionTarget", 1, &formula.DisruptionTarget)
		d.endsForGood()
	})
}

// pastDeadline predicts the end of a pod by its activeDeadlineSeconds.
func (p predictor) pastDeadline() []*draft {
	if p.pod.Spec.ActiveDeadlineSeconds == nil {
		return nil
	}
	t := trigger{id: "active-deadline", cause: formula.ByDeadline, kill: formula.ByDeadline,
		begins: "status.startTime, when the kubelet accepted the pod; activeDeadlineSeconds counts from it"}
	return p.kills(t, func(d *draft) {
		p.killPod(d, t, reason{after: Zero, rule: &formula.DeadlineKills})
		if p.kubelet.Has(formula.TerminalPhaseLast) {
			d.failed()
		}
	})
}

// podCompletes predicts the end of a sidecar after the main containers have ended and are not restarted.
func (p predictor) podCompletes() []*draft {
	policy := p.pod.Spec.RestartPolicy
	if p.Role != effective.Sidecar || policy == "" || policy == corev1.RestartPolicyAlways {
		return nil
	}
	t := trigger{id: "completion", cause: formula.ByCompletion, kill: formula.ByCompletion,
		begins: "the end of the last main container, none of which is started again"}
	return p.kills(t, func(d *draft) { p.killPod(d, t, reason{after: Zero, rule: &formula.SidecarsAfterMain}) })
}

// postStartFails predicts the kill and the restart of a container whose postStart hook fails.
func (p predictor) postStartFails() []*draft {
	if p.Lifecycle == nil || p.Lifecycle.PostStart == nil {
		return nil
	}
	t := trigger{id: "post-start", cause: formula.ByPostStart, kill: formula.ByPostStart,
		begins: "the end of the postStart hook, in failure"}
	return p.kills(t, func(d *draft) {
		d.step("event-failedpoststarthook", "the event FailedPostStartHook", 1,
			reason{after: Zero, rule: &formula.PostStartEvent})
		d.kill(1, reason{after: Zero, rule: &formula.PostStartKills})
		if p.restarted() {
			d.restart(1, &formula.RestartDelay)
		}
	})
}

// imageChanges predicts the kill of a container whose image is changed in the pod. Controllers make new pods
// instead.
func (p predictor) imageChanges() []*draft {
	if !p.bare || p.Role == effective.Init {
		return nil
	}
	t := trigger{id: "image-change", cause: formula.ByChange, kill: formula.ByChange,
		begins: "the change of the container's image in the pod's spec"}
	return p.kills(t, func(d *draft) { d.kill(1, reason{after: Zero, rule: &formula.ChangeKills}) })
}
