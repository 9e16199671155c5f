package reports

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gstruct"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
)

func TestComparisonIsRendered(t *testing.T) {
	g := NewWithT(t)
	before, after := twoSides()
	c := Compare(before, after, before20())
	for _, d := range directions {
		if d != Documentation {
			g.Expect(c.count(d)).To(BeNumerically(">", 0), "changes that are %s", d)
		}
	}
	g.Expect(c.unexplained()).NotTo(BeEmpty())
	for name, render := range map[string]func(*bytes.Buffer) error{
		"compare":          func(b *bytes.Buffer) error { return ComparisonText(b, c, Screen{}) },
		"compare-terminal": func(b *bytes.Buffer) error { return ComparisonText(b, c, Screen{Colour: true, Width: 90}) },
		"compare.md":       func(b *bytes.Buffer) error { return ComparisonMarkdown(b, c) },
		"compare.json":     func(b *bytes.Buffer) error { return ComparisonJSON(b, c) },
	} {
		var text bytes.Buffer
		g.Expect(render(&text)).To(Succeed())
		golden(t, name, text.Bytes())
	}
}

func TestComparisonOfTheSame(t *testing.T) {
	for _, h := range []History{{}, calm()} {
		g := NewWithT(t)
		c := Compare(fixture(), fixture(), h)
		g.Expect(c.ExitCode).To(Equal(ExitNoWorse), "a deviation that was there before is no change")
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
	only := func(r Run, id string) Run {
		r.Outcomes = slices.DeleteFunc(slices.Clone(r.Outcomes), func(o Outcome) bool { return o.Trial != id })
		return r
	}
	renamed := func(r Run, from, to string) Run {
		r.Outcomes = slices.Clone(r.Outcomes)
		for i := range r.Outcomes {
			if r.Outcomes[i].Subject == from {
				r.Outcomes[i].Subject = to
			}
		}
		return r
	}
	failed, cut := failedSetUp(), night(21, 5020*time.Millisecond, 3)
	for i := range cut.Outcomes[1:] {
		cut.Outcomes[1+i] = Outcome{
			Trial:    good.Outcomes[1+i].Trial,
			Subject:  clean,
			Verdict:  trial.Inconclusive,
			Why:      "it never ran: the run was interrupted",
			CutShort: true,
		}
	}
	for name, tt := range map[string]struct {
		before, after Run
		code          int
		reason        string
	}{
		"nothing":              {good, good, ExitNoWorse, "nothing got worse."},
		"better":               {worse, good, ExitNoWorse, "nothing got worse."},
		"worse":                {good, worse, ExitWorse, "1 verdict got worse: what was measured deviates and did not before."},
		"still bad":            {worse, worse, ExitNoWorse, "nothing got worse."},
		"interrupted":          {good, cut, ExitNoWorse, "nothing got worse; 2 verdicts no longer judged."},
		"a new trial deviates": {only(good, "termination/ignored-sigterm"), worse, ExitWorse, "1 verdict got worse: what was measured deviates and did not before."},
		"no trial in common":   {only(good, "termination/ignored-sigterm"), only(good, "probes/exec-liveness-fails"), ExitNotComparable, "the runs can't be compared: they have no trial in common."},
		"set-up failed":        {fixture(), failed, ExitNotComparable, "the runs can't be compared: of 18 verdicts in common both came to a judgement of none."},
		"another kubelet":      {good, renamed(worse, clean, "v1.37.0"), ExitWorse, "1 verdict got worse: what was measured deviates and did not before."},
		"several subjects, all of them other ones": {fixture(), renamed(renamed(fixture(), clean, "v1.37.0"), mutant, "v1.38.0"), ExitNotComparable,
			"the runs can't be compared: 20260302-095800 has v1.36.3, v1.36.3+resultrun-one, 20260302-095800 has v1.37.0, v1.38.0."},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := Compare(tt.before, tt.after, History{})
			g.Expect(c.Reason).To(Equal(tt.reason))
			g.Expect(c.ExitCode).To(Equal(tt.code))
		})
	}
}

func TestDirection(t *testing.T) {
	g := NewWithT(t)
	for _, tt := range []struct {
		was, now trial.Verdict
		want     Direction
	}{
		{trial.Conforms, trial.Conforms, ""},
		{trial.Deviates, trial.Deviates, ""},
		{trial.Conforms, trial.Divergent, Documentation},
		{trial.Divergent, trial.Conforms, Documentation},
		{trial.Conforms, trial.Deviates, Worse},
		{trial.Inconclusive, trial.Deviates, Worse},
		{notSelected, trial.Deviates, Worse},
		{notHeld, trial.Deviates, Worse},
		{trial.Deviates, trial.Divergent, Better},
		{trial.Deviates, trial.Inconclusive, NoLongerJudged},
		{trial.Conforms, trial.Unsupported, NoLongerJudged},
		{trial.Inconclusive, trial.Unsupported, NoLongerJudged},
		{trial.Inconclusive, trial.Conforms, JudgedNow},
		{trial.Unsupported, trial.Divergent, JudgedNow},
	} {
		g.Expect(direction(tt.was, tt.now)).To(Equal(tt.want), "%s to %s", tt.was, tt.now)
	}
}

// A trial that deviates on both sides got worse where another claim deviates.
func TestAnotherClaimDeviates(t *testing.T) {
	g := NewWithT(t)
	before, after := night(20, 7*time.Second, 3), night(21, 5020*time.Millisecond, 3)
	f := &after.Outcomes[0].Attempts[0].Result.Findings[1]
	f.Verdict, after.Outcomes[0].Verdict = trial.Deviates, trial.Deviates
	was := findings(before.Outcomes[0])
	g.Expect([]trial.Verdict{was[0].Verdict, before.Outcomes[0].Verdict}).To(HaveEach(trial.Deviates))
	before.Outcomes[0].Attempts[0].Result.Findings[1].Verdict = trial.Conforms
	c := Compare(before, after, History{})
	g.Expect(c.Changes).To(ConsistOf(gstruct.MatchFields(gstruct.IgnoreExtras, gstruct.Fields{
		"Direction": Equal(Worse), "Was": Equal(trial.Deviates), "Now": Equal(trial.Deviates), "Claims": HaveLen(2),
	})))
	g.Expect(c.ExitCode).To(Equal(ExitWorse))
}

func TestOnly(t *testing.T) {
	g := NewWithT(t)
	one, err := fixture().Only(mutant)
	g.Expect(err).NotTo(HaveOccurred())
	two, err := fixture().Only(clean)
	g.Expect(err).NotTo(HaveOccurred())
	c := Compare(two, one, History{})
	g.Expect(c.Pairs).To(Equal([]SubjectPair{{Before: clean, After: mutant}}))
	g.Expect(c.Trials).To(Equal(9))
	g.Expect(c.Changes).To(HaveLen(1), "the mutant is caught by one trial")
	g.Expect(c.Sides()).To(Equal("From v1.36.3 to v1.36.3+resultrun-one in run 20260302-095800"))
	g.Expect(c.ExitCode).To(Equal(ExitWorse))
	_, err = fixture().Only("v9.9.9")
	g.Expect(err).To(MatchError(`run 20260302-095800 has no subject "v9.9.9": it has v1.36.3, v1.36.3+resultrun-one`))
}

func TestPairs(t *testing.T) {
	g := NewWithT(t)
	of := func(names ...string) (r Run, all []string) {
		for _, name := range names {
			s := Subject{Name: name}
			if rest, virtual := strings.CutPrefix(name, "virtual:"); virtual {
				s.Lane, name = VirtualLane, rest
			}
			_, s.Mutation, _ = strings.Cut(name, "+")
			r.Subjects = append(r.Subjects, s)
		}
		return r, names
	}
	for _, tt := range []struct {
		before, after []string
		paired, alone []SubjectPair
	}{
		{[]string{"a", "b"}, []string{"b", "a"}, []SubjectPair{{"a", "a"}, {"b", "b"}}, nil},
		{[]string{"a", "b"}, []string{"a", "c"}, []SubjectPair{{"a", "a"}, {"b", "c"}}, nil},
		{[]string{"a", "b"}, []string{"a", "virtual:c"}, []SubjectPair{{"a", "a"}}, []SubjectPair{{Before: "b"}, {After: "virtual:c"}}},
		{[]string{"a", "a+x"}, []string{"a", "a+y"}, []SubjectPair{{"a", "a"}}, []SubjectPair{{Before: "a+x"}, {After: "a+y"}}},
		{[]string{"a"}, []string{"b"}, []SubjectPair{{"a", "b"}}, nil},
		{[]string{"a"}, []string{"virtual:a+x"}, []SubjectPair{{"a", "virtual:a+x"}}, nil},
		{[]string{"a"}, []string{"a", "b"}, []SubjectPair{{"a", "a"}}, []SubjectPair{{After: "b"}}},
		{[]string{"a", "b"}, []string{"c", "d"}, nil, []SubjectPair{{Before: "a"}, {Before: "b"}, {After: "c"}, {After: "d"}}},
		{nil, nil, nil, nil},
	} {
		before, was := of(tt.before...)
		after, is := of(tt.after...)
		paired, alone := pairs(before, after, was, is)
		g.Expect(paired).To(Equal(tt.paired), "%v %v", tt.before, tt.after)
		g.Expect(alone).To(Equal(tt.alone), "%v %v", tt.before, tt.after)
	}
}

func TestMovesAreToldFromChanceByHistory(t *testing.T) {
	before, after := night(20, 5020*time.Millisecond, 3), night(21, 5300*time.Millisecond, 3)
	claims := func(all []Move) (names []string) {
		for _, m := range all {
			names = append(names, m.Trial+" "+m.Claim)
		}
		return names
	}
	t.Run("without it the window is all that is known", func(t *testing.T) {
		NewWithT(t).Expect(Compare(before, after, History{}).Moves).To(BeEmpty())
	})
	t.Run("ten calm nights know better", func(t *testing.T) {
		g := NewWithT(t)
		c := Compare(before, after, calm())
		g.Expect(c.Earlier).To(Equal(10))
		g.Expect(claims(c.Moves)).
			To(ConsistOf("termination/ignored-sigterm sigterm-to-death", "termination/ignored-sigterm cue-to-death"))
		m := c.Moves[slices.IndexFunc(c.Moves, func(m Move) bool { return m.Claim == "sigterm-to-death" })]
		g.Expect(m.By()).To(Equal(int64(280 * time.Millisecond)))
		g.Expect(m.Predicted).To(BeZero())
		g.Expect(m.Earlier).To(Equal(10))
		g.Expect(m.Scatter).To(BeNumerically("<", 280*time.Millisecond))
		g.Expect(c.ExitCode).To(Equal(ExitNoWorse), "it is still as the code computes")
	})
	t.Run("one wild night among them is enough", func(t *testing.T) {
		h := NewHistorian(MostRuns)
		for n := 10; n < 20; n++ {
			left := 5020 * time.Millisecond
			if n == 15 {
				left = 5310 * time.Millisecond
			}
			h.Add(night(n, left, 3))
		}
		NewWithT(t).Expect(Compare(before, after, h.History()).Moves).To(BeEmpty())
	})
	t.Run("what the node kept waiting is taken off", func(t *testing.T) {
		g := NewWithT(t)
		waited := night(21, 5300*time.Millisecond, 3)
		for i := range findings(waited.Outcomes[0]) {
			waited.Outcomes[0].Attempts[0].Result.Findings[i].Delay = 300 * time.Millisecond
		}
		g.Expect(Compare(before, waited, calm()).Moves).To(BeEmpty())
	})
	t.Run("later nights and other subjects are no history", func(t *testing.T) {
		g := NewWithT(t)
		c := Compare(night(1, 5020*time.Millisecond, 3), night(2, 5300*time.Millisecond, 3), calm())
		g.Expect(c.Earlier).To(BeZero())
		g.Expect(c.Moves).To(BeEmpty())
	})
}

// What the formula computes otherwise is no move of its own, and is told as what it is.
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
	c := Compare(before, after, History{})
	g.Expect(c.Moves).To(ConsistOf(gstruct.MatchFields(gstruct.IgnoreExtras, gstruct.Fields{
		"Claim": Equal("sigterm-to-death"), "AsPredicted": BeTrue(), "Predicted": Equal(int64(3 * time.Second)),
	})))
	g.Expect(c.Moves[0].Rest()).To(Equal(int64(5 * time.Millisecond)))

	f.Measured.Value -= int64(3 * time.Second)
	c = Compare(before, after, History{})
	g.Expect(c.Moves).To(ConsistOf(HaveField("AsPredicted", BeFalse())), "it should have moved, and did not")
}
