package trial

import (
	"slices"

	"github.com/podclock/podclock/harness/formula"
)

// asDocumented diagnoses deviations of a trial that no rival explains: a value that is outside what the
// code computes but inside what is documented tells that a divergence is there no more. Where a rival
// explains one of them, it explains all.
func asDocumented(findings []Finding) {
	if slices.ContainsFunc(findings, func(f Finding) bool { return f.Diagnosis != nil }) {
		return
	}
	for i := range findings {
		if f := &findings[i]; f.Verdict == Deviates && f.Measured != nil && f.asDocumented() {
			f.Diagnosis = &Diagnosis{
				Name:      "the code does as documented: the known divergence is gone",
				Reference: f.discussed(),
				Would:     *f.Documented,
			}
		}
	}
}

// asDocumented says whether a value is as documented, by a formula whose code does something else.
func (f Finding) asDocumented() bool {
	if f.Documented == nil || f.Documented.Miss(f.Measured.Value) != 0 {
		return false
	}
	return f.Documented.Miss(f.Implemented.Earliest) != 0 || f.Documented.Miss(f.Implemented.Latest) != 0
}

// discussed is where the difference between code and documentation is discussed, else the page that the
// code differed from.
func (f Finding) discussed() string {
	if f.Issues == "" || f.Issues == formula.NoIssueKnown {
		return f.DocumentedAt
	}
	return f.Issues
}
