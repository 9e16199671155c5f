package cli

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/kubelet/mutation"
	"github.com/podclock/podclock/reports"
)

func TestWhatAProofLacksForTheTrackRecord(t *testing.T) {
	newest, ended := kubelet.Versions()[0], time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	mutations := []mutation.Mutation{
		{Name: "put-back", Reference: "kubernetes#1"},
		{Name: "thought-up"},
		{Name: "older", Reference: "kubernetes#2", Versions: mutation.Range{Before: "v1.2.0"}},
	}
	for name, tt := range map[string]struct {
		change func(p *reports.Proof)
		lacks  []string
	}{
		"nothing":              {func(*reports.Proof) {}, nil},
		"a mutant":             {func(p *reports.Proof) { p.Lanes[0].Mutants[0].Trials = 0 }, []string{"never put under test put-back"}},
		"the newest version":   {func(p *reports.Proof) { p.Version = "v1.3.0" }, []string{"the proof is of v1.3.0, the newest is " + newest}},
		"its end":              {func(p *reports.Proof) { p.Ended = time.Time{} }, []string{"the proof did not come to its end"}},
		"a lane's end":         {func(p *reports.Proof) { p.Lanes[0].Ended = time.Time{} }, []string{"virtual lane did not come to its end"}},
		"a clean way":          {func(p *reports.Proof) { p.Problems = []string{"interrupted"} }, []string{"the proof had problems: interrupted"}},
		"a lane's clean way":   {func(p *reports.Proof) { p.Lanes[0].Problems = []string{"no memory"} }, []string{"virtual lane had problems: no memory"}},
		"silence of the clean": {func(p *reports.Proof) { p.Lanes[0].Controls[0].FalseAlarms = []reports.Catch{{Trial: "a"}} }, []string{"on the released code 1 of its trials"}},
		"all but nothing": {func(p *reports.Proof) { *p = reports.Proof{} },
			[]string{"never put under test put-back, older", "the proof is of no version", "the proof did not come to its end"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			p := reports.Proof{Version: newest, Ended: ended, Lanes: []reports.LaneProof{
				{
					Lane:     reports.VirtualLane,
					Ended:    ended,
					Mutants:  []reports.Mutant{{Name: "put-back", Trials: 1}},
					Controls: []reports.Control{{Trials: 1}},
				},
			}}
			tt.change(&p)
			lacks := unproved(p, mutations)
			g.Expect(lacks).To(HaveLen(len(tt.lacks)))
			for i, lack := range tt.lacks {
				g.Expect(lacks[i]).To(ContainSubstring(lack))
			}
		})
	}
}
