package sentences

import (
	"fmt"
	"strings"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/podspec"
)

func shutdownText(w predict.Prediction) string {
	if len(w.Kubelet.ShutdownGroups) == 0 {
		return "the kubelet gives pods no time when the node shuts down: by default, shutdownGracePeriod is 0 s, so " +
			"graceful shutdown is off"
	}
	e := Event{Cause: formula.ByShutdown}
	says := each(w, func(c predict.Container) string { return killText(c, e) })
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
	if w.AssumedClass == "" {
		return ""
	}
	return fmt.Sprintf("if the priority class %s has the value 0", w.AssumedClass)
}

// limitsSay compares the pod's grace period with the limits of its nodes. Those with groups of a shutdown are left out:
// shutdownText is about them.
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

func lostNodeText(w predict.Prediction) string {
	says := "out of its Services " + Span(w.LostNode.Unready) + " after the node stops answering"
	if w.LostNode.Deleted == nil {
		return says + "; never deleted, because it tolerates the taint node.kubernetes.io/unreachable for ever"
	}
	return says + "; deleted after " + Span(*w.LostNode.Deleted) + map[predict.Replacement]string{
		predict.ReplacedAtDelete: ", and replaced at once",
		predict.ReplacedWhenGone: ", but replaced only when the node answers again or is removed, or somebody " +
			"force-deletes the pod",
		predict.NeverReplaced: ", and nothing makes it again",
	}[w.LostNode.Replaced]
}
