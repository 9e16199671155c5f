package timeline

import (
	"testing"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/mark"
)

// A missing number within a connection is a loss. Only the recorder's own numbers show that a connection's last mark is
// missing.
func TestGapInAConnection(t *testing.T) {
	for name, c := range map[string]struct {
		without int
		doubts  bool
	}{
		"nothing missing":                  {-1, false},
		"the recorder's own has no number": {0, false},
		"the first mark":                   {1, true},
		"one in the middle":                {2, true},
		"the last":                         {3, false},
	} {
		t.Run(name, func(t *testing.T) {
			x := &tape{}
			x.process(50, 1, "victim", mark.Run, 1).says(100, mark.Started).says(5000, mark.SIGTERM).
				says(6000, mark.Exiting)
			e := x.evidence(20000)
			if c.without >= 0 {
				e.Marks = append(e.Marks[:c.without:c.without], e.Marks[c.without+1:]...)
			}
			gomega.NewWithT(t).Expect(len(Build(e, delay.Record{}).Doubts) > 0).To(gomega.Equal(c.doubts))
		})
	}
}

func TestMarkTwice(t *testing.T) {
	e := oneLife().evidence(20000)
	e.Marks = append(e.Marks[:2:2], e.Marks[1:]...)
	gomega.NewWithT(t).Expect(Build(e, delay.Record{}).Doubts).NotTo(gomega.BeEmpty())
}

func TestLossesCutsAndFailedFaults(t *testing.T) {
	g := gomega.NewWithT(t)
	e := oneLife().evidence(20000)
	e.Cut = "the run was interrupted"
	e.Losses = []delay.Loss{{From: at(0), To: at(1500), Why: "the recorder was restarted"}}
	e.Faults = []Fault{
		{What: "delete", At: Instant{At: at(1000)}, Error: "no route to host"},
		{What: "delete", At: Instant{At: at(2000)}},
	}
	tl := Build(e, delay.Record{})
	g.Expect(tl.Cut).To(gomega.Equal("the run was interrupted"))
	g.Expect(tl.Doubts).To(gomega.ConsistOf(
		Doubt{Why: "the recorder was restarted (for 1.5s)", Since: at(0)},
		Doubt{Why: "fault delete failed: no route to host", Since: at(1000)},
	))
	g.Expect(tl.Faults).To(gomega.HaveLen(2))
}
