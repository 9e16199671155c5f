package predict

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
	"github.com/podclock/podclock/harness/rules/podspec"
)

var volumeLimitFound, layerLimitFound = formula.VolumeLimitFound(0), formula.LayerLimitFound(0)

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
	volume, layer := p.storageLimits()
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

// storageLimits reports which ephemeral storage has a limit: emptyDir volumes, by their own or the pod's, and layers of
// main containers and sidecars (pkg/kubelet/eviction/eviction_manager.go localStorageEviction). 0 is no limit of a
// volume.
func (p predictor) storageLimits() (volume, layer bool) {
	spec, stored := p.pod.Spec, false
	for i := range spec.Volumes {
		if dir := spec.Volumes[i].EmptyDir; dir != nil && dir.Medium == corev1.StorageMediumDefault {
			stored, volume = true, volume || dir.SizeLimit != nil && dir.SizeLimit.Sign() > 0
		}
	}
	limited := func(c corev1.Container) bool {
		_, is := c.Resources.Limits[corev1.ResourceEphemeralStorage]
		return is
	}
	layer = slices.ContainsFunc(spec.Containers, limited) ||
		p.kubelet.Has(formula.SidecarLayerLimits) && slices.ContainsFunc(spec.InitContainers,
			func(c corev1.Container) bool { return podspec.IsSidecar(p.pod.Pod, c.Name) && limited(c) })
	return volume || layer && stored, layer
}

// evicted predicts an eviction, which ends the pod for good.
func (p predictor) evicted(found *formula.Formula, t trigger) []*draft {
	t.id, t.kill = slug(string(t.cause), t.variant), t.cause
	return p.kills(t, func(d *draft) {
		p.killPod(d, t, reason{after: lifecycle.Fault, rule: found})
		d.failed()
		d.value("disruption-target", "condition DisruptionTarget", 1, &formula.DisruptionTarget)
		d.value("reason", "reason Evicted", 1, &formula.EvictedReason)
		d.endsForGood()
	})
}

func (d *draft) endsForGood() {
	d.value("starts", "lives of the container", 1, &formula.EndedForGood)
	d.value("objects", "objects of the pod that stay", 1, &formula.ObjectStays)
}

// preempted predicts that the pod makes room for a critical pod, which must have a higher priority if it is
// critical itself (pkg/kubelet/types/pod_update.go Preemptable).
func (p predictor) preempted() []*draft {
	if p.pod.Spec.PriorityClassName == effective.NodeCritical {
		return nil
	}
	t := trigger{id: "preemption", cause: formula.ByPreemption, kill: formula.ByPreemption,
		begins: "the binding of a critical pod to the node, which has no room for it; this pod is to make room"}
	return p.kills(t, func(d *draft) {
		p.killPod(d, t, reason{after: lifecycle.Fault, rule: &formula.PreemptionStart})
		d.failed()
		d.value("disruption-target", "condition DisruptionTarget", 1, &formula.DisruptionTarget)
		d.endsForGood()
	})
}

func (p predictor) pastDeadline() []*draft {
	if p.pod.Spec.ActiveDeadlineSeconds == nil {
		return nil
	}
	t := trigger{id: "active-deadline", cause: formula.ByDeadline, kill: formula.ByDeadline,
		begins: "status.startTime, when the kubelet accepted the pod; activeDeadlineSeconds counts from it"}
	return p.kills(t, func(d *draft) {
		p.killPod(d, t, reason{after: lifecycle.Fault, rule: &formula.DeadlineKills})
		if p.kubelet.Has(formula.TerminalPhaseLast) {
			d.failed()
		}
	})
}

func (p predictor) podCompletes() []*draft {
	again := func(c effective.Container) bool { return c.Role == effective.Main && p.alwaysRestarted(c) }
	if p.Role != effective.Sidecar || slices.ContainsFunc(p.pod.All(), again) {
		return nil
	}
	t := trigger{id: "completion", cause: formula.ByCompletion, kill: formula.ByCompletion,
		begins: "the end of the last main container; none is started again"}
	return p.kills(t,
		func(d *draft) { p.killPod(d, t, reason{after: lifecycle.Fault, rule: &formula.SidecarsAfterMain}) })
}

func (p predictor) postStartFails() []*draft {
	if p.Lifecycle == nil || p.Lifecycle.PostStart == nil {
		return nil
	}
	t := trigger{id: "post-start", cause: formula.ByPostStart, kill: formula.ByPostStart,
		begins: "the end of the postStart hook, in failure"}
	return p.kills(t, func(d *draft) {
		d.step("event-failedpoststarthook", "the event FailedPostStartHook", 1,
			reason{after: lifecycle.Fault, rule: &formula.PostStartEvent})
		d.kill(1, reason{after: lifecycle.Fault, rule: &formula.PostStartKills})
		if p.restarted() {
			d.restart(1, &formula.RestartDelay)
		}
	})
}

// imageChanges predicts the kill after a change of the pod's image. Controllers make new pods instead.
func (p predictor) imageChanges() []*draft {
	if !p.bare || p.Role == effective.Init {
		return nil
	}
	t := trigger{id: "image-change", cause: formula.ByChange, kill: formula.ByChange,
		begins: "the change of the container's image in the pod's spec"}
	return p.kills(t, func(d *draft) {
		d.kill(1, reason{after: lifecycle.Fault, rule: &formula.ChangeKills})
		if p.Role == effective.Main {
			d.restart(1, &formula.ChangeStarts)
		}
	})
}

func (p predictor) deletes() []*draft {
	all := p.deleted(trigger{id: "delete", begins: "a delete request without options"})
	options := append([]int64{0}, p.options.GracePeriodSeconds...)
	for i, seconds := range options {
		if slices.Contains(options[:i], seconds) {
			continue
		}
		with := WithGrace(seconds)
		t := trigger{id: fmt.Sprintf("delete-%d", seconds), variant: with, option: &options[i]}
		t.begins = "a delete request " + with
		all = append(all, p.deleted(t)...)
	}
	return all
}

// WithGrace returns the variant of a delete request with a grace period in seconds.
func WithGrace(seconds int64) string { return fmt.Sprintf("with gracePeriodSeconds %d", seconds) }

func (p predictor) deleted(t trigger) []*draft {
	t.cause, t.kill = formula.ByDelete, formula.ByDelete
	return p.kills(t, func(d *draft) {
		d.value("deletion-grace", "deletionGracePeriodSeconds that the API shows", 1, &formula.DeletionGrace)
		p.afterDelete(d, t, lifecycle.Fault)
	})
}

// afterDelete draws the removal of the pod's object: after the container's death, or at once without a grace
// period.
func (p predictor) afterDelete(d *draft, t trigger, request string) {
	kill := reason{after: request, rule: &formula.KillStart}
	if d.predicted(reason{rule: &formula.DeletionGrace}, 1).Implemented.Latest == 0 {
		d.step(lifecycle.ObjectDeleted, "the pod's object is gone", 1,
			reason{after: request, rule: &formula.ObjectForced})
		p.killPod(d, t, kill)
		return
	}
	p.killPod(d, t, kill)
	d.step(lifecycle.ObjectDeleted, "the pod's object is gone, if no other container lives longer", 1,
		reason{after: lifecycle.Gone, rule: &formula.ObjectDeleted})
}

// taints predicts deletes by taints: one for each toleration with a limit that applies before all others.
func (p predictor) taints() []*draft {
	var all []*draft
	for i := range p.pod.Spec.Tolerations {
		toleration := &p.pod.Spec.Tolerations[i]
		taint := &corev1.Taint{Key: toleration.Key, Value: toleration.Value, Effect: corev1.TaintEffectNoExecute}
		if toleration.TolerationSeconds == nil || podspec.Tolerating(&p.pod.Spec, taint) != toleration {
			continue
		}
		t := trigger{cause: ByTaint, kill: formula.ByDelete, taint: taint, variant: taint.Key}
		t.begins = "the taint " + taint.ToString() + " on the node"
		switch {
		case taint.Key == "":
			t.variant = "of any other key"
			t.begins = "a taint on the node with the effect NoExecute and a key that no other toleration names"
		case taint.Value != "":
			t.variant += "=" + taint.Value
		}
		t.id = slug("taint", t.variant)
		all = append(all, p.kills(t, func(d *draft) {
			d.step(lifecycle.DeletionBegan, "the pod is deleted", 1,
				reason{after: lifecycle.Fault, rule: &formula.TaintDeletion})
			p.afterDelete(d, t, lifecycle.DeletionBegan)
		})...)
	}
	return all
}
