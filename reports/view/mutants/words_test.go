package mutants

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
)

func TestKilledInOneLaneIsKilled(t *testing.T) {
	g := NewWithT(t)
	p := mutationtest.Report{Version: "v1.36.3", Catalogue: 4, Lanes: []mutationtest.LaneReport{
		{
			Lane: run.VirtualLane,
			Mutants: []mutationtest.Mutant{
				{Name: "a", Verdict: mutationtest.Killed},
				{Name: "b", Verdict: mutationtest.Survived},
				{Name: "x", Equivalent: "so", Verdict: mutationtest.Killed},
			},
		},
		{
			Lane: run.NodeLane,
			Mutants: []mutationtest.Mutant{
				{Name: "a", Verdict: mutationtest.Survived},
				{Name: "b", Verdict: mutationtest.Killed},
				{Name: "c", Verdict: mutationtest.Undecided},
			},
		},
	}}
	g.Expect(reach(p)).
		To(Equal([]string{"Killed in at least one lane: 2 of 4 of the catalogue's mutants of v1.36.3 that can be " +
			"seen (50 %)."}))
	p.Environment.Settings = map[string]string{"MUTANTS": "a,b,c"}
	g.Expect(reach(p)[1]).To(Equal("This report is about a selection, MUTANTS=a,b,c: 3 of the 4."))
	p.Catalogue = 0
	g.Expect(reach(p)[0]).To(ContainSubstring("2 of 3"), "an older report does not have their number")
	g.Expect(reach(mutationtest.Report{})[0]).To(ContainSubstring("0 of 0"))
}

func TestMutantsOfTheOtherLaneAreListedByReason(t *testing.T) {
	g := NewWithT(t)
	l := mutationtest.LaneReport{
		LeftOut: []mutationtest.LeftOut{
			{Name: "a", Why: "only a real node can have it"},
			{Name: "b", Why: "it is old"},
			{Name: "c", Why: "only a real node can have it"},
		},
	}
	g.Expect(elsewhere(l)).To(Equal([]string{
		"Not in this lane and its score: 2 mutants, because only a real node can have it (a, c).",
		"Not in this lane and its score: 1 mutant, because it is old (b).",
	}))
	g.Expect(elsewhere(mutationtest.LaneReport{})).To(BeEmpty())
}

func TestATrialNotJudgedOnAReferenceCountsOnce(t *testing.T) {
	g := NewWithT(t)
	l := mutationtest.LaneReport{
		References: []mutationtest.Reference{
			{Open: []mutationtest.Open{{Trial: "b", Why: "so"}}},
			{Open: []mutationtest.Open{{Trial: "a", Why: "so"}, {Trial: "b", Why: "so"}}},
		},
	}
	g.Expect(l.Unjudged()).To(Equal([]string{"a", "b"}))
	g.Expect(l.Figures().Unjudged).To(Equal(2))
	g.Expect(referenceResults(l)).To(ContainSubstring("2 trials could not be judged on some reference"))
}

func TestAMutantIsCalledByItsOwnReport(t *testing.T) {
	as := func(reference string) mutationtest.Kill {
		return mutationtest.Kill{
			Trial:     "t/" + reference,
			Measured:  new(int64(time.Second)),
			Diagnosis: &trial.Diagnosis{Name: "so", Reference: reference},
		}
	}
	for name, tt := range map[string]struct {
		m      mutationtest.Mutant
		named  bool
		called string
	}{
		"its own": {mutationtest.Mutant{Reference: "kubernetes#1", Kills: []mutationtest.Kill{as("kubernetes#1")}},
			true, "as if so: kubernetes#1"},
		"its own by " +
			"another trial": {mutationtest.Mutant{Reference: "kubernetes#1",
			Kills: []mutationtest.Kill{as("kubernetes#2"), as("kubernetes#1")}}, true,
			"as if so: kubernetes#1 (by t/kubernetes#1)"},
		"one of several": {mutationtest.Mutant{Reference: "kubernetes#1, " +
			"kubernetes#3", Kills: []mutationtest.Kill{as("kubernetes#2; kubernetes#3")}}, true, "as if so: " +
			"kubernetes#2; kubernetes#3"},
		"a change and its report": {mutationtest.Mutant{Reference: "kubernetes " +
			"PR 62853", Kills: []mutationtest.Kill{as("kubernetes#62853")}}, true, "as if so: kubernetes#62853"},
		"a longer number": {mutationtest.Mutant{Reference: "kubernetes#1158",
			Kills: []mutationtest.Kill{as("kubernetes#115817")}}, false, "as if so: kubernetes#115817"},
		"another " +
			"repository": {mutationtest.Mutant{Reference: "kubernetes#1",
			Kills: []mutationtest.Kill{as("website#1")}}, false, "as if so: website#1"},
		"it has no report": {mutationtest.Mutant{Kills: []mutationtest.Kill{{Trial: "t/none"},
			as("worker.go doProbe")}}, false, "as if so: worker.go doProbe (by t/worker.go doProbe)"},
		"nothing knows what " +
			"it does": {mutationtest.Mutant{Reference: "kubernetes#1", Kills: []mutationtest.Kill{{Trial: "t/none"}}},
			false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(tt.m.Named()).To(Equal(tt.named))
			g.Expect(Called(tt.m)).To(Equal(tt.called))
		})
	}
}

// What random scenarios found on a survivor is said beside it.
func TestFuzzed(t *testing.T) {
	g := NewWithT(t)
	g.Expect(fuzzed(mutationtest.Fuzz{Scenarios: 2000})).To(Equal("2000 random scenarios found no violation"))
	g.Expect(fuzzed(mutationtest.Fuzz{Scenarios: 31, Violations: []string{"a/b above in delete",
		"c/d never in evict"}})).
		To(Equal("31 random scenarios found what no trial shows, so a trial is missing: a/b above in delete; " +
			"c/d never in evict"))
	g.Expect(fuzzed(mutationtest.Fuzz{Problem: "exit status 1"})).
		To(Equal("random scenarios could not run: exit status 1"))
}
