package mutants

import (
	"cmp"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
)

// references are the results of all references by trial. A kill counts only if no reference shows it.
type references map[string]*referenceTrial

type referenceTrial struct {
	judged int
	// alarm is what deviates on one of the references, open why another could not be judged.
	alarm, open string
	// claims are the first reference's findings. diverge counts the references with a divergent claim.
	claims  map[string]trial.Finding
	diverge map[string]int
}

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
	if !run.Conclusive(o.Verdict) {
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

// doubt returns why a kill does not count, or "".
func (c references) doubt(id string) string {
	t := c[id]
	switch {
	case t == nil:
		return "the reference never met this trial"
	case t.alarm != "":
		return "the reference deviates as well: " + t.alarm
	case t.judged == 0:
		return "the reference could not be judged: " + t.open
	}
	return ""
}

func (c references) judges(id string) bool { return c[id] != nil && c[id].judged > 0 }

func (c references) finding(id, claim string) *trial.Finding {
	if t := c[id]; t != nil {
		if f, known := t.claims[claim]; known {
			return &f
		}
	}
	return nil
}

// divergent reports whether a claim diverges on every reference. A divergence by chance could not show that it is gone.
func (c references) divergent(id, claim string) bool {
	t := c[id]
	return t != nil && t.judged > 0 && t.diverge[claim] == t.judged
}

func why(o trial.Outcome) string { return cmp.Or(o.Why, o.Reason(), "nothing says why") }
