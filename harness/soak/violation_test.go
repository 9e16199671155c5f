package soak

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/podclock/podclock/harness/trial"
)

// Violation is a claim that does not hold, or a scenario without a verdict, with the smallest scenario that shows it.
type Violation struct {
	// Kind is the claim's formula, the side on which the value misses the window, and the family.
	// Violations of one kind probably have one cause. Without such a claim it is the complaint after
	// "error:", "inconclusive:", "never ran:" or, if the hunt itself is at fault, "harness:".
	Kind string
	// Seed draws the first scenario that showed the violation. Others are further seeds.
	Seed   uint64
	Others []uint64
	// Times is the number of scenarios with this violation. Again is how many of [repeats] runs of the
	// smallest scenario show it.
	Times, Again int
	// Claim is the ID of the smallest scenario's claim. Measured, Window, Terms and Why describe its finding.
	Claim, Measured, Window, Terms, Why string
	// Scenario is the smallest scenario as YAML. It is empty if no scenario could be drawn and described.
	Scenario string

	trial trial.Trial
}

// repeats is how often a counterexample runs again.
const repeats = 5

// String returns the violation in full.
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
	if v.Scenario == "" {
		fmt.Fprintf(&b, "  there is no scenario to print; SEED=%d SOAK=1 draws it again\n", v.Seed)
	} else {
		fmt.Fprintf(&b, "  SEED=%d SOAK=1 draws it again. The smallest scenario, which failed in %d of %d further "+
			"runs:\n%s\n",
			v.Seed, v.Again, repeats, v.Scenario)
	}
	return b.String()
}

// violated returns the violation that an outcome shows, nil if there is none. It lists the good verdicts: every other
// verdict is a violation, also one that a later version adds.
func violated(t trial.Trial, o trial.Outcome, err error) *Violation {
	last := o.Last()
	switch {
	case err != nil:
		return &Violation{Kind: "error: " + alike(err.Error()), Why: err.Error()}
	case o.Verdict == trial.Conforms, o.Verdict == trial.Divergent, o.Verdict == trial.Unsupported:
		return nil
	case o.Verdict != trial.Deviates && o.Verdict != trial.Inconclusive:
		return harness(fmt.Sprintf("verdict %q", o.Verdict),
			fmt.Sprintf("the run ended with the unknown verdict %q; %s", o.Verdict, o.Why))
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

// harness returns the violation of a scenario that the hunt itself could not bring to a verdict.
func harness(what, why string) *Violation {
	line, _, _ := strings.Cut(what, "\n")
	return &Violation{Kind: "harness: " + alike(line), Why: why}
}

var digits = regexp.MustCompile(`0x[0-9a-f]+|[0-9][0-9.,:µmnsh]*`)

// alike replaces the numbers of a complaint, so that complaints that differ in numbers only are of one kind.
func alike(complaint string) string { return digits.ReplaceAllString(complaint, "#") }

// deviation returns the violation of a claim that does not hold. Its kind names the family as well, because the same
// formula can be missed for different reasons in different families.
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
