package sensitivity

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/detection"
	"github.com/podclock/podclock/reports/view/fixture"
)

func TestCaughtInOneLaneIsCaught(t *testing.T) {
	g := NewWithT(t)
	p := detection.Report{Version: "v1.36.3", Catalogue: 4, Lanes: []detection.LaneReport{
		{
			Lane: run.VirtualLane,
			Mutants: []detection.Mutant{
				{Name: "a", Verdict: detection.Caught},
				{Name: "b", Verdict: detection.Survived},
				{Name: "x", Unseen: "so", Verdict: detection.Caught},
			},
		},
		{
			Lane: run.NodeLane,
			Mutants: []detection.Mutant{
				{Name: "a", Verdict: detection.Survived},
				{Name: "b", Verdict: detection.Caught},
				{Name: "c", Verdict: detection.Undecided},
			},
		},
	}}
	g.Expect(reach(p)).
		To(Equal([]string{"Caught in at least one lane: 2 of 4 of the catalogue's mutants of v1.36.3 that can be " +
			"seen (50 %)."}))
	p.Environment.Settings = map[string]string{"MUTANTS": "a,b,c"}
	g.Expect(reach(p)[1]).To(Equal("This report is about a selection, MUTANTS=a,b,c: 3 of the 4."))
	p.Catalogue = 0
	g.Expect(reach(p)[0]).To(ContainSubstring("2 of 3"), "an older report does not have their number")
	g.Expect(reach(detection.Report{})[0]).To(ContainSubstring("0 of 0"))
}

func TestMutantsOfTheOtherLaneAreListedByReason(t *testing.T) {
	g := NewWithT(t)
	l := detection.LaneReport{
		LeftOut: []detection.LeftOut{
			{Name: "a", Why: "only a real node can have it"},
			{Name: "b", Why: "it is old"},
			{Name: "c", Why: "only a real node can have it"},
		},
	}
	g.Expect(elsewhere(l)).To(Equal([]string{
		"Not in this lane and its score: 2 mutants, because only a real node can have it (a, c).",
		"Not in this lane and its score: 1 mutant, because it is old (b).",
	}))
	g.Expect(elsewhere(detection.LaneReport{})).To(BeEmpty())
}

func TestATrialNotJudgedOnAReferenceCountsOnce(t *testing.T) {
	g := NewWithT(t)
	l := detection.LaneReport{
		References: []detection.Reference{
			{Open: []detection.Open{{Trial: "b", Why: "so"}}},
			{Open: []detection.Open{{Trial: "a", Why: "so"}, {Trial: "b", Why: "so"}}},
		},
	}
	g.Expect(l.Unjudged()).To(Equal([]string{"a", "b"}))
	g.Expect(l.Figures().Unjudged).To(Equal(2))
	g.Expect(referenceResults(l)).To(ContainSubstring("2 trials could not be judged on some reference"))
}

func TestAMutantIsCalledByItsOwnReport(t *testing.T) {
	as := func(reference string) detection.Catch {
		return detection.Catch{
			Trial:     "t/" + reference,
			Measured:  fixture.Seconds64(time.Second),
			Diagnosis: &trial.Diagnosis{Name: "so", Reference: reference},
		}
	}
	for name, tt := range map[string]struct {
		m      detection.Mutant
		named  bool
		called string
	}{
		"its own": {detection.Mutant{Reference: "kubernetes#1", Catches: []detection.Catch{as("kubernetes#1")}},
			true, "as if so: kubernetes#1"},
		"its own by " +
			"another trial": {detection.Mutant{Reference: "kubernetes#1",
			Catches: []detection.Catch{as("kubernetes#2"), as("kubernetes#1")}}, true,
			"as if so: kubernetes#1 (by t/kubernetes#1)"},
		"one of several": {detection.Mutant{Reference: "kubernetes#1, " +
			"kubernetes#3", Catches: []detection.Catch{as("kubernetes#2; kubernetes#3")}}, true, "as if so: " +
			"kubernetes#2; kubernetes#3"},
		"a change and its report": {detection.Mutant{Reference: "kubernetes " +
			"PR 62853", Catches: []detection.Catch{as("kubernetes#62853")}}, true, "as if so: kubernetes#62853"},
		"a longer number": {detection.Mutant{Reference: "kubernetes#1158",
			Catches: []detection.Catch{as("kubernetes#115817")}}, false, "as if so: kubernetes#115817"},
		"another " +
			"repository": {detection.Mutant{Reference: "kubernetes#1",
			Catches: []detection.Catch{as("website#1")}}, false, "as if so: website#1"},
		"it has no report": {detection.Mutant{Catches: []detection.Catch{{Trial: "t/none"},
			as("worker.go doProbe")}}, false, "as if so: worker.go doProbe (by t/worker.go doProbe)"},
		"nothing knows what " +
			"it does": {detection.Mutant{Reference: "kubernetes#1", Catches: []detection.Catch{{Trial: "t/none"}}},
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
	g.Expect(fuzzed(detection.Fuzz{Scenarios: 2000})).To(Equal("2000 random scenarios found no violation"))
	g.Expect(fuzzed(detection.Fuzz{Scenarios: 31, Violations: []string{"a/b above in delete", "c/d never in evict"}})).
		To(Equal("31 random scenarios found what no trial shows, so a trial is missing: a/b above in delete; " +
			"c/d never in evict"))
	g.Expect(fuzzed(detection.Fuzz{Problem: "exit status 1"})).
		To(Equal("random scenarios could not run: exit status 1"))
}
