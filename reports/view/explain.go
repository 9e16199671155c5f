package view

import (
	"strings"

	"github.com/podclock/podclock/harness/measure/trial"
)

// Explain returns why a claim has its verdict, with one fact per line. The first line names the claim, and how far the
// measured value is from the window. The window, its terms and its source follow, then the known mistake that fits.
func Explain(f trial.Finding) string {
	lines := []string{f.Claim + ": " + f.Why}
	add := func(name, text string) {
		if text != "" {
			lines = append(lines, "  "+name+text)
		}
	}
	if f.Verdict != trial.Deviates { // the reason is about the evidence, and need not name the value
		lines[0] = f.Claim + ": " + string(f.Verdict) + ": " + f.Why
		add("measured: ", FormatMeasured(f))
	}
	add("the code computes: ", f.Implemented.String()+" = "+f.Implemented.Explain())
	if f.Documented != nil {
		add("documented: ", f.Documented.String()+" = "+f.Documented.Explain())
	}
	add("formula: ", f.Formula+", "+f.Description)
	add("source: ", f.Source)
	if f.Diagnosis != nil {
		add("", AsIf(*f.Diagnosis)+", "+WouldBe(*f.Diagnosis))
	}
	return strings.Join(lines, "\n")
}
