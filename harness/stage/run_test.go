package stage

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/trial"
)

func TestRunFromWaitingToDone(t *testing.T) {
	g := NewWithT(t)
	all := Runs{}
	r := all.Add(Selection{Trial: trial.Trial{ID: "a/b", About: "About."}, Subject: "s"})
	g.Expect(all.States()[0].Phase).To(Equal(Waiting))
	g.Expect(all.Outcomes()[0].Why).To(Equal("it never ran"))
	r.Begin(2)
	g.Expect(all.States()[0].Phase).To(Equal(Starting))
	g.Expect(all.States()[0].Attempt).To(Equal(2))
	r.Started()
	g.Expect(all.States()[0].Phase).To(Equal(Running))
	r.Keep(
		trial.Attempt{
			Result: trial.Result{
				Verdict:  trial.Deviates,
				Findings: []trial.Finding{{Claim: "c", Verdict: trial.Deviates, Why: "late"}},
			},
		},
		"",
	)
	r.End()
	r.Finish()
	g.Expect(all.States()[0]).
		To(And(HaveField("Phase", Done), HaveField("Verdict", trial.Deviates), HaveField("Why", "c: late")))
	o, err := all.Await(t.Context(), "a/b", "s")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o.Verdict).To(Equal(trial.Deviates))
	g.Expect(o.Attempts).To(HaveLen(1))
}

func TestAwaitOfWhatDoesNotCome(t *testing.T) {
	g := NewWithT(t)
	all := Runs{}
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
	all := Runs{}
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
