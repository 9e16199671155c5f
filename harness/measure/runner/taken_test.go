package runner

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/judge"
	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

func second(n float64) timeline.Instant { return timeline.Instant{At: int64(n * float64(time.Second))} }

// On a node of others, somebody else may take a pod. What Kubernetes says of it is part of the loss.
func TestPodThatSomebodyElseTakes(t *testing.T) {
	deleted := func(at float64) timeline.Change {
		return timeline.Change{
			At: second(at), DeletionTimestamp: 40,
			Conditions: []string{string(corev1.DisruptionTarget)}, Disruption: "EvictionByEvictionAPI: evicting",
		}
	}
	fault := func(at float64, status int) timeline.Fault {
		return timeline.Fault{What: "delete", At: second(at), Status: status}
	}
	event := func(reason, message string) timeline.Event {
		return timeline.Event{At: second(10), Reason: reason, Message: message, Count: 1}
	}
	refused := trial.Delete()
	refused.Refused = true
	const evicted = "somebody else deleted the pod (EvictionByEvictionAPI: evicting)"
	for name, c := range map[string]struct {
		faults   []trial.Fault
		evidence timeline.Evidence
		want     string
	}{
		"nobody": {evidence: timeline.Evidence{API: timeline.Shown(timeline.Change{At: second(1), Phase: "Running"})}},
		"deleted, but not by the trial": {
			evidence: timeline.Evidence{API: timeline.Shown(deleted(10), deleted(11))}, want: evicted,
		},
		"deleted before the trial does": {
			faults:   []trial.Fault{trial.Delete()},
			evidence: timeline.Evidence{API: timeline.Shown(deleted(10)), Faults: []timeline.Fault{fault(12, 0)}},
			want:     evicted,
		},
		"deleted after a request of the trial that is refused": {
			faults:   []trial.Fault{refused},
			evidence: timeline.Evidence{API: timeline.Shown(deleted(10)), Faults: []timeline.Fault{fault(9, 429)}},
			want:     evicted,
		},
		"deleted by the trial": {
			faults:   []trial.Fault{trial.Delete()},
			evidence: timeline.Evidence{API: timeline.Shown(deleted(10)), Faults: []timeline.Fault{fault(9, 0)}},
		},
		"evicted because the node lacks memory": {
			evidence: timeline.Evidence{Events: []timeline.Event{
				event("Evicted", "The node was low on resource: memory. Threshold quantity: 100Mi, available: 9Mi. "),
			}},
			want: "the kubelet took the pod for the sake of others (Evicted: The node was low on resource: memory. " +
				"Threshold quantity: 100Mi, available: 9Mi.)",
		},
		"preempted": {
			evidence: timeline.Evidence{
				Events: []timeline.Event{event("Preempting", "Preempted in order to admit critical pod")},
			},
			want: "the kubelet took the pod for the sake of others (Preempting: Preempted in order to admit critical pod)",
		},
		"evicted for its own limit": {
			evidence: timeline.Evidence{Events: []timeline.Event{
				event("Evicted", `Usage of EmptyDir volume "full" exceeds the limit "1Mi". `),
			}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.evidence.Known = second(15).At
			want := []delay.Loss(nil)
			if c.want != "" {
				want = []delay.Loss{{From: second(8).At, To: second(15).At, Why: c.want}}
			}
			NewWithT(t).Expect(taken(trial.Trial{Faults: c.faults}, c.evidence)).To(Equal(want))
		})
	}
}

// The kubelet's kill for the sake of others is no verdict on it. The same kill for a limit that the pod does not exceed
// deviates.
func TestKillForTheSakeOfOthersIsInconclusive(t *testing.T) {
	tr := trial.Trial{ID: "a/b", Pod: fixtures.Pod(5, fixtures.Victim(fixtures.Ignoring))}
	for message, want := range map[string]trial.Verdict{
		"The node was low on resource: memory. ":                  trial.Inconclusive,
		`Usage of EmptyDir volume "full" exceeds the limit "1". `: trial.Deviates,
	} {
		e := timeline.Evidence{
			Marks: []mark.Record{
				{
					At: second(1).At, Kind: mark.Connected, Life: 1,
					Identity: mark.Identity{Container: trial.Main, Role: mark.Run},
				},
			},
			API:    timeline.Shown(timeline.Change{At: second(1), Phase: "Running"}),
			Events: []timeline.Event{{At: second(10), Reason: "Evicted", Message: message, Count: 1}},
			Known:  second(15).At,
		}
		e.Losses = taken(tr, e)
		none := delay.Record{}
		result := judge.Judge(tr, timeline.Build(e, none), none, formula.Kubelet{Version: "v1.37.2"})
		NewWithT(t).Expect(result.Verdict).To(Equal(want), message)
	}
}
