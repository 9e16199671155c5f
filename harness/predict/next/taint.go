package next

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// The numbers of pods whose node is gone (pkg/controller/podgc/gc_controller.go). The check that finds a node missing
// puts it into quarantine, and the next one after that deletes its pods.
const (
	gcCheckPeriod  = 20 * time.Second
	quarantineTime = 40 * time.Second
)

// tainted is about the node's taints with the effect NoExecute (pkg/controller/tainteviction/taint_eviction.go
// processPodOnNode). The controller counts from when it sees a taint, again after a restart of its own. A later taint
// does not move the end of an earlier one's tolerationSeconds ([formula.SecondTaint]).
func (l living) tainted() {
	if l.node.Gone {
		l.soon("the pod garbage collection deletes the pod", gcCheckPeriod+quarantineTime+gcCheckPeriod)
		return
	}
	var first *corev1.Taint
	stays, taints := int64(0), 0
	for i := range l.node.Taints {
		taint := &l.node.Taints[i]
		if taint.Effect != corev1.TaintEffectNoExecute {
			continue
		}
		taints++
		tolerated := podspec.Tolerating(&l.Spec, taint)
		if tolerated == nil {
			first, stays = taint, 0
			break
		}
		earlier := first == nil || taint.TimeAdded == nil || taint.TimeAdded.Before(first.TimeAdded)
		if tolerated.TolerationSeconds != nil && earlier {
			first, stays = taint, max(0, *tolerated.TolerationSeconds)
		}
	}
	if first == nil {
		switch {
		case !l.node.unready():
		case taints > 0:
			l.fact("no taint of the node deletes the pod: it tolerates all of them for ever")
		default:
			l.fact("the node has no taint yet, from which the pod's tolerationSeconds would count")
		}
		return
	}
	what := fmt.Sprintf("the pod is deleted, because it tolerates the node's taint %s for %d s only", first.Key, stays)
	if stays == 0 {
		what = fmt.Sprintf("the pod is deleted, because it does not tolerate the node's taint %s", first.Key)
	}
	if first.TimeAdded == nil {
		l.fact(what + "; the taint does not say since when")
	} else {
		w := formula.TaintDeletion.Implemented(formula.Input{
			Kubelet: l.kubelet, Kill: formula.Kill{TolerationSeconds: &stays},
		})
		l.within(what, *first.TimeAdded, predict.Span{
			Earliest: time.Duration(w.Earliest), Latest: time.Duration(w.Latest),
		})
	}
	if l.node.lost() {
		l.fact("its object then stays until the node answers or is removed, because only its kubelet can confirm the " +
			"end")
	}
}
