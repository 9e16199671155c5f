package sentences

import (
	"fmt"
	"strings"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/podspec"
	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/effective"
)

func shutdownSays(w predict.Prediction) string {
	if len(w.Kubelet.ShutdownGroups) == 0 {
		return "the kubelet gives pods no time when the node shuts down: by default, shutdownGracePeriod is 0 s, so " +
			"graceful shutdown is off"
	}
	e := Event{Cause: formula.ByShutdown}
	says := each(w, func(c predict.Container) string { return killSays(c, e) })
	over := ""
	for _, s := range e.Longest(w.Containers[0]).Steps {
		if s.ID == predict.TurnOver {
			over = fmt.Sprintf("the node waits %s for it", Span(s.At))
		}
	}
	return listed("from the announcement: "+says, over, "it has then failed (Terminated), and this node does not "+
		"start it again", assumedClass(w))
}

// assumedClass says which value of a priority class is assumed, or nothing.
func assumedClass(w predict.Prediction) string {
	if class := w.AssumedClass(); class != "" {
		return fmt.Sprintf("if the priority class %s has the value 0", class)
	}
	return ""
}

// limitsSay compares the pod's grace period with the limits of its nodes. Those with groups of a shutdown are left out:
// shutdownSays is about them.
func limitsSay(w predict.Prediction) string {
	grace := effective.Seconds(podspec.TerminationGracePeriodSeconds(&w.Pod.Spec))
	var fits, cut []string
	for _, p := range w.Presets {
		says := fmt.Sprintf("%s of %s", effective.Words(p.Limit), p.Name)
		switch {
		case p.Groups != nil:
		case p.Cuts(grace):
			cut = append(cut, says)
		default:
			fits = append(fits, says)
		}
	}
	says := fmt.Sprintf("the grace period of %s ", effective.Words(grace))
	switch {
	case len(cut)+len(fits) == 0:
		return ""
	case len(cut) == 0:
		return says + "fits into the " + strings.Join(fits, " and the ")
	case len(fits) == 0:
		return says + "is too long for the " + strings.Join(cut, " and the ")
	}
	return says + "fits into the " + strings.Join(fits, " and the ") + "; it is too long for the " +
		strings.Join(cut, " and the ")
}

// LostNode returns when the pod of a lost node is not ready, when it is deleted, or nil for never, and its replacement:
// "at-delete", "when-gone", "never", or "" if podclock does not know its controller.
func LostNode(w predict.Prediction) (unready predict.Span, deleted *predict.Span, replaced string) {
	for _, t := range w.Containers[0].Timelines {
		if t.Cause != predict.LostNode {
			continue
		}
		for _, s := range t.Steps {
			switch s.ID {
			case predict.Unready:
				unready = s.At
			case predict.DeleteBegan:
				deleted = &s.At
			}
		}
	}
	if deleted == nil {
		return unready, nil, never
	}
	return unready, deleted, replacement(w)
}

func lostNodeSays(w predict.Prediction) string {
	unready, deleted, replaced := LostNode(w)
	says := "out of its Services " + Span(unready) + " after the node stops answering"
	if deleted == nil {
		return says + "; never deleted, because it tolerates the taint node.kubernetes.io/unreachable for ever"
	}
	return says + "; deleted after " + Span(*deleted) + map[string]string{
		atDelete: ", and replaced at once",
		whenGone: ", but replaced only when the node answers again or is removed, or somebody force-deletes the pod",
		never:    ", and nothing makes it again",
	}[replaced]
}

// The times at which another pod replaces that of a lost node.
const (
	atDelete = "at-delete"
	whenGone = "when-gone"
	never    = "never"
)

// replacement returns when a deleted pod is replaced whose kubelet does not confirm its end, or "" if podclock does
// not know its controller. A ReplicaSet does not count pods that are being deleted (pkg/controller/controller_utils.go
// IsPodActive; no release has a podReplacementPolicy of Deployments), a StatefulSet waits for the end of the object.
func replacement(w predict.Prediction) string {
	if w.Revision {
		return atDelete // by the ReplicaSet of its Deployment
	}
	switch owner(w) {
	case "Deployment", "ReplicaSet", "ReplicationController", "Rollout":
		return atDelete
	case "StatefulSet":
		return whenGone
	case "Job", "CronJob":
		switch {
		case w.Job == nil:
			return ""
		case w.Job.BackoffLimit == 0 && w.Job.BackoffLimitPerIndex == nil && w.Job.PodFailurePolicy == nil:
			return never // a deleted pod has failed (pkg/controller/job/job_controller.go isPodFailed)
		case w.Job.AwaitsFailure:
			return whenGone
		}
		return atDelete
	case "Pod":
		return never
	}
	return ""
}
