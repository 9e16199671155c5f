package bench

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/node/recording"
	"github.com/podclock/podclock/harness/rules/formula"
)

// recorded returns a node whose recorder has marks of one pod at these milliseconds.
func recorded(kinds map[int]mark.Kind) *node {
	n := &node{marks: map[string][]mark.Record{}}
	for at := range 10_000 {
		if kind, has := kinds[at]; has {
			n.take([]mark.Record{{Kind: kind, At: int64(at) * int64(ms), Life: 1 + at/2000,
				Identity: mark.Identity{UID: "a", Role: mark.Run}}})
		}
	}
	return n
}

// A tick without a probe is lost, unless the recording has a hole there: then the row says so.
func TestARowOfProbes(t *testing.T) {
	g := NewWithT(t)
	n := recorded(map[int]mark.Kind{1500: mark.Probed, 2500: mark.Probed, 4500: mark.Probed, 5500: mark.Probed})
	m := measured{from: int64(s), to: int64(6 * s), unsuccessful: 2, load: Load{Kubelet: 0.5}}
	var row Row
	n.fill(&row, Plan{Kind: Probes, Handler: "http"}, m, []string{"a"}, formula.Kubelet{})
	g.Expect(row.Probes).To(HaveValue(Equal(ProbeResult{Done: 4, PerSecond: 0.8, Late: 1, LatePods: 1, Lost: 1,
		LostPods: 1, Unsuccessful: 2, Lateness: Quantiles{3, 0, s, s, s}})))
	g.Expect(row.Load.Kubelet).To(Equal(0.5))
	g.Expect(row.Losses).To(BeEmpty())

	n.lose(recording.Loss{From: 1, To: 2, After: 0, Before: int64(900 * ms), Why: "before"})
	n.lose(recording.Loss{From: 7, To: 9, After: int64(2600 * ms), Before: int64(4400 * ms), Why: "memory was full"})
	n.fill(&row, Plan{Kind: Probes, Handler: "http"}, m, []string{"a"}, formula.Kubelet{})
	g.Expect(row.Losses).To(Equal([]string{"records 7 to 9 lost: memory was full"}))
}

// A hole before the measured time hides lives, on which the back-off depends.
func TestARowOfRestarts(t *testing.T) {
	g := NewWithT(t)
	n := recorded(map[int]mark.Kind{1000: mark.Started, 1001: mark.Gone, 2400: mark.Started, 2401: mark.Gone})
	n.take([]mark.Record{
		{Kind: mark.LateTick, At: int64(500 * ms), Detail: mark.Detail{LateNS: int64(9 * s)}},
		{Kind: mark.LateTick, At: int64(2 * s), Detail: mark.Detail{LateNS: int64(30 * ms)}},
		{Kind: mark.NoAnswer, At: int64(2 * s),
			Detail: mark.Detail{NoAnswer: &mark.NoAnswerDetail{Of: mark.Kubelet, NS: int64(700 * ms)}}},
	})
	n.lose(recording.Loss{From: 1, To: 2, Before: int64(900 * ms), Why: "before"})
	var row Row
	m := measured{from: int64(s), to: int64(3 * s)}
	n.fill(&row, Plan{Kind: Restarts}, m, []string{"a"}, formula.Kubelet{Version: "v1.37.2"})
	g.Expect(row.Restarts).To(HaveValue(Equal(RestartResult{Done: 1, PerSecond: 0.5,
		Lateness: Quantiles{1, 1399 * ms, 1399 * ms, 1399 * ms, 1399 * ms}})))
	g.Expect(row.RecorderLate).To(Equal(30 * ms))
	g.Expect(row.Unanswered).To(Equal(map[string]time.Duration{mark.Kubelet: 700 * ms}))
	g.Expect(row.Losses).To(Equal([]string{"records 1 to 2 lost: before"}))
}
