package reports

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gstruct"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
)

// night is the run of one night, of three trials on the clean kubelet: how long the process lived after its signal, and how many failing probes its second
// life saw. The judge's verdicts of them are conforms but for another count than three, and but for a time outside 4.9 to 5.5 s.
func night(n int, left time.Duration, probes int) Run {
	r := fixture()
	r.ID, r.Started = fmt.Sprintf("202603%02d-220000", n), time.Date(2026, time.March, n, 22, 0, 0, 0, time.UTC)
	r.Ready, r.Reported, r.Profile = r.Started.Add(time.Minute), r.Started.Add(4*time.Minute), "quick"
	r.Subjects = r.Subjects[:1]
	r.Outcomes = []Outcome{
		outcome(clean, "termination/ignored-sigterm", 9*time.Second, killed("ignored", left)),
		outcome(clean, "probes/exec-liveness-fails", 20*time.Second, failing("failing", probes)),
		outcome(clean, "termination/grace-of-one-second", 6*time.Second, killed("grace", 2034*time.Millisecond)),
	}
	return r
}

// nights is the history of some.
func nights(all ...Run) History {
	h := NewHistorian(MostRuns)
	for _, r := range all {
		h.Add(r)
	}
	return h.History()
}

// calm are the nights before the 20th: what was measured scatters by no more than ten milliseconds.
func calm() History {
	var all []Run
	for n := 10; n < 20; n++ {
		all = append(all, night(n, 5020*time.Millisecond+time.Duration(n%3)*5*time.Millisecond, 3))
	}
	return nights(all...)
}

// twoSides are two runs between which everything changes that can: a trial deviates that did not, another one no more, one is judged now and one no longer, one
// comes and one goes, a value moves, and so does the host.
func twoSides() (before, after Run) {
	without := func(r Run, id string) Run {
		r.Outcomes = slices.DeleteFunc(slices.Clone(r.Outcomes), func(o Outcome) bool { return o.Trial == id })
		return r
	}
	before, after = without(fixture(), "termination/exits-on-sigterm"), without(fixture(), "probes/flapping")
	after.ID, after.Started = "20260303-095800", before.Started.Add(24*time.Hour)
	after.Ready, after.Reported = before.Ready.Add(24*time.Hour), before.Reported.Add(24*time.Hour)
	after.Environment.Podclock, after.Environment.Kernel = "ba9876543210", "6.13.0"
	after.Environment.Components = map[string]string{"containerd": "v2.3.4"}
	after.Environment.Settings = map[string]string{"PROFILE": "full"}
	for i, o := range after.Outcomes {
		switch {
		case o.Trial == "termination/ignored-sigterm" && o.Subject == clean:
			after.Outcomes[i] = outcome(clean, o.Trial, 9*time.Second, killed("ignored", 7*time.Second))
		case o.Trial == "termination/ignored-sigterm":
			after.Outcomes[i] = outcome(mutant, o.Trial, 9*time.Second, killed("ignored", 5400*time.Millisecond))
		case o.Trial == "probes/exec-liveness-fails" && o.Subject == mutant:
			after.Outcomes[i] = outcome(mutant, o.Trial, 20*time.Second, failing("failing", 3))
		case o.Trial == "termination/hook-over-http" && o.Subject == clean:
			after.Outcomes[i] = outcome(clean, o.Trial, 15*time.Second, killed("hooked", 10020*time.Millisecond))
		case o.Trial == "termination/grace-of-one-second" && o.Subject == clean:
			after.Outcomes[i] = Outcome{Trial: o.Trial, About: o.About, Subject: o.Subject, Verdict: trial.Inconclusive, Why: "its pod was never scheduled"}
		}
	}
	return before, after
}

// before20 is a history in which the mutant's kill scatters little, too.
func before20() History {
	var all []Run
	for n := range 6 {
		r := fixture()
		r.ID, r.Started = fmt.Sprintf("202602%02d-095800", 10+n), r.Started.Add(time.Duration(n-20)*24*time.Hour)
		r.Outcomes = slices.DeleteFunc(slices.Clone(r.Outcomes), func(o Outcome) bool { return o.Trial == "termination/exits-on-sigterm" })
		for i, o := range r.Outcomes {
			if o.Trial == "termination/ignored-sigterm" {
				r.Outcomes[i] = outcome(o.Subject, o.Trial, 9*time.Second, killed("ignored", 5020*time.Millisecond+time.Duration(n)*time.Millisecond))
			}
		}
		all = append(all, r)
	}
	return nights(all...)
}

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
	failed := failedSetUp()
	for name, tt := range map[string]struct {
		before, after Run
		code          int
		reason        string
	}{
		"nothing":              {good, good, ExitNoWorse, "nothing got worse."},
		"better":               {worse, good, ExitNoWorse, "nothing got worse."},
		"worse":                {good, worse, ExitWorse, "1 trial got worse: what was measured deviates and did not before."},
		"still bad":            {worse, worse, ExitNoWorse, "nothing got worse."},
		"a new trial deviates": {only(good, "termination/ignored-sigterm"), worse, ExitWorse, "1 trial got worse: what was measured deviates and did not before."},
		"no trial in common":   {only(good, "termination/ignored-sigterm"), only(good, "probes/exec-liveness-fails"), ExitNotComparable, "the runs can't be compared: they have no trial in common."},
		"set-up failed":        {fixture(), failed, ExitNotComparable, "the runs can't be compared: of 18 verdicts in common both came to a judgement of none."},
		"another kubelet":      {good, renamed(worse, clean, "v1.37.0"), ExitWorse, "1 trial got worse: what was measured deviates and did not before."},
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
		g.Expect(claims(c.Moves)).To(ConsistOf("termination/ignored-sigterm sigterm-to-death", "termination/ignored-sigterm cue-to-death"))
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
			waited.Outcomes[0].Attempts[0].Result.Findings[i].Noise = 300 * time.Millisecond
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
	f.Implemented = f.Implemented.With(formula.Term{Name: "another version waits longer", Earliest: int64(3 * time.Second), Latest: int64(3 * time.Second)})
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
