package predict

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/podspec"
)

// deletes predicts delete requests: without options, forced, and with the grace periods of the options.
func (p predictor) deletes() []*draft {
	all := p.deleted(trigger{id: "delete", begins: "a delete request without options"})
	options := append([]int64{0}, p.options.GracePeriodSeconds...)
	for i, seconds := range options {
		if slices.Contains(options[:i], seconds) {
			continue
		}
		with := fmt.Sprintf("with gracePeriodSeconds %d", seconds)
		t := trigger{id: fmt.Sprintf("delete-%d", seconds), variant: with, option: &options[i]}
		t.begins = "a delete request " + with
		all = append(all, p.deleted(t)...)
	}
	return all
}

func (p predictor) deleted(t trigger) []*draft {
	t.cause, t.kill = formula.ByDelete, formula.ByDelete
	return p.kills(t, func(d *draft) {
		d.value("deletion-grace", "deletionGracePeriodSeconds that the API shows", 1, &formula.DeletionGrace)
		p.afterDelete(d, t, Zero)
	})
}

// afterDelete draws what follows the request that deletes the pod. Its object is removed after the container's
// death, or at once if there is no grace period.
func (p predictor) afterDelete(d *draft, t trigger, request string) {
	kill := reason{after: request, rule: &formula.KillStart}
	if d.predicted(reason{rule: &formula.DeletionGrace}, 1).Implemented.Latest == 0 {
		d.step(Deleted, "the pod's object is gone", 1, reason{after: request, rule: &formula.ObjectForced})
		p.killPod(d, t, kill)
		return
	}
	p.killPod(d, t, kill)
	d.step(Deleted, "the pod's object is gone, if no other container lives longer", 1,
		reason{after: Death, rule: &formula.ObjectDeleted})
}

// taints predicts deletes by taints that the pod tolerates for a limited time: one for each toleration that
// applies to a taint before all others.
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
			d.step(DeleteBegan, "the pod is deleted", 1, reason{after: Zero, rule: &formula.TaintDeletion})
			p.afterDelete(d, t, DeleteBegan)
		})...)
	}
	return all
}
