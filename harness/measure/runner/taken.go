package runner

import (
	"fmt"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
)

// ShownWithin is how much later than it happened a watch may show a change: informers reconnect within it. A longer
// delay of the watch is a loss of its own.
const ShownWithin = 2 * time.Second

// taken returns a loss for each time that somebody else took a pod of a trial on a node that podclock did not make.
// Nothing that comes later measures the kubelet.
func taken(t trial.Trial, e timeline.Evidence) (losses []delay.Loss) {
	lose := func(at timeline.Instant, format string, args ...any) {
		from := at.At - at.Early - int64(ShownWithin)
		losses = append(losses, delay.Loss{From: from, To: max(from, e.Known), Why: fmt.Sprintf(format, args...)})
	}
	shown := map[string]bool{} // the pods whose deletion was seen
	for _, v := range e.API {
		c := v.Change()
		if c.DeletionTimestamp == 0 || shown[c.Pod] {
			continue
		}
		if shown[c.Pod] = true; !deletedBefore(t, e.Faults, c.At) {
			lose(c.At, "somebody else deleted %s%s", podWord(c.Pod), inBrackets(c.Disruption))
		}
	}
	for _, event := range e.Events {
		if forOthers(event) {
			lose(event.At, "the kubelet took %s for the sake of others (%s: %s)", podWord(event.Pod), event.Reason,
				strings.TrimSpace(event.Message))
		}
	}
	return losses
}

// deletedBefore reports whether the trial itself may have deleted a pod before an instant.
func deletedBefore(t trial.Trial, faults []timeline.Fault, at timeline.Instant) bool {
	for i, c := range faults {
		if t.Faults[i].Deletes() && c.At.MayPrecede(at) {
			return true
		}
	}
	return false
}

// forOthers reports whether the kubelet ends a pod because the node lacks something (pkg/kubelet/eviction/helpers.go
// evictionMessage) or a critical pod needs its place (pkg/kubelet/preemption/preemption.go). An eviction for a limit of
// the pod itself has another message.
func forOthers(e timeline.Event) bool {
	return e.Reason == "Preempting" ||
		e.Reason == "Evicted" && strings.HasPrefix(e.Message, "The node was low on resource: ")
}

func podWord(companion string) string {
	if companion == "" {
		return "the pod"
	}
	return "the pod " + companion
}

func inBrackets(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}
