package predict

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
)

// deletes are the pod's deletion by a request without an option, by a force delete, and with the options that are asked for.
func (s scene) deletes() []*line {
	all := s.deleted(about{id: "delete", cause: formula.ByDelete, begins: "a delete request without options is sent"})
	for _, seconds := range append([]int64{0}, s.options.GracePeriodSeconds...) {
		a := about{
			id: fmt.Sprintf("delete-%d", seconds), cause: formula.ByDelete, variant: fmt.Sprintf("with gracePeriodSeconds %d", seconds), option: &seconds,
			begins: fmt.Sprintf("a delete request with gracePeriodSeconds %d is sent", seconds),
		}
		all = append(all, s.deleted(a)...)
	}
	return all
}

func (s scene) deleted(a about) []*line {
	a.kill = formula.ByDelete
	return s.assumed(a, func(l *line) {
		l.value("deletion-grace", "deletionGracePeriodSeconds that the API shows", 1, formula.DeletionGrace)
		force := l.Values[0].Implemented.Latest == 0
		if force {
			l.step(Deleted, "the pod's object is gone", 1, reason{after: Zero, rule: formula.ObjectForced})
		}
		s.podKill(l, a, reason{after: Zero, rule: formula.KillStart})
		if !force {
			l.deleted()
		}
	})
}

// deleted is the end of a pod's object after a graceful deletion.
func (l *line) deleted() {
	l.step(Deleted, "the pod's object is gone, if no other container lives longer", 1, reason{after: Death, rule: formula.ObjectDeleted})
}

// taints are the deletions by taints that the pod tolerates for a time.
func (s scene) taints() []*line {
	var all []*line
	for _, t := range s.pod.Spec.Tolerations {
		if t.TolerationSeconds == nil || t.Key == "" || t.Effect != corev1.TaintEffectNoExecute && t.Effect != "" {
			continue
		}
		a := about{
			id: "taint-" + t.Key, cause: ByTaint, kill: formula.ByDelete, taint: t.Key,
			variant: t.Key, begins: fmt.Sprintf("the node gets the taint %s with the effect NoExecute", t.Key),
		}
		all = append(all, s.assumed(a, func(l *line) {
			l.step(DeleteBegan, "the pod is deleted", 1, reason{after: Zero, rule: formula.TaintDeletion})
			s.podKill(l, a, reason{after: DeleteBegan, rule: formula.KillStart})
			l.deleted()
		})...)
	}
	return all
}
