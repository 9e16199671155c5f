package random

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/podclock/podclock/harness/trial"
)

// Violation is a claim that does not hold, with the smallest scenario found that shows it.
type Violation struct {
	// Kind is the claim's formula and on which side it is missed; violations of one kind are held to have one cause.
	Kind string
	// Seed draws the scenario that was found first, Others are further seeds that violate the same.
	Seed   uint64
	Others []uint64
	// Times is how many scenarios violate the same, Again in how many of some runs more the smallest one did.
	Times, Again int
	// Claim is the claim of the smallest scenario, with what was measured, the window, and what it is made of.
	Claim, Measured, Window, Terms, Why string
	// Source is that scenario as a trial for the catalogue.
	Source string

	trial trial.Trial
}

// String tells a violation in full.
func (v Violation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "VIOLATION %s, seed %d", v.Kind, v.Seed)
	if v.Times > 1 {
		fmt.Fprintf(&b, "; %d scenarios, further seeds %v", v.Times, v.Others)
	}
	fmt.Fprintf(&b, "\n  claim %s: %s\n", v.Claim, v.Why)
	if v.Window != "" {
		fmt.Fprintf(&b, "  measured %s, window %s\n  = %s\n", v.Measured, v.Window, v.Terms)
	}
	fmt.Fprintf(&b, "  the smallest scenario found, which did the same in %d of %d runs more:\n%s\n", v.Again, repeats, v.Source)
	return b.String()
}

var digits = regexp.MustCompile(`[0-9][0-9.,:µmnsh]*`)

// violated is what an outcome violates, nil where everything is as it should be: a claim that deviates, a trial that can't be judged, or one that did not run.
func violated(o trial.Outcome, err error) *Violation {
	last := o.Last()
	switch {
	case err != nil:
		return &Violation{Kind: "error: " + digits.ReplaceAllString(err.Error(), "#"), Why: err.Error()}
	case o.Verdict == trial.Deviates, o.Verdict == trial.Inconclusive && last != nil:
		for _, f := range last.Result.Findings {
			if f.Verdict == o.Verdict {
				return deviation(f)
			}
		}
		why := strings.Join(last.Result.Doubts, "; ")
		return &Violation{Kind: "inconclusive: " + digits.ReplaceAllString(why, "#"), Why: why}
	case o.Verdict == trial.Inconclusive:
		return &Violation{Kind: "never ran: " + digits.ReplaceAllString(o.Why, "#"), Why: o.Why}
	}
	return nil
}

func deviation(f trial.Finding) *Violation {
	v := &Violation{Kind: f.Formula, Claim: f.Claim, Why: f.Why, Window: f.Implemented.String(), Terms: f.Implemented.Explain()}
	switch {
	case f.Verdict == trial.Inconclusive:
		v.Kind = "inconclusive: " + digits.ReplaceAllString(f.Why, "#")
	case f.Measured == nil:
		v.Kind += " never"
	case f.Implemented.Miss(f.Measured.Value) < 0:
		v.Kind += " below"
	default:
		v.Kind += " above"
	}
	if f.Measured != nil {
		v.Measured = f.Measured.Unit.Format(f.Measured.Value)
	}
	return v
}
