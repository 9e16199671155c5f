package soak

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/podclock/podclock/harness/trial"
)

// Violation is a claim that does not hold, or a scenario that came to no verdict, with the smallest
// scenario found that shows it.
type Violation struct {
	// Kind is the claim's formula, on which side it is missed and in which family; violations of one kind
	// are held to have one cause. What has no such claim is told by its complaint, after "error:",
	// "inconclusive:", "never ran:", or "harness:" where the hunt itself is at fault.
	Kind string
	// Seed draws the scenario that was found first, Others are further seeds that violate the same.
	Seed   uint64
	Others []uint64
	// Times is how many scenarios violate the same, Again in how many of some runs more the smallest one did.
	Times, Again int
	// Claim is the claim of the smallest scenario, with what was measured, the window, and what it is made of.
	Claim, Measured, Window, Terms, Why string
	// Source is that scenario as a trial for the catalogue; empty where none could be drawn and written.
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
	b.WriteString("\n")
	if v.Claim == "" {
		fmt.Fprintf(&b, "  %s\n", v.Why)
	} else {
		fmt.Fprintf(&b, "  claim %s: %s\n", v.Claim, v.Why)
	}
	if v.Window != "" {
		fmt.Fprintf(&b, "  measured %s, window %s\n  = %s\n", cmp.Or(v.Measured, "nothing"), v.Window, v.Terms)
	}
	if v.Source == "" {
		fmt.Fprintf(&b, "  there is no scenario to show; SEED=%d SOAK=1 draws it again\n", v.Seed)
	} else {
		fmt.Fprintf(&b, "  the smallest scenario found, which did the same in %d of %d runs more:\n%s\n", v.Again,
			repeats, v.Source)
	}
	return b.String()
}

// violated is what an outcome violates, nil where everything is as it should be. The good verdicts are
// named: whatever else there is or will be is a violation.
func violated(t trial.Trial, o trial.Outcome, err error) *Violation {
	last := o.Last()
	switch {
	case err != nil:
		return &Violation{Kind: "error: " + alike(err.Error()), Why: err.Error()}
	case o.Verdict == trial.Conforms, o.Verdict == trial.Divergent, o.Verdict == trial.Unsupported:
		return nil
	case o.Verdict != trial.Deviates && o.Verdict != trial.Inconclusive:
		return harness(fmt.Sprintf("verdict %q", o.Verdict),
			fmt.Sprintf("the run ended with the verdict %q, which hunts do not know; %s", o.Verdict, o.Why))
	case last == nil:
		return &Violation{Kind: "never ran: " + alike(o.Why), Why: o.Why}
	}
	for _, f := range last.Result.Findings {
		if f.Verdict == o.Verdict {
			return deviation(t, f)
		}
	}
	why := strings.Join(last.Result.Doubts, "; ")
	return &Violation{Kind: string(o.Verdict) + ": " + alike(why), Why: why}
}

// harness is a violation of a scenario that the hunt itself could not bring to a verdict.
func harness(what, why string) *Violation {
	line, _, _ := strings.Cut(what, "\n")
	return &Violation{Kind: "harness: " + alike(line), Why: why}
}

var digits = regexp.MustCompile(`0x[0-9a-f]+|[0-9][0-9.,:µmnsh]*`)

// alike makes one kind of complaints that differ in their numbers only.
func alike(complaint string) string { return digits.ReplaceAllString(complaint, "#") }

// deviation tells a claim that does not hold. The same formula may be missed for another reason in another
// family, so that the kind names both.
func deviation(t trial.Trial, f trial.Finding) *Violation {
	v := &Violation{Claim: f.Claim, Why: f.Why, Window: f.Implemented.String(), Terms: f.Implemented.Explain()}
	side := "above"
	switch {
	case f.Measured == nil:
		side = "never"
	case f.Implemented.Miss(f.Measured.Value) < 0:
		side = "below"
	}
	v.Kind = fmt.Sprintf("%s %s in %s", f.Formula, side, strings.TrimPrefix(t.ID, prefix))
	if f.Verdict == trial.Inconclusive {
		v.Kind = "inconclusive: " + alike(f.Why)
	}
	if f.Measured != nil {
		v.Measured = f.Measured.Unit.Format(f.Measured.Value)
	}
	return v
}
