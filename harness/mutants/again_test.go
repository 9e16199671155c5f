package mutants

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/suites"
)

const (
	released  = "v1.36.3"
	changedBy = "resultrun-one"
)

// waved is the run of a wave: a reference and a mutant.
func waved(id string, reference, changed []trial.Outcome) run.Run {
	r := run.Run{
		ID:       id,
		Subjects: []run.Subject{{Name: released}, {Name: released + "+" + changedBy, Mutation: changedBy}},
	}
	for _, o := range reference {
		o.Subject = released
		r.Outcomes = append(r.Outcomes, o)
	}
	for _, o := range changed {
		o.Subject = released + "+" + changedBy
		r.Outcomes = append(r.Outcomes, o)
	}
	return r
}

func undecidedLane() mutationtest.LaneReport {
	return mutationtest.LaneReport{
		Lane: run.NodeLane,
		Mutants: []mutationtest.Mutant{
			{Name: changedBy, Verdict: mutationtest.Undecided, Build: time.Second, Run: time.Minute},
			{Name: "hook-not-subtracted", Verdict: mutationtest.Failed, Why: "it can't be built"},
		},
		References: []mutationtest.Reference{{Subject: "wave 1 of 1", Run: time.Minute},
			{Subject: "once more", Run: time.Hour}},
	}
}

func TestWavesAreJudgedAgain(t *testing.T) {
	g := NewWithT(t)
	const own = "probes/failing-probes"
	good, bad := came("a", finding("x", own, 2, trial.Conforms)), came("a", finding("x", own, 9, trial.Deviates))
	lane, err := judgeWaves(released, undecidedLane(), []run.Run{
		waved("first", []trial.Outcome{good}, []trial.Outcome{bad}),
		waved("second", []trial.Outcome{good}, []trial.Outcome{lost("a", "it was busy")}),
	})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(lane.Mutants[0]).
		To(SatisfyAll(HaveField("Verdict", mutationtest.Killed), HaveField("Build", time.Second),
			HaveField("Run", time.Minute)))
	g.Expect(lane.Mutants[1]).To(HaveField("Why", "it can't be built"), "no run has it")
	g.Expect(lane.References).To(HaveExactElements(
		SatisfyAll(HaveField("Subject", "wave 1 of 1"), HaveField("Trials", 1), HaveField("Run", time.Minute)),
		HaveField("Subject", "once more")))
}

// A kill does not count if the reference deviates when it is judged again, and a trial that is open now
// leaves its mutant undecided.
func TestWavesWithChangedVerdicts(t *testing.T) {
	g := NewWithT(t)
	const own = "probes/failing-probes"
	good, bad := came("a", finding("x", own, 2, trial.Conforms)), came("a", finding("x", own, 9, trial.Deviates))
	for name, runs := range map[string][]run.Run{
		"the reference deviates as well": {waved("first", []trial.Outcome{bad}, []trial.Outcome{bad}),
			waved("second", []trial.Outcome{good}, nil)},
		"nothing was judged": {waved("first", []trial.Outcome{good}, []trial.Outcome{lost("a", "busy")}),
			waved("second", []trial.Outcome{good}, []trial.Outcome{lost("a", "busy")})},
		"the reference was never judged": {
			waved("first", []trial.Outcome{lost("a", "busy")}, []trial.Outcome{good}),
			waved("second", []trial.Outcome{lost("a", "busy")}, nil),
		},
	} {
		lane, err := judgeWaves(released, undecidedLane(), runs)
		g.Expect(err).NotTo(HaveOccurred(), name)
		g.Expect(lane.Mutants[0].Verdict).To(Equal(mutationtest.Undecided), name)
	}
}

func TestRunsOfAnotherMutantsRun(t *testing.T) {
	good := []trial.Outcome{came("a")}
	for want, runs := range map[string][]run.Run{
		"the run of its reference once more is missing": {waved("first", good, nil)},
		"run third is not its own": {waved("first", good, nil), waved("second", good, nil),
			waved("third", good, nil)},
	} {
		_, err := judgeWaves(released, undecidedLane(), runs)
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(want)))
	}
}

func TestARunThatCanNotBeJudgedAgain(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	find := func(id string) (trial.Trial, bool) { found, ok := suites.Index()[id]; return found, ok }
	_, err := Again(dir, "now", find)
	g.Expect(err).To(MatchError(ContainSubstring("no saved mutation report at")))
	g.Expect(saveReport(dir, mutationtest.Report{ID: "p", Lanes: []mutationtest.LaneReport{{Lane: run.VirtualLane}}})).
		To(Succeed())
	_, err = Again(dir, "now", find)
	g.Expect(err).NotTo(HaveOccurred(), "a lane without references and mutants has no runs")
	g.Expect(saveReport(dir, mutationtest.Report{ID: "p", Lanes: []mutationtest.LaneReport{{Lane: run.NodeLane}}})).
		To(Succeed())
	_, err = Again(dir, "now", find)
	g.Expect(err).To(MatchError(ContainSubstring("where it was made")))
	g.Expect(os.MkdirAll(filepath.Join(dir, wavesFolder, "20260101-000000"), 0o755)).To(Succeed())
	judged, err := Again(dir, "now", find)
	g.Expect(err).NotTo(HaveOccurred(), "a wave without a report is skipped")
	g.Expect(judged.Lanes[0].Notes).To(ContainElement(ContainSubstring("judged again by podclock now")))
}

// The catalogue has no trial of the fake run any more, so its verdicts become inconclusive.
func TestTheVirtualLaneIsJudgedAgain(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	saved := []mutationtest.LaneReport{}
	l := laneOn(t, &fakeBench{}, three(t), &saved)
	l.Out = dir
	lane := l.play(t.Context())
	g.Expect(lane.Mutants[0].Verdict).To(Equal(mutationtest.Killed))
	g.Expect(saveReport(dir, mutationtest.Report{ID: "p", Version: released, Lanes: []mutationtest.LaneReport{lane}})).
		To(Succeed())
	none := func(string) (trial.Trial, bool) { return trial.Trial{}, false }
	judged, err := Again(dir, "now", none)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(judged.Lanes[0].References).To(HaveLen(2))
	g.Expect(judged.Lanes[0].Mutants[0].Verdict).To(Equal(mutationtest.Undecided), "nothing can be judged")
	g.Expect(os.Remove(virtualRun(dir, "reference-2"))).To(Succeed())
	_, err = Again(dir, "now", none)
	g.Expect(err).To(MatchError(ContainSubstring("no saved run at")))
}
