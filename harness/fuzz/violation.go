package fuzz

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/podclock/podclock/harness/fuzz/internal/scenario"
	"github.com/podclock/podclock/harness/measure/trial"
)

// Violation is a claim that does not hold, or a scenario without a verdict, with the smallest scenario that shows it.
type Violation struct {
	// Kind is the claim's formula, the side on which the value misses the window, and the family.
	// Violations of one kind probably have one cause. Without such a claim it is the complaint after
	// "error:", "inconclusive:", "never ran:" or, if the campaign itself is at fault, "harness:".
	Kind string `json:"kind"`
	// Seed draws the first scenario that showed the violation. Others are further seeds.
	Seed   uint64   `json:"seed"`
	Others []uint64 `json:"others,omitempty"`
	// Times is the number of scenarios with this violation. Again is how many of [Repeats] runs of the
	// smallest scenario show it.
	Times int `json:"times"`
	Again int `json:"again"`
	// Verdict is that of the scenario. A violation whose verdict is not [trial.Deviates] shows nothing about the
	// kubelet.
	Verdict trial.Verdict `json:"verdict"`
	// Claim is the ID of the smallest scenario's claim. Measured, Window, Terms and Why describe its finding.
	Claim    string `json:"claim,omitempty"`
	Measured string `json:"measured,omitempty"`
	Window   string `json:"window,omitempty"`
	Terms    string `json:"terms,omitempty"`
	Why      string `json:"why"`
	// Scenario is the smallest scenario as YAML. It is empty if no scenario could be drawn and described.
	Scenario string `json:"scenario,omitempty"`

	trial trial.Trial
}

// NoVerdict is the verdict of a scenario that got none.
const NoVerdict trial.Verdict = "no verdict"

// Repeats is how often a counterexample runs again.
const Repeats = 5

// violated returns the violation that an outcome shows, nil if there is none. It lists the good verdicts: every other
// verdict is a violation, also one that a later version adds.
func violated(t trial.Trial, o trial.Outcome, err error) *Violation {
	last := o.Last()
	switch {
	case err != nil:
		return &Violation{Kind: "error: " + alike(err.Error()), Why: err.Error(), Verdict: NoVerdict}
	case o.Verdict == trial.Conforms, o.Verdict == trial.Divergent, o.Verdict == trial.Unsupported:
		return nil
	case o.Verdict != trial.Deviates && o.Verdict != trial.Inconclusive:
		return harness(fmt.Sprintf("verdict %q", o.Verdict),
			fmt.Sprintf("the run ended with the unknown verdict %q; %s", o.Verdict, o.Why))
	case last == nil:
		return &Violation{Kind: "never ran: " + alike(o.Why), Why: o.Why, Verdict: NoVerdict}
	}
	for _, f := range last.Result.Findings {
		if f.Verdict == o.Verdict {
			return deviation(t, f)
		}
	}
	why := strings.Join(last.Result.Doubts, "; ")
	return &Violation{Kind: string(o.Verdict) + ": " + alike(why), Why: why, Verdict: o.Verdict}
}

// harness returns the violation of a scenario that the campaign itself could not bring to a verdict.
func harness(what, why string) *Violation {
	line, _, _ := strings.Cut(what, "\n")
	return &Violation{Kind: "harness: " + alike(line), Why: why, Verdict: NoVerdict}
}

var digits = regexp.MustCompile(`0x[0-9a-f]+|[0-9][0-9.,:µmnsh]*`)

// alike replaces the numbers of a complaint, so that complaints that differ in numbers only are of one kind.
func alike(complaint string) string { return digits.ReplaceAllString(complaint, "#") }

// deviation returns the violation of a claim that does not hold. Its kind names the family as well, because the same
// formula can be missed for different reasons in different families.
func deviation(t trial.Trial, f trial.Finding) *Violation {
	v := &Violation{
		Claim: f.Claim, Why: f.Why, Window: f.Implemented.String(), Terms: f.Implemented.Explain(), Verdict: f.Verdict,
	}
	side := "above"
	switch {
	case f.Measured == nil:
		side = "never"
	case f.Implemented.Miss(f.Measured.Value) < 0:
		side = "below"
	}
	v.Kind = fmt.Sprintf("%s %s in %s", f.Formula, side, scenario.Family(t))
	if f.Verdict == trial.Inconclusive {
		v.Kind = "inconclusive: " + alike(f.Why)
	}
	if f.Measured != nil {
		v.Measured = f.Measured.Unit.Format(f.Measured.Value)
	}
	return v
}
