package timeline

import (
	"testing"
	"time"

	"github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/podclock/podclock/harness/mark"
)

// A silence is told while it lasts, from the same beginning; those of several programs may overlap.
func TestSilencesFromRecords(t *testing.T) {
	var n Noise
	told := func(ms int64, of string, length time.Duration) {
		n.Add(
			mark.Record{
				At:     at(ms),
				Kind:   mark.Silence,
				Detail: mark.Detail{Silence: &mark.SilenceDetail{Of: of, NS: int64(length)}},
			},
		)
	}
	told(1600, mark.Kubelet, 600*time.Millisecond)
	told(2000, mark.ContainerRuntime, 700*time.Millisecond)
	told(3000, mark.Kubelet, 2*time.Second)
	told(9000, mark.Kubelet, time.Second)
	n.Add(mark.Record{At: at(9000), Kind: mark.Silence})
	n.Stalls = []Stall{{From: at(0), To: at(40)}, {From: at(20000), To: at(21000)}}
	g := gomega.NewWithT(t)
	kubelet, runtime, again := Silence{
		mark.Kubelet,
		at(1000),
		at(3000),
	}, Silence{
		mark.ContainerRuntime,
		at(1300),
		at(2000),
	}, Silence{
		mark.Kubelet,
		at(8000),
		at(9000),
	}
	g.Expect(n.Silences).To(gomega.Equal([]Silence{kubelet, runtime, again}))
	g.Expect(n.Outages(time.Second)).
		To(gomega.Equal([]Silence{kubelet, again, {mark.TheRecorder, at(20000), at(21000)}}))
	g.Expect(n.Outages(time.Second + 1)).To(gomega.Equal([]Silence{kubelet}))

	g.Expect(n.Between(at(0), at(10000))).To(gomega.Equal(3*time.Second), "what overlaps counts once")
	g.Expect(n.Between(at(1500), at(8250))).To(gomega.Equal(1750 * time.Millisecond))
	g.Expect(n.Between(at(3000), at(8000))).To(gomega.BeZero())
}

// Whatever the silences, they are as long as their union.
func TestSilencesAreTheirUnion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var n Noise
		var silent [64]bool
		for range rapid.IntRange(0, 6).Draw(t, "silences") {
			from := rapid.IntRange(0, 63).Draw(t, "from")
			to := rapid.IntRange(from, 63).Draw(t, "to")
			n.AddSilence(
				Silence{
					Of:   rapid.SampledFrom([]string{mark.Kubelet, mark.APIServer}).Draw(t, "of"),
					From: int64(from),
					To:   int64(to),
				},
			)
			for i := from; i < to; i++ {
				silent[i] = true
			}
		}
		from := rapid.IntRange(0, 63).Draw(t, "looked at from")
		to := rapid.IntRange(from, 63).Draw(t, "looked at to")
		want := int64(0)
		for i := from; i < to; i++ {
			if silent[i] {
				want++
			}
		}
		if got := n.silent(int64(from), int64(to)); got != want {
			t.Fatalf("%d, want %d: %v", got, want, n.Silences)
		}
	})
}

// A process that turned to the recorder several times lives once: it ends with the connection on which it
// said that it started, whatever came in which order.
func TestAProcessThatConnectedTwice(t *testing.T) {
	g := gomega.NewWithT(t)
	x := &tape{}
	first := x.process(5000, 1, "victim", mark.Run, 1)
	first.recorder(5001, mark.Gone)
	x.process(5002, 2, "victim", mark.Run, 1).says(5003, mark.Started).recorder(9000, mark.Gone)
	life := Build(x.evidence(20000), Noise{}).Life("victim", 1)
	g.Expect([]int64{life.Connected.At, life.Started.At, life.Gone.At}).
		To(gomega.Equal([]int64{at(5000), at(5003), at(9000)}))

	x = &tape{}
	late := x.process(5000, 1, "victim", mark.Run, 1)
	x.process(5002, 2, "victim", mark.Run, 1).says(5003, mark.Started)
	late.recorder(5004, mark.Gone)
	g.Expect(Build(x.evidence(20000), Noise{}).Life("victim", 1).Gone).To(gomega.BeNil(), "it lives")
}

// Which of several processes that a recorder finds when it goes on came first, is lost. One that dies
// before its first mark on a node whose recorder ran is nothing to doubt.
func TestLivesThatARecorderMayHaveMiscounted(t *testing.T) {
	x := &tape{}
	x.process(5000, 1, "victim", mark.Run, 1).recorder(5001, mark.Gone)
	x.process(5002, 2, "victim", mark.Run, 2).says(5003, mark.Started).recorder(9000, mark.Gone)
	for name, c := range map[string]struct {
		noise   Noise
		doubted bool
	}{
		"a recorder that ran":             {Noise{}, false},
		"one that stood still just now":   {Noise{Stalls: []Stall{{From: at(2000), To: at(5000)}}}, true},
		"one that stood still for less":   {Noise{Stalls: []Stall{{From: at(4100), To: at(5000)}}}, false},
		"one that had stood still before": {Noise{Stalls: []Stall{{From: at(1000), To: at(3000)}}}, false},
	} {
		tl := Build(x.evidence(20000), c.noise)
		gomega.NewWithT(t).Expect(len(tl.Doubts) > 0).To(gomega.Equal(c.doubted), "%s: %v", name, tl.Doubts)
	}
}
