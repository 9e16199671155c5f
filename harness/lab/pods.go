package lab

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/stage"
	"github.com/podclock/podclock/harness/timeline"
	"github.com/podclock/podclock/harness/trial"
)

// podWatch keeps every version of every pod, and when the watch delivered it.
type podWatch struct{ arrivals[seenPod] }

// seenPod is a version of a pod that was written between from and at. They differ if the watch was interrupted.
type seenPod struct {
	from    time.Time
	at      time.Time
	deleted bool
	pod     *corev1.Pod
}

func (w *podWatch) take(obj any, deleted bool) {
	at := time.Now()
	missed, late := obj.(cache.DeletedFinalStateUnknown)
	if late {
		obj = missed.Obj
	}
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return
	}
	w.add(string(pod.UID), func(before []seenPod) seenPod {
		from := at
		if late && len(before) > 0 {
			from = before[len(before)-1].at // it went at some time since it was last seen
		}
		return seenPod{from: from, at: at, deleted: deleted, pod: pod}
	})
}

func (w *podWatch) changes(uid string, place placer) []timeline.Change {
	var changes []timeline.Change
	for _, s := range w.of(uid) {
		changes = append(changes, stage.Change(s.pod, s.deleted, place(s.from, s.at)))
	}
	return changes
}

func (w *podWatch) newest(uid string) *corev1.Pod {
	if versions := w.of(uid); len(versions) > 0 {
		return versions[len(versions)-1].pod
	}
	return nil
}

// deletes reports whether a cue may make the API server delete a pod of the trial.
func deletes(t trial.Trial) bool {
	actions := []trial.Action{
		trial.DeletePod, trial.EvictPod, trial.TaintNode, trial.RecreatePod, trial.OrphanPod, trial.RemoveManifest,
	}
	return slices.ContainsFunc(t.Cues, func(c trial.Cue) bool { return slices.Contains(actions, c.Action) })
}

// taken returns when somebody else deleted the pods of a trial that deletes none.
func (w *podWatch) taken(pods []stage.Deployed, place placer) (losses []delay.Loss) {
	for _, p := range pods {
		for _, s := range w.of(string(p.UID)) {
			if s.pod.DeletionTimestamp == nil {
				continue
			}
			from, to := place(s.from, s.at), place(time.Now(), time.Now())
			why := "somebody else deleted pod " + p.Name + by(s.pod)
			losses = append(losses, delay.Loss{From: from.At, To: to.At, Why: why})
			break
		}
	}
	return losses
}

// by says who deleted a pod, if Kubernetes tells.
func by(p *corev1.Pod) string {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
			return " (" + c.Reason + ": " + c.Message + ")"
		}
	}
	return ""
}
