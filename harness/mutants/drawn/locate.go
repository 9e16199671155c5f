package drawn

import (
	"slices"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/reach"
)

// locate finds what a run would report of a mutant that a claim killed: which known mistakes fit, and where to look.
// met are the trials that it met. The others behave as on the reference if they do not execute the changed code, and
// are left out else.
func (m *Mutant) locate(met, reference map[string]trial.Outcome, executing []string, saved reach.Map) {
	r := run.Run{Subjects: []run.Subject{{Name: saved.Version, Lane: run.VirtualLane}}}
	for id, o := range reference {
		if own, is := met[id]; is {
			o = own
		} else if slices.Contains(executing, id) {
			continue
		}
		if reference[id].Verdict != trial.Deviates {
			r.Outcomes = append(r.Outcomes, o)
		}
	}
	r.Check()
	for _, o := range r.Outcomes {
		if run.IsCheck(o) || o.Verdict != trial.Deviates {
			continue
		}
		for _, f := range o.Last().Result.Findings {
			if f.Diagnosis != nil && !slices.Contains(m.AsIf, f.Diagnosis.Name) {
				m.AsIf = append(m.AsIf, f.Diagnosis.Name)
			}
			m.Unexplained = m.Unexplained || f.Verdict == trial.Deviates && f.Diagnosis == nil
		}
	}
	slices.Sort(m.AsIf)
	for i, place := range saved.LookAt(r.Outcomes) {
		m.LookAt = append(m.LookAt, place.String())
		if place.Module+"/"+place.File == m.File && place.Name == m.Within {
			m.Located = i + 1
		}
	}
}
