package delay

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/podclock/podclock/harness/measure/mark"
)

func TestAdd(t *testing.T) {
	var n Record
	n.Add(mark.Record{At: at(1000), Kind: mark.LateTick, Detail: mark.Detail{LateNS: int64(40 * time.Millisecond)}})
	n.Add(mark.Record{
		At:     at(1100),
		Kind:   mark.PSISample,
		Detail: mark.Detail{PSI: &mark.PSIDetail{CPUNS: 7, IONS: 8}},
	})
	n.Add(mark.Record{At: at(1200), Kind: mark.PSISample})
	n.Add(mark.Record{At: at(1300), Kind: mark.Started})
	gomega.NewWithT(t).Expect(n).To(gomega.Equal(Record{
		LateTicks: []Span{{From: at(960), To: at(1000)}},
		PSI:       []Sample{{At: at(1100), CPUNS: 7, IONS: 8}},
	}))
}

// Each mark of an outage repeats its beginning. Outages of several components may overlap.
func TestAddOutages(t *testing.T) {
	var n Record
	add := func(ms int64, of string, length time.Duration) {
		n.Add(mark.Record{
			At:     at(ms),
			Kind:   mark.NoAnswer,
			Detail: mark.Detail{NoAnswer: &mark.NoAnswerDetail{Of: of, NS: int64(length)}},
		})
	}
	add(1600, mark.Kubelet, 600*time.Millisecond)
	add(2000, mark.ContainerRuntime, 700*time.Millisecond)
	add(3000, mark.Kubelet, 2*time.Second)
	add(9000, mark.Kubelet, time.Second)
	n.Add(mark.Record{At: at(9000), Kind: mark.NoAnswer})
	n.LateTicks = []Span{{From: at(0), To: at(40)}, {From: at(20000), To: at(21000)}}
	g := gomega.NewWithT(t)
	kubelet := Outage{mark.Kubelet, at(1000), at(3000)}
	runtime := Outage{mark.ContainerRuntime, at(1300), at(2000)}
	again := Outage{mark.Kubelet, at(8000), at(9000)}
	g.Expect(n.Unanswered).To(gomega.Equal([]Outage{kubelet, runtime, again}))
	g.Expect(n.Outages(time.Second)).
		To(gomega.Equal([]Outage{kubelet, again, {mark.TheRecorder, at(20000), at(21000)}}))
	g.Expect(n.Outages(time.Second + 1)).To(gomega.Equal([]Outage{kubelet}))

	g.Expect(n.Total(at(0), at(10000))).To(gomega.Equal(3*time.Second), "overlaps count once")
	g.Expect(n.Total(at(1500), at(8250))).To(gomega.Equal(1750 * time.Millisecond))
	g.Expect(n.Total(at(3000), at(8000))).To(gomega.BeZero())
}

// Spans without an answer are as long as their union.
func TestUnansweredIsTheUnion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var n Record
		var out [64]bool
		for range rapid.IntRange(0, 6).Draw(t, "outages") {
			from := rapid.IntRange(0, 63).Draw(t, "from")
			to := rapid.IntRange(from, 63).Draw(t, "to")
			n.AddOutage(Outage{
				Component: rapid.SampledFrom([]string{mark.Kubelet, mark.APIServer}).Draw(t, "of"),
				From:      int64(from),
				To:        int64(to),
			})
			for i := from; i < to; i++ {
				out[i] = true
			}
		}
		from := rapid.IntRange(0, 63).Draw(t, "span from")
		to := rapid.IntRange(from, 63).Draw(t, "span to")
		want := int64(0)
		for i := from; i < to; i++ {
			if out[i] {
				want++
			}
		}
		if got := n.unanswered(int64(from), int64(to)); got != want {
			t.Fatalf("%d, want %d: %v", got, want, n.Unanswered)
		}
	})
}
