package timeline

import (
	"testing"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/mark"
)

// A process that connected several times has one life. It ends with the connection that has its start.
func TestAProcessThatConnectedTwice(t *testing.T) {
	g := gomega.NewWithT(t)
	x := &tape{}
	first := x.process(5000, 1, "victim", mark.Run, 1)
	first.recorder(5001, mark.Gone)
	x.process(5002, 2, "victim", mark.Run, 1).says(5003, mark.Started).recorder(9000, mark.Gone)
	life := Build(x.evidence(20000), delay.Record{}).Life("victim", 1)
	g.Expect([]int64{life.Connected.At, life.Started.At, life.Gone.At}).
		To(gomega.Equal([]int64{at(5000), at(5003), at(9000)}))

	x = &tape{}
	late := x.process(5000, 1, "victim", mark.Run, 1)
	x.process(5002, 2, "victim", mark.Run, 1).says(5003, mark.Started)
	late.recorder(5004, mark.Gone)
	g.Expect(Build(x.evidence(20000), delay.Record{}).Life("victim", 1).Gone).To(gomega.BeNil(), "it lives")
}

func TestRequests(t *testing.T) {
	g := gomega.NewWithT(t)
	x := &tape{}
	p := x.process(1000, 1, "victim", mark.Run, 1).says(1001, mark.Started).says(2000, mark.Requested)
	life := func() *Life { return Build(x.evidence(20000), delay.Record{}).Life("victim", 1) }
	g.Expect(life().Requested.At).To(gomega.Equal(at(2000)))
	g.Expect(life().LastRequest).To(gomega.BeNil())

	p.says(3000, mark.LastRequest)
	x.records[len(x.records)-1].Sent = at(2900)
	pause := Instant{At: at(2900), Late: at(3000) - at(2900)}
	g.Expect(life().LastRequest).To(gomega.Equal(&pause))

	p.says(5000, mark.Requested)
	g.Expect(life().Requested.At).To(gomega.Equal(at(2000)), "the first one")
	g.Expect(life().LastRequest).To(gomega.BeNil(), "it was only a pause")
}

// A recorder that did not run loses the order of the processes that it then finds. A recorder that ran loses none.
func TestLivesThatARecorderMayHaveMiscounted(t *testing.T) {
	x := &tape{}
	x.process(5000, 1, "victim", mark.Run, 1).recorder(5001, mark.Gone)
	x.process(5002, 2, "victim", mark.Run, 2).says(5003, mark.Started).recorder(9000, mark.Gone)
	for name, c := range map[string]struct {
		delays  delay.Record
		doubted bool
	}{
		"a recorder that ran":          {delay.Record{}, false},
		"one that did not run":         {delay.Record{LateTicks: []delay.Span{{From: at(2000), To: at(5000)}}}, true},
		"one that did not run briefly": {delay.Record{LateTicks: []delay.Span{{From: at(4100), To: at(5000)}}}, false},
		"one that did not run before": {
			delay.Record{LateTicks: []delay.Span{{From: at(1000), To: at(3000)}}}, false,
		},
	} {
		tl := Build(x.evidence(20000), c.delays)
		gomega.NewWithT(t).Expect(len(tl.Doubts) > 0).To(gomega.Equal(c.doubted), "%s: %v", name, tl.Doubts)
	}
}
