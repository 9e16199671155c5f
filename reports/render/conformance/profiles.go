package conformance

import (
	"slices"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/apis/v1alpha1"
	"github.com/podclock/podclock/reports/view"
)

// profiles returns the areas of the catalogue in its order and that of the checks of a whole run, and the names of the
// areas without an outcome of the subject.
func profiles(r run.Run, s run.Subject, catalogue []trial.Trial) (profiles []v1alpha1.Profile, skipped []string) {
	outcomes := map[string]run.Outcome{}
	for _, o := range r.Outcomes {
		outcomes[o.Trial] = o
	}
	index, chosen := map[string]int{}, map[string]bool{}
	var all []v1alpha1.Profile
	var checks []trial.Trial
	for _, o := range r.Outcomes {
		if run.IsCheck(o) {
			checks = append(checks, trial.Trial{ID: o.Trial})
		}
	}
	for _, t := range slices.Concat(catalogue, checks) {
		if t.VirtualOnly() && s.RanIn() == run.NodeLane {
			continue
		}
		i := view.Place(index, t.Area(), &all, v1alpha1.Profile{Name: t.Area()})
		if o, selected := outcomes[t.ID]; selected {
			chosen[t.Area()] = true
			addOutcome(&all[i], s, t, o)
		} else {
			addSkipped(&all[i], t.ID, v1alpha1.Unselected, "the run did not ask for it")
		}
	}
	for _, p := range all {
		if chosen[p.Name] {
			profiles = append(profiles, p)
		} else {
			skipped = append(skipped, p.Name)
		}
	}
	return profiles, skipped
}

// addOutcome adds an outcome to its area's profile.
func addOutcome(p *v1alpha1.Profile, s run.Subject, t trial.Trial, o run.Outcome) {
	for _, f := range view.FindingsOf(o) {
		if run.Conclusive(f.Verdict) {
			p.Statistics.Claims++
		}
	}
	switch o.Verdict {
	case trial.Conforms:
		p.Statistics.Passed++
	case trial.Divergent:
		p.Statistics.Passed++
		p.Statistics.Divergent++
	case trial.Deviates:
		p.Statistics.Failed++
		p.FailedTrials = append(p.FailedTrials, failedTrial(o))
	case trial.Unsupported:
		cause := v1alpha1.Unsupported
		if s.RanIn() == run.VirtualLane && t.NodeOnly != "" {
			cause = v1alpha1.Lane
		}
		addSkipped(p, o.Trial, cause, view.ReasonOf(o))
	default: // inconclusive, or no known verdict
		p.Statistics.Inconclusive++
		p.InconclusiveTrials = append(p.InconclusiveTrials,
			v1alpha1.InconclusiveTrial{Trial: o.Trial, Reason: view.ReasonOf(o)})
	}
}

func addSkipped(p *v1alpha1.Profile, id string, cause v1alpha1.SkipCause, why string) {
	p.Statistics.Skipped++
	p.SkippedTrials = append(p.SkippedTrials, v1alpha1.SkippedTrial{Trial: id, Cause: cause, Reason: why})
}

// failedTrial describes a trial that deviates.
func failedTrial(o run.Outcome) v1alpha1.FailedTrial {
	t := v1alpha1.FailedTrial{Trial: o.Trial, Reason: view.ReasonOf(o)}
	for _, f := range view.FindingsOf(o) {
		if f.Verdict != trial.Deviates {
			continue
		}
		c := v1alpha1.FailedClaim{Claim: f.Claim, Formula: f.Formula, Reason: f.Why}
		if f.Diagnosis != nil {
			c.Diagnosis = &v1alpha1.Diagnosis{Name: f.Diagnosis.Name, Reference: f.Diagnosis.Reference}
		}
		t.Claims = append(t.Claims, c)
	}
	return t
}

// numbers returns the measurements and windows of every trial.
func numbers(r run.Run) []v1alpha1.Trial {
	var all []v1alpha1.Trial
	for _, o := range view.ByArea(r.Outcomes) {
		t := v1alpha1.Trial{Trial: o.Trial, Verdict: string(view.KnownVerdict(o.Verdict)), Attempts: len(o.Attempts)}
		for _, f := range view.FindingsOf(o) {
			t.Claims = append(t.Claims, claimNumbers(f))
		}
		all = append(all, t)
	}
	return all
}

func claimNumbers(f trial.Finding) v1alpha1.Claim {
	u := f.Implemented.Unit
	c := v1alpha1.Claim{
		Claim: f.Claim, Formula: f.Formula, Of: f.Of.String(), Verdict: string(f.Verdict), Unit: view.UnitName(u),
		Implemented: windowNumbers(f.Implemented),
	}
	if m := f.Measured; m != nil {
		c.Measured = new(view.InBaseUnit(u, m.Value))
		c.Margin = new(view.InBaseUnit(u, f.Implemented.Margin(m.Value)))
	}
	if f.Documented != nil {
		c.Documented = new(windowNumbers(*f.Documented))
	}
	return c
}

func windowNumbers(w formula.Window) v1alpha1.Window {
	return v1alpha1.Window{Earliest: view.InBaseUnit(w.Unit, w.Earliest), Latest: view.InBaseUnit(w.Unit, w.Latest)}
}
