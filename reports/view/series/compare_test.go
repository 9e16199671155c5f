package series_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gstruct"

	"github.com/podclock/podclock/harness/host/screen"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/render/terminal"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/fixture"
	"github.com/podclock/podclock/reports/view/series"
)

func TestComparisonIsRendered(t *testing.T) {
	g := NewWithT(t)
	before, after := twoSides()
	c := series.Compare(before, after, before20())
	for _, d := range series.Directions {
		if d != series.Documentation {
			g.Expect(c.Count(d)).To(BeNumerically(">", 0), "changes that are %s", d)
		}
	}
	g.Expect(c.Unexplained()).NotTo(BeEmpty())
	var text, asJSON bytes.Buffer
	g.Expect(terminal.Report(&text, c.Report(), screen.Screen{Colour: true, Width: 90})).To(Succeed())
	fixture.Golden(t, "compare-terminal", text.Bytes())
	g.Expect(view.JSON(&asJSON, c)).To(Succeed())
	fixture.GoldenKeys(t, "compare", asJSON.Bytes())
}

func TestComparisonOfTheSame(t *testing.T) {
	for _, h := range []series.History{{}, calm()} {
		g := NewWithT(t)
		c := series.Compare(fixture.Fixture(), fixture.Fixture(), h)
		g.Expect(c.ExitCode).To(Equal(series.ExitNoWorse), "a deviation that was there before is no change")
		g.Expect(c.Changes).To(BeEmpty())
		g.Expect(c.Moves).To(BeEmpty())
		g.Expect(c.Shifts).To(BeEmpty())
		g.Expect(c.Appeared).To(BeEmpty())
		g.Expect(c.Went).To(BeEmpty())
		g.Expect(c.Differences).To(BeEmpty())
		g.Expect([]int{c.Trials, c.Values}).To(HaveEach(BeNumerically(">", 10)))
	}
}

func TestComparisonExitCode(t *testing.T) {
	good, worse := night(20, 5020*time.Millisecond, 3), night(21, 5020*time.Millisecond, 2)
	only := func(r run.Run, id string) run.Run {
		r.Outcomes = slices.DeleteFunc(slices.Clone(r.Outcomes), func(o run.Outcome) bool { return o.Trial != id })
		return r
	}
	renamed := func(r run.Run, from, to string) run.Run {
		r.Outcomes = slices.Clone(r.Outcomes)
		for i := range r.Outcomes {
			if r.Outcomes[i].Subject == from {
				r.Outcomes[i].Subject = to
			}
		}
		return r
	}
	failed, cut := fixture.FailedSetUp(), night(21, 5020*time.Millisecond, 3)
	for i := range cut.Outcomes[1:] {
		cut.Outcomes[1+i] = run.Outcome{
			Trial:    good.Outcomes[1+i].Trial,
			Subject:  fixture.Reference,
			Verdict:  trial.Inconclusive,
			Why:      "it never ran: the run was interrupted",
			CutShort: true,
		}
	}
	const (
		oneWorse = "1 verdict got worse: what was measured deviates and did not before."
		cant     = "the runs can't be compared: "
	)
	only1 := only(good, "termination/ignored-sigterm")
	others := renamed(renamed(fixture.Fixture(), fixture.Reference, "v1.37.0"), fixture.Mutant, "v1.38.0")
	for name, tt := range map[string]struct {
		before, after run.Run
		code          int
		reason        string
	}{
		"nothing":              {good, good, series.ExitNoWorse, "nothing got worse."},
		"better":               {worse, good, series.ExitNoWorse, "nothing got worse."},
		"worse":                {good, worse, series.ExitWorse, oneWorse},
		"still bad":            {worse, worse, series.ExitNoWorse, "nothing got worse."},
		"interrupted":          {good, cut, series.ExitNoWorse, "nothing got worse; 2 verdicts no longer judged."},
		"a new trial deviates": {only1, worse, series.ExitWorse, oneWorse},
		"no trial in common": {only1, only(good, "probes/exec-liveness-fails"), series.ExitNotComparable,
			cant + "they have no trial in common."},
		"set-up failed": {fixture.Fixture(), failed, series.ExitNotComparable,
			cant + "none of 18 verdicts in common is conclusive on both sides."},
		"another kubelet": {good, renamed(worse, fixture.Reference, "v1.37.0"), series.ExitWorse, oneWorse},
		"several subjects, all of them other ones": {fixture.Fixture(), others, series.ExitNotComparable,
			cant + "20260302-095800 has v1.36.3, v1.36.3+resultrun-one, 20260302-095800 has v1.37.0, v1.38.0."},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := series.Compare(tt.before, tt.after, series.History{})
			g.Expect(c.Reason).To(Equal(tt.reason))
			g.Expect(c.ExitCode).To(Equal(tt.code))
		})
	}
}

func TestDirection(t *testing.T) {
	g := NewWithT(t)
	for _, tt := range []struct {
		was, now trial.Verdict
		want     series.Direction
	}{
		{trial.Conforms, trial.Conforms, ""},
		{trial.Deviates, trial.Deviates, ""},
		{trial.Conforms, trial.Divergent, series.Documentation},
		{trial.Divergent, trial.Conforms, series.Documentation},
		{trial.Conforms, trial.Deviates, series.Worse},
		{trial.Inconclusive, trial.Deviates, series.Worse},
		{view.NotSelected, trial.Deviates, series.Worse},
		{view.NotHeld, trial.Deviates, series.Worse},
		{trial.Deviates, trial.Divergent, series.Better},
		{trial.Deviates, trial.Inconclusive, series.NoLongerJudged},
		{trial.Conforms, trial.Unsupported, series.NoLongerJudged},
		{trial.Inconclusive, trial.Unsupported, series.NoLongerJudged},
		{trial.Inconclusive, trial.Conforms, series.JudgedNow},
		{trial.Unsupported, trial.Divergent, series.JudgedNow},
	} {
		g.Expect(series.DirectionOf(tt.was, tt.now)).To(Equal(tt.want), "%s to %s", tt.was, tt.now)
	}
}

// TestAnotherClaimDeviates expects that a trial that deviates on both sides got worse if another claim
// deviates.
func TestAnotherClaimDeviates(t *testing.T) {
	g := NewWithT(t)
	before, after := night(20, 7*time.Second, 3), night(21, 5020*time.Millisecond, 3)
	f := &after.Outcomes[0].Attempts[0].Result.Findings[1]
	f.Verdict, after.Outcomes[0].Verdict = trial.Deviates, trial.Deviates
	was := view.FindingsOf(before.Outcomes[0])
	g.Expect([]trial.Verdict{was[0].Verdict, before.Outcomes[0].Verdict}).To(HaveEach(trial.Deviates))
	before.Outcomes[0].Attempts[0].Result.Findings[1].Verdict = trial.Conforms
	c := series.Compare(before, after, series.History{})
	g.Expect(c.Changes).To(ConsistOf(gstruct.MatchFields(gstruct.IgnoreExtras, gstruct.Fields{
		"Direction": Equal(
			series.Worse,
		),
		"Was":    Equal(trial.Deviates),
		"Now":    Equal(trial.Deviates),
		"Claims": HaveLen(2),
	})))
	g.Expect(c.ExitCode).To(Equal(series.ExitWorse))
}

func TestOnly(t *testing.T) {
	g := NewWithT(t)
	one, err := series.Only(fixture.Fixture(), fixture.Mutant)
	g.Expect(err).NotTo(HaveOccurred())
	two, err := series.Only(fixture.Fixture(), fixture.Reference)
	g.Expect(err).NotTo(HaveOccurred())
	c := series.Compare(two, one, series.History{})
	g.Expect(c.Pairs).To(Equal([]series.SubjectPair{{Before: fixture.Reference, After: fixture.Mutant}}))
	g.Expect(c.Trials).To(Equal(9))
	g.Expect(c.Changes).To(HaveLen(1), "the mutant is killed by one trial")
	g.Expect(c.Sides()).To(Equal("From v1.36.3 to v1.36.3+resultrun-one in run 20260302-095800"))
	g.Expect(c.ExitCode).To(Equal(series.ExitWorse))
	_, err = series.Only(fixture.Fixture(), "v9.9.9")
	g.Expect(err).To(MatchError(`run 20260302-095800 has no subject "v9.9.9": it has v1.36.3, v1.36.3+resultrun-one`))
}

func TestPairs(t *testing.T) {
	g := NewWithT(t)
	of := func(names ...string) (r run.Run, all []string) {
		for _, name := range names {
			s := run.Subject{Name: name}
			if rest, virtual := strings.CutPrefix(name, "virtual:"); virtual {
				s.Lane, name = run.VirtualLane, rest
			}
			_, s.Mutation, _ = strings.Cut(name, "+")
			r.Subjects = append(r.Subjects, s)
		}
		return r, names
	}
	type pairs = []series.SubjectPair
	for _, tt := range []struct {
		before, after []string
		paired, alone pairs
	}{
		{[]string{"a", "b"}, []string{"b", "a"}, pairs{{Before: "a", After: "a"}, {Before: "b", After: "b"}}, nil},
		{[]string{"a", "b"}, []string{"a", "c"}, pairs{{Before: "a", After: "a"}, {Before: "b", After: "c"}}, nil},
		{[]string{"a", "b"}, []string{"a", "virtual:c"}, pairs{{Before: "a", After: "a"}},
			pairs{{Before: "b"}, {After: "virtual:c"}}},
		{[]string{"a", "a+x"}, []string{"a", "a+y"}, pairs{{Before: "a", After: "a"}},
			pairs{{Before: "a+x"}, {After: "a+y"}}},
		{[]string{"a"}, []string{"b"}, pairs{{Before: "a", After: "b"}}, nil},
		{[]string{"a"}, []string{"virtual:a+x"}, pairs{{Before: "a", After: "virtual:a+x"}}, nil},
		{[]string{"a"}, []string{"a", "b"}, pairs{{Before: "a", After: "a"}}, pairs{{After: "b"}}},
		{[]string{"a", "b"}, []string{"c", "d"}, nil, pairs{{Before: "a"}, {Before: "b"}, {After: "c"}, {After: "d"}}},
		{nil, nil, nil, nil},
	} {
		before, was := of(tt.before...)
		after, is := of(tt.after...)
		paired, alone := series.Pairs(before, after, was, is)
		g.Expect(paired).To(Equal(tt.paired), "%v %v", tt.before, tt.after)
		g.Expect(alone).To(Equal(tt.alone), "%v %v", tt.before, tt.after)
	}
}

func TestHistoryDistinguishesMovesFromChance(t *testing.T) {
	before, after := night(20, 5020*time.Millisecond, 3), night(21, 5300*time.Millisecond, 3)
	claims := func(all []series.Move) (names []string) {
		for _, m := range all {
			names = append(names, m.Trial+" "+m.Claim)
		}
		return names
	}
	t.Run("without a history only the window is known", func(t *testing.T) {
		NewWithT(t).Expect(series.Compare(before, after, series.History{}).Moves).To(BeEmpty())
	})
	t.Run("ten calm nights narrow the scatter", func(t *testing.T) {
		g := NewWithT(t)
		c := series.Compare(before, after, calm())
		g.Expect(c.Earlier).To(Equal(10))
		g.Expect(claims(c.Moves)).
			To(ConsistOf("termination/ignored-sigterm sigterm-to-death", "termination/ignored-sigterm fault-to-death"))
		m := c.Moves[slices.IndexFunc(c.Moves, func(m series.Move) bool { return m.Claim == "sigterm-to-death" })]
		g.Expect(m.By()).To(Equal(int64(280 * time.Millisecond)))
		g.Expect(m.Predicted).To(BeZero())
		g.Expect(m.Earlier).To(Equal(10))
		g.Expect(m.Scatter).To(BeNumerically("<", 280*time.Millisecond))
		g.Expect(c.ExitCode).To(Equal(series.ExitNoWorse), "it is still as the code computes")
	})
	t.Run("one outlier among them is enough", func(t *testing.T) {
		h := series.NewHistory(series.MostRuns)
		for n := 10; n < 20; n++ {
			left := 5020 * time.Millisecond
			if n == 15 {
				left = 5310 * time.Millisecond
			}
			h.Add(night(n, left, 3))
		}
		NewWithT(t).Expect(series.Compare(before, after, h.History()).Moves).To(BeEmpty())
	})
	t.Run("the node's delay is subtracted", func(t *testing.T) {
		g := NewWithT(t)
		delayed := night(21, 5300*time.Millisecond, 3)
		for i := range view.FindingsOf(delayed.Outcomes[0]) {
			delayed.Outcomes[0].Attempts[0].Result.Findings[i].Delay = 300 * time.Millisecond
		}
		g.Expect(series.Compare(before, delayed, calm()).Moves).To(BeEmpty())
	})
	t.Run("later nights and other subjects do not count", func(t *testing.T) {
		g := NewWithT(t)
		c := series.Compare(night(1, 5020*time.Millisecond, 3), night(2, 5300*time.Millisecond, 3), calm())
		g.Expect(c.Earlier).To(BeZero())
		g.Expect(c.Moves).To(BeEmpty())
	})
}

// TestMovesAsComputed expects that a move that the formula computes is reported as predicted.
func TestMovesAsComputed(t *testing.T) {
	g := NewWithT(t)
	before, after := night(20, 5020*time.Millisecond, 3), night(21, 5025*time.Millisecond, 3)
	f := &after.Outcomes[0].Attempts[0].Result.Findings[0]
	f.Implemented = f.Implemented.With(
		formula.Term{
			Name:     "another version waits longer",
			Earliest: int64(3 * time.Second),
			Latest:   int64(3 * time.Second),
		},
	)
	f.Measured.Value += int64(3 * time.Second)
	c := series.Compare(before, after, series.History{})
	g.Expect(c.Moves).To(ConsistOf(gstruct.MatchFields(gstruct.IgnoreExtras, gstruct.Fields{
		"Claim": Equal("sigterm-to-death"), "AsPredicted": BeTrue(), "Predicted": Equal(int64(3 * time.Second)),
	})))
	g.Expect(c.Moves[0].Rest()).To(Equal(int64(5 * time.Millisecond)))

	f.Measured.Value -= int64(3 * time.Second)
	c = series.Compare(before, after, series.History{})
	g.Expect(c.Moves).To(ConsistOf(HaveField("AsPredicted", BeFalse())), "it should have moved, but did not")
}
