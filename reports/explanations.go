package reports

import (
	"slices"

	"github.com/podclock/podclock/harness/trial"
)

// explanations are the deviations by what explains them, those last that nothing known explains. Among
// these are outcomes of which no claim says why they deviate: a deviation that has no finding must not get
// lost.
func (r Run) explanations() []Explanation {
	var all []Explanation
	for _, g := range groups(r) {
		all = append(all, g.explanation(r))
	}
	silent := r.silentDeviations()
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
func (r Run) silentDeviations() []DeviatingTrial {
	var all []DeviatingTrial
	for _, b := range r.blocks() {
		for _, o := range b.outcomes {
			if o.Verdict == trial.Deviates &&
				!slices.ContainsFunc(findings(o), func(f trial.Finding) bool { return f.Verdict == trial.Deviates }) {
				all = append(all, DeviatingTrial{Where: where(o), Claims: []string{reason(o)}})
			}
		}
	}
	return all
}
