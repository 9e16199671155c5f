package predict

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/podspec"
)

// deletes are the pod's deletion by a request without an option, by a force delete, and with the options
// that are asked for.
func (s scene) deletes() []*line {
	all := s.deleted(about{id: "delete", cause: formula.ByDelete, begins: "a delete request without options"})
	options := append([]int64{0}, s.options.GracePeriodSeconds...)
	for i, seconds := range options {
		if slices.Contains(options[:i], seconds) {
			continue
		}
		with := fmt.Sprintf("with gracePeriodSeconds %d", seconds)
		a := about{
			id:      fmt.Sprintf("delete-%d", seconds),
			cause:   formula.ByDelete,
			variant: with,
			option:  &options[i],
			begins:  "a delete request " + with,
		}
		all = append(all, s.deleted(a)...)
	}
	return all
}

func (s scene) deleted(a about) []*line {
	a.kill = formula.ByDelete
	return s.assumed(a, func(l *line) {
		l.value("deletion-grace", "deletionGracePeriodSeconds that the API shows", 1, &formula.DeletionGrace)
		s.deletedFrom(l, a, Zero)
	})
}

// deletedFrom is what follows the request that deletes the pod: its object goes after the container, or at
// once where there is no grace.
func (s scene) deletedFrom(l *line, a about, request string) {
	force := l.predicted(reason{rule: &formula.DeletionGrace}, 1).Implemented.Latest == 0
	if force {
		l.step(Deleted, "the pod's object is gone", 1, reason{after: request, rule: &formula.ObjectForced})
	}
	s.podKill(l, a, reason{after: request, rule: &formula.KillStart})
	if !force {
		l.deleted()
	}
}

// deleted is the end of a pod's object after a graceful deletion.
func (l *line) deleted() {
	l.step(
		Deleted,
		"the pod's object is gone, if no other container lives longer",
		1,
		reason{after: Death, rule: &formula.ObjectDeleted},
	)
}

// taints are the deletions by taints that the pod tolerates for a time: of each toleration, by a taint that
// no other one before it decides about.
func (s scene) taints() []*line {
	var all []*line
	for i := range s.pod.Spec.Tolerations {
		t := &s.pod.Spec.Tolerations[i]
		taint := &corev1.Taint{Key: t.Key, Value: t.Value, Effect: corev1.TaintEffectNoExecute}
		if t.TolerationSeconds == nil || podspec.Tolerating(&s.pod.Spec, taint) != t {
			continue
		}
		a := about{
			cause:   ByTaint,
			kill:    formula.ByDelete,
			taint:   taint,
			variant: t.Key,
			begins:  "the taint " + taint.ToString() + " on the node",
		}
		switch {
		case t.Key == "":
			a.variant, a.begins = "of any other key", "a taint on the node with the effect NoExecute, and with a key that no other toleration names"
		case t.Value != "":
			a.variant += "=" + t.Value
		}
		a.id = slug("taint", a.variant)
		all = append(all, s.assumed(a, func(l *line) {
			l.step(DeleteBegan, "the pod is deleted", 1, reason{after: Zero, rule: &formula.TaintDeletion})
			s.deletedFrom(l, a, DeleteBegan)
		})...)
	}
	return all
}
