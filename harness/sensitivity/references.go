package sensitivity

import (
	"cmp"

	"github.com/podclock/podclock/harness/trial"
)

// references are the results of all references of a run by trial ID. A catch counts only if no reference shows it.
type references map[string]*referenceTrial

// referenceTrial is one trial on all references.
type referenceTrial struct {
	// judged is the number of references that judged it.
	judged int
	// alarm is what deviates on one of them, open why another could not be judged.
	alarm, open string
	// claims are the findings of the first reference that judged it. diverge counts the references that found a claim
	// divergent.
	claims  map[string]trial.Finding
	diverge map[string]int
}

// add adds the outcomes of one more reference.
func (c references) add(outcomes []trial.Outcome) {
	for _, o := range outcomes {
		t := c[o.Trial]
		if t == nil {
			t = &referenceTrial{claims: map[string]trial.Finding{}, diverge: map[string]int{}}
			c[o.Trial] = t
		}
		t.add(o)
	}
}

func (t *referenceTrial) add(o trial.Outcome) {
	if !conclusive(o.Verdict) {
		t.open = why(o)
		return
	}
	t.judged++
	if o.Verdict == trial.Deviates {
		t.alarm = why(o)
	}
	for _, f := range o.Last().Result.Findings {
		if _, known := t.claims[f.Claim]; !known {
			t.claims[f.Claim] = f
		}
		if f.Verdict == trial.Divergent {
			t.diverge[f.Claim]++
		}
	}
}

// doubt returns why a catch by a trial does not count, empty if it does.
func (c references) doubt(id string) string {
	t := c[id]
	switch {
	case t == nil:
		return "the control never met this trial"
	case t.alarm != "":
		return "the control deviates, too: " + t.alarm
	case t.judged == 0:
		return "the control could not be judged: " + t.open
	}
	return ""
}

// judges reports whether a reference judged a trial.
func (c references) judges(id string) bool { return c[id] != nil && c[id].judged > 0 }

// finding returns a claim's finding on a reference, nil without one.
func (c references) finding(id, claim string) *trial.Finding {
	if t := c[id]; t != nil {
		if f, known := t.claims[claim]; known {
			return &f
		}
	}
	return nil
}

// divergent reports whether a claim is divergent on every reference that judged it. A divergence by chance could not
// show that it is gone.
func (c references) divergent(id, claim string) bool {
	t := c[id]
	return t != nil && t.judged > 0 && t.diverge[claim] == t.judged
}

// conclusive reports whether a verdict says anything about the kubelet.
func conclusive(v trial.Verdict) bool {
	return v == trial.Conforms || v == trial.Divergent || v == trial.Deviates
}

// why returns the reason of an outcome.
func why(o trial.Outcome) string { return cmp.Or(o.Why, o.Reason(), "nothing says why") }
