package sensitivity

import (
	"fmt"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/harness/trial"
)

// clean is what the clean controls of a run say of each trial, by its ID. A catch counts only where they are silent.
type references map[string]*referenceTrial

// referenceTrial is one trial on all controls.
type referenceTrial struct {
	// judged is how many controls came to a verdict.
	judged int
	// alarm is what deviates on one of them, open why another could not be judged.
	alarm, open string
	// claims are the findings of the first control that came to a verdict; diverge counts the controls that
	// found a claim divergent.
	claims  map[string]trial.Finding
	diverge map[string]int
}

// add takes over the outcomes of one more control.
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

// doubt says why a catch by a trial does not count, empty where it does.
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

// judges says whether the controls came to a verdict on a trial.
func (c references) judges(id string) bool { return c[id] != nil && c[id].judged > 0 }

// finding is a claim as a control had it, nil where none had.
func (c references) finding(id, claim string) *trial.Finding {
	if t := c[id]; t != nil {
		if f, known := t.claims[claim]; known {
			return &f
		}
	}
	return nil
}

// divergent says whether a claim is divergent on every control that judged it: one that is so by chance
// could not show that a divergence is gone.
func (c references) divergent(id, claim string) bool {
	t := c[id]
	return t != nil && t.judged > 0 && t.diverge[claim] == t.judged
}

// recheck judges again by controls that came later: a catch by a trial that deviates on one of them no
// longer counts, nor does one that a divergence is gone which one of them does not show.
func recheck(m detection.Mutant, c references) detection.Mutant {
	if m.Verdict == detection.Failed {
		return m
	}
	catches := m.Catches
	m.Catches = nil
	for _, catch := range catches {
		doubt := c.doubt(catch.Trial)
		if doubt == "" && m.Mends && !c.divergent(catch.Trial, catch.Claim) {
			doubt = fmt.Sprintf("on the released code %s is now divergent, now not", catch.Claim)
		}
		if doubt == "" {
			m.Catches = append(m.Catches, catch)
			continue
		}
		catch.Why = doubt
		m.Disputed = append(m.Disputed, catch)
	}
	return decide(m)
}
