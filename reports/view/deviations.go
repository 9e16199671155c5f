package view

import (
	"cmp"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
)

// DeviationGroup is deviating claims with one explanation in common.
type DeviationGroup struct {
	// diagnosis is nil for claims that nothing known explains.
	Diagnosis *trial.Diagnosis
	claims    []Deviating
}

type Deviating struct {
	Outcome run.Outcome
	Finding trial.Finding
}

// DeviationGroups sorts a run's deviating claims by what explains them. A claim without a diagnosis goes with its
// trial's other claims, the undiagnosed trials come last.
func DeviationGroups(r run.Run) []DeviationGroup {
	var found []DeviationGroup
	var open DeviationGroup
	index := map[string]int{}
	for _, b := range ColumnsOf(r) {
		for _, o := range b.Outcomes {
			first := FirstDiagnosis(o)
			for _, f := range FindingsOf(o) {
				if f.Verdict != trial.Deviates {
					continue
				}
				d := Deviating{o, f}
				diagnosis := cmp.Or(f.Diagnosis, first)
				if diagnosis == nil {
					open.claims = append(open.claims, d)
					continue
				}
				i, known := index[AsIf(*diagnosis)]
				if !known {
					i = len(found)
					index[AsIf(*diagnosis)] = i
					found = append(found, DeviationGroup{Diagnosis: diagnosis})
				}
				found[i].claims = append(found[i].claims, d)
			}
		}
	}
	if len(open.claims) > 0 {
		found = append(found, open)
	}
	return found
}

// FirstDiagnosis is the first that one of the outcome's claims has, nil when none has.
func FirstDiagnosis(o run.Outcome) *trial.Diagnosis {
	for _, f := range FindingsOf(o) {
		if f.Diagnosis != nil {
			return f.Diagnosis
		}
	}
	return nil
}

// Outcomes are those of the group, each once, with their claims.
func (g DeviationGroup) Outcomes() [][]Deviating {
	var all [][]Deviating
	for _, c := range g.claims {
		if n := len(
			all,
		); n > 0 && all[n-1][0].Outcome.Trial == c.Outcome.Trial &&
			all[n-1][0].Outcome.Subject == c.Outcome.Subject {
			all[n-1] = append(all[n-1], c)
		} else {
			all = append(all, []Deviating{c})
		}
	}
	return all
}
