package fuzz

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/fuzz/internal/scenario"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// decided is a node whose outcomes the test decides.
type decided func(trial.Trial) (trial.Outcome, error)

func (r decided) Run(_ context.Context, t trial.Trial) (trial.Outcome, error) { return r(t) }

// ending returns an outcome of one attempt whose only finding has this verdict.
func ending(v trial.Verdict, f trial.Finding) trial.Outcome {
	f.Verdict = v
	return trial.Outcome{
		Verdict: v,
		Attempts: []trial.Attempt{
			{Virtual: time.Minute, Result: trial.Result{Verdict: v, Findings: []trial.Finding{f}}},
		},
	}
}

func grace(t trial.Trial) int64 { return *t.Pod.Spec.TerminationGracePeriodSeconds }

// tooLong is a kubelet that deletes ten seconds late if the grace period is above seven seconds. Above 100 seconds its
// outcome is inconclusive.
func tooLong(t trial.Trial) (trial.Outcome, error) {
	if t.ID != "random/delete" {
		return ending(trial.Conforms, trial.Finding{}), nil
	}
	f := trial.Finding{Claim: "sigterm-to-death", Formula: formula.Remainder.ID}
	f.Implemented = formula.Window{Unit: formula.Nanoseconds}.With(
		formula.Term{Name: "grace", Earliest: 0, Latest: int64(time.Second)},
	)
	f.Measured = &trial.Measured{Unit: formula.Nanoseconds, Value: int64(11 * time.Second)}
	switch g := grace(t); {
	case g > 100:
		f.Why = "the pod took 17.3 s to start"
		return ending(trial.Inconclusive, f), nil
	case g > 7:
		f.Why = "11.000 s, 10.000 s above [0.000 s, 1.000 s]"
		return ending(trial.Deviates, f), nil
	}
	return ending(trial.Divergent, f), nil
}

func campaign(r decided, change func(*Campaign)) Report {
	c := Campaign{Runner: r, Seed: 1, Scenarios: 1000, AtOnce: 4, Shrinking: 20 * time.Second}
	if change != nil {
		change(&c)
	}
	return c.Run(context.Background())
}

// A campaign finds each kind of violation once, shrinks it without changing its kind, and can draw it again by its
// seed. It runs one scenario at a time, because it shrinks the violation that comes first: seed 9 shrinks to a grace
// period of 8 s, seed 17 to 90 s, the smallest of its list.
func TestCampaignFindsAndShrinks(t *testing.T) {
	g := gomega.NewWithT(t)
	r := campaign(tooLong, func(c *Campaign) { c.AtOnce = 1 })
	g.Expect(r.Kinds()).
		To(gomega.Equal([]string{"inconclusive: the pod took # s to start", "termination/remainder above in delete"}))
	late, unjudged := r.Violations["termination/remainder above in delete"],
		r.Violations["inconclusive: the pod took # s to start"]
	g.Expect(grace(late.trial)).To(gomega.Equal(int64(8)), "the smallest that fails\n%s", late)
	g.Expect(grace(unjudged.trial)).To(gomega.Equal(int64(125)))
	g.Expect(late.trial.Pod.Spec.Containers).To(gomega.HaveLen(1))
	g.Expect(late.trial.Pod.Spec.Containers[0].Lifecycle).To(gomega.BeNil(),
		"shrinking removes everything that has no part in it")
	g.Expect(late.Again).To(gomega.Equal(Repeats))
	g.Expect(late.Times).To(gomega.BeNumerically(">", 5))
	g.Expect(late.Others).NotTo(gomega.BeEmpty())
	g.Expect(r.Scenarios).To(gomega.Equal(1000))
	g.Expect(r.Verdicts[trial.Deviates]).To(gomega.Equal(late.Times))
	g.Expect(r.Virtual).To(gomega.Equal(1000 * time.Minute))

	again := campaign(tooLong, func(c *Campaign) { c.Seed, c.Scenarios = late.Seed, 1 })
	g.Expect(again.Kinds()).To(gomega.Equal([]string{"termination/remainder above in delete"}))
	g.Expect(again.Violations["termination/remainder above in delete"].Scenario).To(gomega.Equal(late.Scenario))
	g.Expect(late.Measured).To(gomega.Equal("11.000 s"))
	g.Expect(late.Window).To(gomega.Equal("[0.000 s, 1.000 s]"))
	g.Expect(late.Scenario).
		To(gomega.And(gomega.ContainSubstring("terminationGracePeriodSeconds: 8\n"),
			gomega.ContainSubstring("- formula: termination/remainder\n  id: sigterm-to-death\n")))
	g.Expect(late.Verdict).To(gomega.Equal(trial.Deviates))
	g.Expect(unjudged.Verdict).To(gomega.Equal(trial.Inconclusive))
}

// A seed draws the same scenario however many run at the same time.
func TestCampaignDrawsBySeed(t *testing.T) {
	g := gomega.NewWithT(t)
	well := func(trial.Trial) (trial.Outcome, error) { return ending(trial.Conforms, trial.Finding{}), nil }
	one, four := campaign(well, func(c *Campaign) { c.AtOnce = 1 }), campaign(well, nil)
	g.Expect(four.Violations).To(gomega.BeEmpty())
	g.Expect(four.Tags).To(gomega.Equal(one.Tags))
	other := campaign(well, func(c *Campaign) { c.Seed = 9999 })
	g.Expect(other.Tags).NotTo(gomega.Equal(one.Tags))
	g.Expect(four.Scenarios).To(gomega.Equal(1000))
	g.Expect(four.Verdicts).To(gomega.Equal(map[trial.Verdict]int{trial.Conforms: 1000}))
	for _, family := range scenario.Families() {
		g.Expect(four.Tags["family "+family]).To(gomega.BeNumerically(">", 0), family)
	}
}

func TestCampaignEndings(t *testing.T) {
	for name, c := range map[string]struct {
		runner decided
		kind   string
	}{
		"a node that dies": {func(trial.Trial) (trial.Outcome, error) {
			return trial.Outcome{Verdict: trial.Inconclusive}, errors.New("the virtual node died after 12.5 s")
		}, "error: the virtual node died after # s"},
		"a trial that never ran": {func(trial.Trial) (trial.Outcome, error) {
			return trial.Outcome{Verdict: trial.Inconclusive, Why: "no place for 3 of them"}, nil
		}, "never ran: no place for # of them"},
		"doubts": {func(trial.Trial) (trial.Outcome, error) {
			return trial.Outcome{Verdict: trial.Inconclusive,
				Attempts: []trial.Attempt{{Result: trial.Result{Doubts: []string{"2 marks are missing"}}}}}, nil
		}, "inconclusive: # marks are missing"},
		"a doubtful deviation": {func(trial.Trial) (trial.Outcome, error) {
			return trial.Outcome{Verdict: trial.Deviates,
				Attempts: []trial.Attempt{{Result: trial.Result{Doubts: []string{"2 marks are missing"}}}}}, nil
		}, "deviates: # marks are missing"},
		"no verdict": {func(trial.Trial) (trial.Outcome, error) { return trial.Outcome{}, nil },
			`harness: verdict ""`},
		"a verdict of another time": {func(trial.Trial) (trial.Outcome, error) {
			return ending("splendid", trial.Finding{}), nil
		}, `harness: verdict "splendid"`},
		"a deviation of nothing": {func(trial.Trial) (trial.Outcome, error) {
			return trial.Outcome{Verdict: trial.Deviates}, nil
		}, "never ran: "},
		"a runner that panics": {func(trial.Trial) (trial.Outcome, error) {
			panic("node 7 at 0xc0001f00")
		}, "harness: running it panicked: node # at #"},
		"unsupported": {func(trial.Trial) (trial.Outcome, error) {
			return trial.Outcome{Verdict: trial.Unsupported, Why: "no such field"}, nil
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			r := campaign(c.runner, func(c *Campaign) { c.Scenarios, c.Shrinking = 3, time.Second })
			if c.kind == "" {
				g.Expect(r.Violations).To(gomega.BeEmpty())
				return
			}
			g.Expect(r.Kinds()).To(gomega.Equal([]string{c.kind}))
			g.Expect(r.Violations[c.kind].Times).To(gomega.Equal(3))
			g.Expect(r.Scenarios).To(gomega.Equal(3))
		})
	}
}

// A campaign ends after enough kinds of violations or with its context.
func TestCampaignStops(t *testing.T) {
	g := gomega.NewWithT(t)
	r := campaign(tooLong, func(c *Campaign) { c.Kinds, c.AtOnce = 1, 1 })
	g.Expect(r.Scenarios).To(gomega.BeNumerically("<", 300))
	g.Expect(r.Kinds()).To(gomega.HaveLen(1))

	ctx, cancel := context.WithCancel(context.Background())
	ran := 0
	var found []string
	most := 0
	r = Campaign{
		Scenarios: 400,
		AtOnce:    1,
		Seed:      1,
		Shrinking: time.Second,
		Ran:       func(scenarios, _ int) { most = max(most, scenarios) },
		Found:     func(v Violation) { found = append(found, v.Kind) },
		Runner: decided(func(trial.Trial) (trial.Outcome, error) {
			if ran++; ran == 20 {
				cancel()
			}
			return ending(trial.Deviates, trial.Finding{Formula: "a/b"}), nil
		}),
	}.Run(ctx)
	g.Expect(r.Scenarios).To(gomega.BeNumerically("<", 20))
	g.Expect(most).To(gomega.Equal(r.Scenarios))
	g.Expect(found).To(gomega.ContainElement(gomega.HavePrefix("a/b never in ")))
}

// The same formula can be missed for different reasons in different families.
func TestCampaignSeparatesFamilies(t *testing.T) {
	g := gomega.NewWithT(t)
	r := campaign(func(tr trial.Trial) (trial.Outcome, error) {
		if tr.ID == "random/delete" || tr.ID == "random/sidecars" {
			return ending(trial.Deviates, trial.Finding{Formula: "a/b", Why: "it did not come"}), nil
		}
		return ending(trial.Conforms, trial.Finding{}), nil
	}, func(c *Campaign) { c.Scenarios, c.Shrinking = 200, 3*time.Second })
	g.Expect(r.Kinds()).To(gomega.Equal([]string{"a/b never in delete", "a/b never in sidecars"}))
	for _, family := range []string{"delete", "sidecars"} {
		v := r.Violations["a/b never in "+family]
		g.Expect(v.trial.ID).To(gomega.Equal("random/"+family), "a scenario shrinks within its family")
		g.Expect(v.Times).To(gomega.Equal(r.Tags["family "+family]))
	}
}
