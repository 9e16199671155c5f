package view

import (
	"slices"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
)

// Explanations are the deviations by what explains them, those last that nothing known explains. Among
// these are outcomes of which no claim says why they deviate: a deviation that has no finding must not get
// lost.
func Explanations(r run.Run) []Explanation {
	var all []Explanation
	for _, g := range DeviationGroups(r) {
		all = append(all, g.explanation(r))
	}
	silent := silentDeviations(r)
	if len(silent) == 0 {
		return all
	}
	if n := len(all); n > 0 && all[n-1].As == "" {
		all[n-1].On = append(all[n-1].On, silent...)
		return all
	}
	return append(all, Explanation{On: silent})
}

// silentDeviations are the outcomes that deviate though none of their claims does, as they are in a saved
// run that was cut or edited.
func silentDeviations(r run.Run) []DeviatingTrial {
	var all []DeviatingTrial
	for _, b := range ColumnsOf(r) {
		for _, o := range b.Outcomes {
			if o.Verdict == trial.Deviates &&
				!slices.ContainsFunc(FindingsOf(o), func(f trial.Finding) bool { return f.Verdict == trial.Deviates }) {
				all = append(all, DeviatingTrial{Where: where(o), Claims: []string{ReasonOf(o)}})
			}
		}
	}
	return all
}
