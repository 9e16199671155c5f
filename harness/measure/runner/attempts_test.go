package runner

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/trial"
)

func TestRunFromWaitingToDone(t *testing.T) {
	g := NewWithT(t)
	var phases []Phase
	all := NewSelections(func(s State) { phases = append(phases, s.Phase) })
	r := all.Add(Selection{Trial: trial.Trial{ID: "a/b", About: "About."}, Subject: "s"})
	g.Expect(all.States()[0].Phase).To(Equal(Waiting))
	g.Expect(all.Outcomes()[0].Why).To(Equal("it never ran"))
	var numbers []int
	r.Repeat(t.Context(), 3, func(number int) (p Completed) {
		numbers = append(numbers, number)
		r.Begin(number)
		g.Expect(all.States()[0]).To(And(HaveField("Phase", Starting), HaveField("Attempt", number)))
		r.Started()
		g.Expect(all.States()[0].Phase).To(Equal(Running))
		p.Result.Verdict = trial.Inconclusive
		if number == 2 {
			finding := trial.Finding{Claim: "c", Verdict: trial.Deviates, Why: "late"}
			p.Result = trial.Result{Verdict: trial.Deviates, Findings: []trial.Finding{finding}}
		}
		return p
	})
	r.Finish()
	g.Expect(numbers).To(Equal([]int{1, 2}), "until an attempt is conclusive")
	g.Expect(phases).To(Equal([]Phase{Waiting, Starting, Running, Starting, Running, Done}))
	g.Expect(all.States()[0]).
		To(And(HaveField("Phase", Done), HaveField("Verdict", trial.Deviates), HaveField("Why", "c: late")))
	o, err := all.Await(t.Context(), "a/b", "s")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o.Verdict).To(Equal(trial.Deviates))
	g.Expect(o.Attempts).To(HaveLen(2))
}

func TestAttemptsEnd(t *testing.T) {
	over, stop := context.WithCancel(t.Context())
	stop()
	for name, c := range map[string]struct {
		ctx      context.Context
		played   Completed
		verdict  trial.Verdict
		attempts int
	}{
		"with the last one":  {t.Context(), Completed{Why: "cut"}, trial.Inconclusive, 3},
		"with the context":   {over, Completed{Why: "cut"}, trial.Inconclusive, 1},
		"without an attempt": {t.Context(), Completed{Why: "no", Skipped: trial.Unsupported}, trial.Unsupported, 0},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			all := NewSelections(nil)
			c.played.Result.Verdict = trial.Inconclusive
			r := all.Add(Selection{Subject: "s"})
			open := r.Repeat(c.ctx, 3, func(int) Completed { return c.played })
			g.Expect(open).To(Equal(c.attempts == 3))
			r.Finish()
			o := all.Outcomes()[0]
			g.Expect(o.Verdict).To(Equal(c.verdict))
			g.Expect(o.Why).To(Equal(c.played.Why))
			g.Expect(o.Attempts).To(HaveLen(c.attempts))
			g.Expect(all.States()[0].Verdict).To(Equal(c.verdict))
		})
	}
}

// A trial that is open after its first attempts waits for others. They are judged together.
func TestAttemptsThatGoOn(t *testing.T) {
	g := NewWithT(t)
	all := NewSelections(nil)
	r := all.Add(Selection{Trial: trial.Trial{ID: "a/b"}, Subject: "s"})
	attempt := func(number int) (p Completed) {
		r.Begin(number)
		p.Result.Verdict = trial.Inconclusive
		if number == 4 {
			p.Result.Verdict = trial.Conforms
		}
		return p
	}
	g.Expect(r.Repeat(t.Context(), 3, attempt)).To(BeTrue())
	g.Expect(all.States()[0]).To(And(HaveField("Phase", Waiting), HaveField("Attempt", 3)))
	g.Expect(r.Repeat(t.Context(), 5, attempt)).To(BeFalse())
	r.Finish()
	g.Expect(all.States()[0]).To(And(HaveField("Phase", Done), HaveField("Verdict", trial.Conforms)))
	g.Expect(all.Outcomes()[0].Attempts).To(HaveLen(4))
}

func TestAwaitOfAMissingMark(t *testing.T) {
	g := NewWithT(t)
	all := NewSelections(nil)
	all.Add(Selection{Trial: trial.Trial{ID: "a/b"}, Subject: "s"})
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupted"))
	_, err := all.Await(ctx, "a/b", "s")
	g.Expect(err).To(MatchError("wait for trial a/b on s: interrupted"))
	_, err = all.Await(t.Context(), "a/b", "another")
	g.Expect(err).To(MatchError("trial a/b was not started on another"))
}

func TestOutcomesAreInOrder(t *testing.T) {
	g := NewWithT(t)
	all := NewSelections(nil)
	short, long := trial.Trial{ID: "a/short", Lasts: time.Second}, trial.Trial{ID: "a/long", Lasts: time.Minute}
	ordered := LongestFirst([]Selection{{short, "b"}, {long, "b"}, {short, "a"}})
	g.Expect(ordered[0].Trial.ID).To(Equal("a/long"))
	for _, s := range ordered {
		all.Add(s).Conclude(trial.Unsupported, "no")
	}
	var names []string
	for _, o := range all.Outcomes() {
		names = append(names, o.Subject+" "+o.Trial)
	}
	g.Expect(names).To(Equal([]string{"a a/short", "b a/long", "b a/short"}))
}
