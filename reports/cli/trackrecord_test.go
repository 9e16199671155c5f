package cli

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/harness/kubelet"
	"github.com/podclock/podclock/harness/kubelet/mutation"
	runs "github.com/podclock/podclock/harness/run"
)

func TestWhatAProofLacksForTheTrackRecord(t *testing.T) {
	newest, ended := kubelet.Versions()[0], time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	mutations := []mutation.Mutation{
		{Name: "put-back", Reference: "kubernetes#1"},
		{Name: "thought-up"},
		{Name: "older", Reference: "kubernetes#2", Versions: mutation.Range{Before: "v1.2.0"}},
	}
	for name, tt := range map[string]struct {
		change func(p *detection.Report)
		lacks  []string
	}{
		"nothing":              {func(*detection.Report) {}, nil},
		"a mutant":             {func(p *detection.Report) { p.Lanes[0].Mutants[0].Trials = 0 }, []string{"never put under test put-back"}},
		"the newest version":   {func(p *detection.Report) { p.Version = "v1.3.0" }, []string{"the proof is of v1.3.0, the newest is " + newest}},
		"its end":              {func(p *detection.Report) { p.Ended = time.Time{} }, []string{"the proof did not come to its end"}},
		"a lane's end":         {func(p *detection.Report) { p.Lanes[0].Ended = time.Time{} }, []string{"virtual lane did not come to its end"}},
		"a clean way":          {func(p *detection.Report) { p.Problems = []string{"interrupted"} }, []string{"the proof had problems: interrupted"}},
		"a lane's clean way":   {func(p *detection.Report) { p.Lanes[0].Problems = []string{"no memory"} }, []string{"virtual lane had problems: no memory"}},
		"silence of the clean": {func(p *detection.Report) { p.Lanes[0].References[0].FalseAlarms = []detection.Catch{{Trial: "a"}} }, []string{"on the released code 1 of its trials"}},
		"all but nothing": {func(p *detection.Report) { *p = detection.Report{} },
			[]string{"never put under test put-back, older", "the proof is of no version", "the proof did not come to its end"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			p := detection.Report{Version: newest, Ended: ended, Lanes: []detection.LaneReport{
				{
					Lane:       runs.VirtualLane,
					Ended:      ended,
					Mutants:    []detection.Mutant{{Name: "put-back", Trials: 1}},
					References: []detection.Reference{{Trials: 1}},
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
