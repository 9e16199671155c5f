package mutants

import (
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/harness/rules/formula"
)

// finding is a claim that measured this many seconds. The code computes one to two, and the documentation
// promises three to four.
func finding(claim, formulaID string, measured int, v trial.Verdict) trial.Finding {
	second := int64(time.Second)
	documented := formula.Window{Unit: formula.Nanoseconds, Earliest: 3 * second, Latest: 4 * second}
	return trial.Finding{
		Claim:      claim,
		Formula:    formulaID,
		Verdict:    v,
		Why:        "so it is",
		Documented: &documented,
		Measured:   &trial.Measured{Unit: formula.Nanoseconds, Value: int64(measured) * second},
		Implemented: formula.Window{
			Unit:     formula.Nanoseconds,
			Earliest: second,
			Latest:   2 * second,
			Terms:    []formula.Term{{Name: "all of it", Earliest: second, Latest: 2 * second}},
		},
	}
}

// never is such a claim whose value never came.
func never(claim, formulaID string) trial.Finding {
	f := finding(claim, formulaID, 0, trial.Deviates)
	f.Measured = nil
	return f
}

// vacuous is such a claim whose formula computed a window that ends before it begins.
func vacuous(claim, formulaID string) trial.Finding {
	f := finding(claim, formulaID, 9, trial.Deviates)
	f.Implemented.Latest = f.Implemented.Earliest - int64(time.Second)
	return f
}

// came is a trial's outcome with the worst verdict of its findings.
func came(id string, findings ...trial.Finding) trial.Outcome {
	o := trial.Outcome{Trial: id, Verdict: trial.Conforms}
	for _, f := range findings {
		o.Verdict = trial.Worse(o.Verdict, f.Verdict)
	}
	o.Attempts = []trial.Attempt{
		{Result: trial.Result{Verdict: trial.Inconclusive}},
		{Result: trial.Result{Verdict: o.Verdict, Findings: findings}},
	}
	return o
}

func lost(id, why string) trial.Outcome {
	return trial.Outcome{Trial: id, Verdict: trial.Inconclusive, Why: why}
}

func unsupported(id string) trial.Outcome {
	return trial.Outcome{Trial: id, Verdict: trial.Unsupported, Why: "no such feature"}
}

// The results of the references: a and b conform, c is divergent, d deviates, e cannot be judged, f is
// unsupported.
func known() references {
	c := references{}
	for range 2 {
		c.add([]trial.Outcome{
			came("a", finding("x", "f/own", 1, trial.Conforms), finding("y", "f/other", 2, trial.Conforms)),
			came("b", finding("x", "f/other", 1, trial.Conforms)),
			came("c", finding("x", "f/own", 2, trial.Divergent)),
			came("d", finding("x", "f/own", 9, trial.Deviates)),
			lost("e", "the node died"),
			unsupported("f"),
		})
	}
	return c
}

func TestWhatKillsAMutant(t *testing.T) {
	own, repairs := mutation.Mutation{Name: "m", Formula: "f/own"}, mutation.Mutation{
		Name:    "m",
		Formula: "f/own",
		Repairs: true,
	}
	good := []trial.Outcome{
		came("a", finding("x", "f/own", 1, trial.Conforms), finding("y", "f/other", 2, trial.Conforms)),
		came("b", finding("x", "f/other", 1, trial.Conforms)),
		came("c", finding("x", "f/own", 2, trial.Divergent)),
		unsupported("f"),
	}
	but := func(o ...trial.Outcome) []trial.Outcome {
		all := append([]trial.Outcome{}, o...)
		for _, g := range good {
			if g.Trial != o[0].Trial {
				all = append(all, g)
			}
		}
		return all
	}
	for name, tt := range map[string]struct {
		m        mutation.Mutation
		outcomes []trial.Outcome
		verdict  mutationtest.Status
		by       []string
		disputed []string
		why      string
	}{
		"a deviation": {own, but(came("b", finding("x", "f/other", 5, trial.Deviates))),
			mutationtest.Killed, []string{"b x"}, nil, ""},
		"several, its own formula first": {own, but(came("b", finding("x", "f/other", 90, trial.Deviates)),
			came("a", finding("x", "f/own", 3, trial.Deviates))), mutationtest.Killed, []string{"a x", "b x"}, nil, ""},
		"nothing": {own, good, mutationtest.Survived, nil, nil,
			"3 trials with 4 claims, 2 for f/own"},
		"nothing, and nothing measures it": {mutation.Mutation{Formula: "f/none"}, good, mutationtest.Survived, nil,
			nil, "none for f/none"},
		"a divergence is no deviation": {own, but(came("a", finding("x", "f/own", 1, trial.Divergent))),
			mutationtest.Survived, nil, nil, ""},
		"also a deviation of the reference": {own, but(came("d", finding("x", "f/own", 7, trial.Deviates))),
			mutationtest.Undecided, nil, []string{"d x"}, "the reference deviates as well"},
		"the reference is not judged": {own, but(came("e", finding("x", "f/own", 7, trial.Deviates))),
			mutationtest.Undecided, nil, []string{"e x"}, "could not be judged: the node died"},
		"the reference never met it": {own, but(came("z", finding("x", "f/own", 7, trial.Deviates))),
			mutationtest.Undecided, nil, []string{"z x"}, "never met"},
		"one that counts beside one that not": {own, but(came("d", finding("x", "f/own", 7, trial.Deviates)),
			came("b", finding("x", "f/other", 5,
				trial.Deviates))), mutationtest.Killed, []string{"b x"}, []string{"d x"},
			""},
		"a trial that could not be judged": {own, but(lost("a", "it froze")), mutationtest.Undecided, nil, nil,
			"1 of its trials could not be judged, a among them: it froze"},
		"open on the reference as well": {own, but(lost("e", "the node died")), mutationtest.Survived, nil, nil,
			""},
		"unsupported on the mutant alone": {own, but(unsupported("a")), mutationtest.Undecided, nil, nil,
			"unsupported, but not on the reference"},
		"a trial that froze, and a kill": {own,
			but(lost("a", "it froze"), came("b", finding("x", "f/other", 5, trial.Deviates))), mutationtest.Killed,
			[]string{"b x"}, nil, ""},
		"it never ran": {own, nil, mutationtest.Undecided, nil, nil, "it never ran"},
		"the divergence is gone": {repairs, but(came("c", finding("x", "f/own", 3, trial.Conforms))),
			mutationtest.Killed, []string{"c x"}, nil, ""},
		"gone, outside what the code has": {repairs, but(came("c", finding("x", "f/own", 4, trial.Deviates))),
			mutationtest.Killed, []string{"c x"}, nil, ""},
		"neither as released nor as documented": {repairs, but(came("c", finding("x", "f/own", 9, trial.Deviates))),
			mutationtest.Survived, nil, nil, "3 trials with 4 claims"},
		"what is documented never came": {repairs, but(came("c", never("x", "f/own"))), mutationtest.Survived, nil,
			nil, "3 trials with 4 claims"},
		"an empty window": {own, but(came("b", vacuous("x", "f/other"))), mutationtest.Undecided,
			nil, nil, "the window of x is empty, 1.000 s to 0.000 s: f/other can't say"},
		"one that is not beside it": {own,
			but(came("a", vacuous("x", "f/own"), finding("y", "f/other", 9, trial.Deviates))), mutationtest.Killed,
			[]string{"a y"}, nil, ""},
		"the divergence remains": {repairs, good, mutationtest.Survived, nil, nil, ""},
		"it breaks something else instead": {repairs, but(came("b", finding("x", "f/other", 5, trial.Deviates))),
			mutationtest.Survived, nil, nil, ""},
		"conforming is no kill of a mutant": {own, but(came("c", finding("x", "f/own", 3, trial.Conforms))),
			mutationtest.Survived, nil, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			judged := judgeMutant(tt.m, "v1.36.3", tt.outcomes, known())
			g.Expect(judged.Verdict).To(Equal(tt.verdict), judged.Why)
			g.Expect(names(judged.Kills)).To(Equal(tt.by))
			g.Expect(names(judged.Disputed)).To(Equal(tt.disputed))
			g.Expect(judged.Why).To(ContainSubstring(tt.why))
			g.Expect(judged.Why == "").
				To(Equal(tt.verdict == mutationtest.Killed), "every verdict but a kill has a reason: %s", judged.Why)
		})
	}
}

func names(kills []mutationtest.Kill) (all []string) {
	for _, c := range kills {
		all = append(all, c.Trial+" "+c.Claim)
	}
	return all
}

func TestAKillHasWhatWasMeasured(t *testing.T) {
	g := NewWithT(t)
	second := int64(time.Second)
	deviating := finding("x", "f/own", 5, trial.Deviates)
	deviating.Diagnosis = &trial.Diagnosis{Name: "as was", Reference: "kubernetes#1"}
	judged := judgeMutant(mutation.Mutation{Formula: "f/own"}, "v1.36.3",
		[]trial.Outcome{came("a", deviating, finding("y", "f/other", 9, trial.Deviates))}, known())
	five, one := 5*second, second
	g.Expect(judged.Kills).To(Equal([]mutationtest.Kill{
		{
			Trial:     "a",
			Claim:     "x",
			Formula:   "f/own",
			Own:       true,
			Verdict:   trial.Deviates,
			Measured:  &five,
			Usual:     &one,
			Window:    formula.Window{Unit: formula.Nanoseconds, Earliest: second, Latest: 2 * second},
			Miss:      3 * second,
			Diagnosis: deviating.Diagnosis,
			Why:       "so it is",
			Claims:    2,
		},
	}), "the clearest claim of the trial, and how many there are")

	repairs := mutation.Mutation{Formula: "f/own", Repairs: true}
	judged = judgeMutant(repairs, "v1.36.3", []trial.Outcome{came("c", finding("x", "f/own", 3, trial.Conforms))},
		known())
	g.Expect(judged.Kills[0].Window.Earliest).To(Equal(3*second), "what is documented")
	g.Expect(judged.Kills[0].Miss).To(Equal(-second), "how far the reference is from it")

	judged = judgeMutant(repairs, "v1.36.3", []trial.Outcome{came("c", finding("x", "f/own", 4, trial.Deviates))},
		known())
	g.Expect(judged.Kills[0].Verdict).To(Equal(trial.Deviates))
	g.Expect(judged.Kills[0].Repaired).To(BeTrue())
	g.Expect(judged.Kills[0].Window.Earliest).
		To(Equal(3*second), "the distance to the documented window, even if the value is outside the implemented one")
	g.Expect(judged.Kills[0].Miss).To(Equal(-second))
	g.Expect(judged.Kills[0].Why).To(Equal("4.000 s, as documented; the reference has 2.000 s"))

	judged = judgeMutant(mutation.Mutation{}, "v1.36.3", []trial.Outcome{came("a", never("x", "f/own"))}, known())
	g.Expect(judged.Kills[0].Measured).To(BeNil())
	g.Expect(judged.Kills[0].Own).To(BeFalse(), "the mutation names no formula")
}

// A trial's diagnosis with the mutant's own report counts, whichever claim has it.
func TestAKillIsCalledByTheMutantsOwnName(t *testing.T) {
	diagnosed := func(claim string, measured int, reference string) trial.Finding {
		f := finding(claim, "f/other", measured, trial.Deviates)
		f.Diagnosis = &trial.Diagnosis{Name: "as was", Reference: reference}
		return f
	}
	for name, tt := range map[string]struct{ reference, clearest, other, want string }{
		"its own second": {"kubernetes#2", "kubernetes#1", "kubernetes#2", "kubernetes#2"},
		"its own among others": {"kubernetes#2", "kubernetes#1", "kubernetes#3, kubernetes#2",
			"kubernetes#3, kubernetes#2"},
		"no part of a number": {"kubernetes#1158", "kubernetes#1", "kubernetes#115817", "kubernetes#1"},
		"it has none":         {"", "kubernetes#1", "kubernetes#2", "kubernetes#1"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			judged := judgeMutant(mutation.Mutation{Reference: tt.reference}, "v1.36.3",
				[]trial.Outcome{came("a", diagnosed("x", 90, tt.clearest), diagnosed("y", 5, tt.other))}, known())
			g.Expect(judged.Kills[0].Claim).To(Equal("x"))
			g.Expect(judged.Kills[0].Diagnosis.Reference).To(Equal(tt.want))
		})
	}
}

// A later reference may differ from the first.
func TestALaterReferenceTakesAKillAway(t *testing.T) {
	for name, tt := range map[string]struct {
		m       mutation.Mutation
		outcome trial.Outcome
		later   trial.Outcome
		verdict mutationtest.Status
	}{
		"silent again": {mutation.Mutation{}, came("a", finding("x", "f", 5, trial.Deviates)),
			came("a", finding("x", "f", 1, trial.Conforms)), mutationtest.Killed},
		"now it deviates": {mutation.Mutation{}, came("a", finding("x", "f", 5, trial.Deviates)),
			came("a", finding("x", "f", 5, trial.Deviates)), mutationtest.Undecided},
		"now it is inconclusive": {mutation.Mutation{}, came("a", finding("x", "f", 5, trial.Deviates)),
			lost("a", "it froze"), mutationtest.Killed},
		"divergent again": {mutation.Mutation{Repairs: true}, came("c", finding("x", "f", 3, trial.Conforms)),
			came("c", finding("x", "f", 2, trial.Divergent)), mutationtest.Killed},
		"divergent by chance": {mutation.Mutation{Repairs: true}, came("c", finding("x", "f", 3, trial.Conforms)),
			came("c", finding("x", "f", 3, trial.Conforms)), mutationtest.Undecided},
		"by chance, and outside": {mutation.Mutation{Repairs: true}, came("c", finding("x", "f", 4, trial.Deviates)),
			came("c", finding("x", "f", 3, trial.Conforms)), mutationtest.Undecided},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := known()
			judged := judgeMutant(tt.m, "v1.36.3", []trial.Outcome{tt.outcome}, c)
			g.Expect(judged.Verdict).To(Equal(mutationtest.Killed))
			c.add([]trial.Outcome{tt.later})
			g.Expect(recheck(judged, c).Verdict).To(Equal(tt.verdict))
		})
	}
	g := NewWithT(t)
	g.Expect(recheck(failed(describe(mutation.Mutation{}, ""), errors.New("no")), known()).Verdict).
		To(Equal(mutationtest.Failed))
}

func TestAReferenceCountsItsFalseAlarms(t *testing.T) {
	g := NewWithT(t)
	judged := judgeReference("v1.36.3", []trial.Outcome{
		came("a", finding("x", "f", 1, trial.Conforms), finding("y", "f", 2, trial.Divergent)),
		came("b", finding("x", "f", 5, trial.Deviates), finding("y", "f", 7, trial.Deviates)),
		lost("c", "it froze"),
		unsupported("d"),
	})
	g.Expect(judged.Trials).To(Equal(2))
	g.Expect(judged.Claims).To(Equal(4))
	g.Expect(judged.Divergent).To(Equal(1))
	g.Expect(judged.Unsupported).To(Equal(1))
	g.Expect(judged.Open).To(Equal([]mutationtest.Open{{Trial: "c", Why: "it froze"}}))
	g.Expect(names(judged.FalseAlarms)).To(Equal([]string{"b y"}))
	g.Expect(judged.FalseAlarms[0].Claims).To(Equal(2))
}
