package cli

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/harness/rules/formula"
)

func TestWhatAMutantsRunLacksForTheTrackRecord(t *testing.T) {
	newest, ended := formula.Versions()[0], time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	mutations := []mutation.Mutation{
		{Name: "put-back", Reference: "kubernetes#1"},
		{Name: "thought-up"},
		{Name: "older", Reference: "kubernetes#2", Versions: mutation.Range{Before: "v1.2.0"}},
	}
	for name, tt := range map[string]struct {
		change func(p *mutationtest.Report)
		lacks  []string
	}{
		"nothing": {func(*mutationtest.Report) {}, nil},
		"a mutant": {func(p *mutationtest.Report) { p.Lanes[0].Mutants[0].Trials = 0 },
			[]string{"never put under test put-back"}},
		"the newest version": {func(p *mutationtest.Report) { p.Version = "v1.3.0" },
			[]string{"the mutation test is of v1.3.0, the newest version is " + newest}},
		"its end": {func(p *mutationtest.Report) { p.Ended = time.Time{} },
			[]string{"the mutation test did not end"}},
		"a lane's end": {func(p *mutationtest.Report) { p.Lanes[0].Ended = time.Time{} },
			[]string{"the virtual lane of the mutation test did not end"}},
		"problems": {func(p *mutationtest.Report) { p.Problems = []string{"interrupted"} },
			[]string{"the mutation test had problems: interrupted"}},
		"a lane's problems": {func(p *mutationtest.Report) { p.Lanes[0].Problems = []string{"no memory"} },
			[]string{"virtual lane of the mutation test had problems: no memory"}},
		"false alarms": {func(
			p *mutationtest.Report) {
			p.Lanes[0].References[0].FalseAlarms = []mutationtest.Kill{{Trial: "a"}}
		}, []string{"has false alarms: 1 trials deviate on the reference"}},
		"an empty report": {func(p *mutationtest.Report) { *p = mutationtest.Report{} },
			[]string{"never put under test put-back, older", "the mutation test is of no version",
				"the mutation test did not end"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			p := mutationtest.Report{Version: newest, Ended: ended, Lanes: []mutationtest.LaneReport{
				{
					Lane:       runs.VirtualLane,
					Ended:      ended,
					Mutants:    []mutationtest.Mutant{{Name: "put-back", Trials: 1}},
					References: []mutationtest.Reference{{Trials: 1}},
				},
			}}
			tt.change(&p)
			lacks := missingMutants(p, mutations)
			g.Expect(lacks).To(HaveLen(len(tt.lacks)))
			for i, lack := range tt.lacks {
				g.Expect(lacks[i]).To(ContainSubstring(lack))
			}
		})
	}
}
