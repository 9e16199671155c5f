package folder

import (
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view/fixture"
)

func TestSavedRunGetsTheSameVerdicts(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	g.Expect(run.Save(dir, fixture.Fixture(), nil)).To(Succeed())
	r, err := run.Load(dir)
	g.Expect(err).NotTo(HaveOccurred())
	again, changes := run.Rejudge(r, fixture.LookUp)
	g.Expect(changes).To(BeEmpty())
	g.Expect(fixture.AsSaved(again)).To(Equal(fixture.Fixture()), "findings, windows and diagnoses included")
}

func TestRejudgeReportsWhatChanged(t *testing.T) {
	g := NewWithT(t)
	r := fixture.Fixture()
	// The saved verdict contradicts the evidence, in the last attempt and in an earlier one.
	r.Outcomes[0].Verdict = trial.Deviates
	r.Outcomes[4].Attempts[0].Result.Verdict = trial.Conforms
	again, changes := run.Rejudge(r, fixture.LookUp)
	g.Expect(changes).To(Equal([]run.Change{
		{
			Trial:   "termination/ignored-sigterm",
			Subject: fixture.Reference,
			Attempt: 1,
			Was:     trial.Deviates,
			Now:     trial.Conforms,
		},
		{
			Trial:   "termination/exits-on-sigterm",
			Subject: fixture.Reference,
			Attempt: 1,
			Was:     trial.Conforms,
			Now:     trial.Inconclusive,
		},
	}))
	g.Expect(changes[0].String()).
		To(Equal("termination/ignored-sigterm on v1.36.3, attempt 1: was deviates, now conforms"))
	g.Expect(fixture.AsSaved(again)).To(Equal(fixture.Fixture()))
	g.Expect(r.Outcomes[0].Verdict).To(Equal(trial.Deviates), "the run that was given stays as it is")
	g.Expect(r.Outcomes[4].Attempts[0].Result.Verdict).To(Equal(trial.Conforms))
}

// The saved verdict contradicts the evidence, but the trial is another one now.
func TestTrialThatChangedKeepsItsVerdict(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*trial.Trial)
		setup  bool // whether the run says what it did
		kept   string
	}{
		"another pod":           {func(t *trial.Trial) { t.Budgets++ }, true, "other pods or faults"},
		"not known then":        {func(t *trial.Trial) { t.Budgets++ }, false, ""},
		"a claim that is gone":  {func(t *trial.Trial) { t.Claims = t.Claims[1:] }, true, "no longer has the claim"},
		"gone, not known then":  {func(t *trial.Trial) { t.Claims = t.Claims[1:] }, false, "no longer has the claim"},
		"another sentence":      {func(t *trial.Trial) { t.About = "It dies." }, true, ""},
		"a claim that is newer": {newerClaim, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r := fixture.Fixture()
			o := &r.Outcomes[0]
			o.Verdict = trial.Deviates
			was, _ := fixture.LookUp(o.Trial)
			if c.setup {
				o.Setup = was.Setup()
			}
			again, changes := run.Rejudge(r, func(id string) (trial.Trial, bool) {
				now, known := fixture.LookUp(id)
				if id == o.Trial {
					c.change(&now)
				}
				return now, known
			})
			if c.kept == "" {
				g.Expect(changes).To(HaveLen(1))
				g.Expect(again.Outcomes[0].Kept).To(BeEmpty())
				g.Expect(again.Outcomes[0].Verdict).To(Equal(trial.Conforms))
				g.Expect(again.Outcomes[0].Last().Result.Findings).To(HaveLen(len(o.Last().Result.Findings)))
				return
			}
			g.Expect(changes).To(BeEmpty())
			g.Expect(again.Outcomes[0].Kept).To(ContainSubstring(c.kept))
			g.Expect(again.Outcomes[0].Verdict).To(Equal(trial.Deviates))
			g.Expect(again.Outcomes[0].Attempts).To(Equal(o.Attempts))
		})
	}
}

// newerClaim adds a claim that no evidence of before meets.
func newerClaim(t *trial.Trial) {
	never := t.Claims[0]
	never.Measure = trial.Between(trial.Started, trial.Started.Life(9))
	t.Claims = append(slices.Clip(t.Claims), never)
}

func TestRejudgeLooksAtTheEvidence(t *testing.T) {
	g := NewWithT(t)
	r := fixture.Fixture()
	marks := r.Outcomes[0].Attempts[0].Evidence.Marks
	g.Expect(marks[len(marks)-1].Kind).To(Equal(mark.Gone))
	marks[len(marks)-1].At -= int64(2 * time.Second)
	again, changes := run.Rejudge(r, fixture.LookUp)
	g.Expect(changes).
		To(ConsistOf(run.Change{Trial: "termination/ignored-sigterm", Subject: fixture.Reference, Attempt: 1,
			Was: trial.Conforms, Now: trial.Deviates}))
	g.Expect(again.Outcomes[0].Verdict).To(Equal(trial.Deviates))
	g.Expect(again.ExitCode()).To(Equal(run.ExitDeviates))
}

func TestWhatCannotBeJudgedAgainIsInconclusive(t *testing.T) {
	g := NewWithT(t)
	gone := func(id string) (trial.Trial, bool) {
		if id == "termination/ignored-sigterm" {
			return trial.Trial{}, false
		}
		return fixture.LookUp(id)
	}
	r := fixture.Fixture()
	r.Subjects = r.Subjects[:1] // the run no longer has the mutant's delays
	again, changes := run.Rejudge(r, gone)

	g.Expect(again.Outcomes[0].Verdict).To(Equal(trial.Inconclusive))
	g.Expect(again.Outcomes[0].Why).
		To(And(ContainSubstring("no longer has this trial"), ContainSubstring("0123456789ab")))
	g.Expect(changes).
		To(ContainElement(run.Change{Trial: "termination/ignored-sigterm", Subject: fixture.Reference, Attempt: 1,
			Was: trial.Conforms, Now: trial.Inconclusive}))
	for i, o := range again.Outcomes {
		switch {
		case len(o.Attempts) == 0:
			g.Expect(o).To(Equal(r.Outcomes[i]), "what never ran keeps its verdict")
		case o.Subject == fixture.Mutant:
			g.Expect(o.Verdict).To(Equal(trial.Inconclusive))
			if o.Trial != "termination/ignored-sigterm" {
				g.Expect(o.Why).To(ContainSubstring("does not describe its subject"))
			}
		}
	}
}

// TestRejudgeGoesByTheAttemptsOwnNode expects that an attempt is judged by the node and the kubelet that it ran
// on, not by its subject's ordinary worker.
func TestRejudgeGoesByTheAttemptsOwnNode(t *testing.T) {
	g := NewWithT(t)
	r := fixture.Fixture()
	// The late tick that excused the first attempt was on the other node.
	spare := run.Node{Name: "podclock-worker3", Subject: fixture.Reference}
	r.Nodes = append(r.Nodes, spare)
	retried := &r.Outcomes[4]
	retried.Attempts[0].Node = spare.Name
	_, changes := run.Rejudge(r, fixture.LookUp)
	g.Expect(changes).
		To(ConsistOf(
			run.Change{Trial: retried.Trial, Subject: fixture.Reference, Attempt: 1, Was: trial.Inconclusive,
				Now: trial.Deviates},
			run.Change{Trial: retried.Trial, Subject: fixture.Reference, Attempt: 2, Was: trial.Conforms,
				Now: trial.Deviates},
		), "a deviating attempt makes the trial deviate")

	r.Outcomes[0].Attempts[0].Kubelet.Version = "v1.99.0"
	again, _ := run.Rejudge(r, fixture.LookUp)
	g.Expect(again.Outcomes[0].Last().Result.Extrapolated).To(BeTrue())
	g.Expect(again.Outcomes[1].Last().Result.Extrapolated).To(BeFalse())

	r.Nodes = r.Nodes[:2]
	again, _ = run.Rejudge(r, fixture.LookUp)
	g.Expect(again.Outcomes[4].Why).To(ContainSubstring("does not describe node podclock-worker3"))
	g.Expect(again.Outcomes[4].Attempts[0].Result.Verdict).To(Equal(trial.Inconclusive))
}
