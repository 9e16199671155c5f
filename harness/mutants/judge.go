package sensitivity

import (
	"fmt"
	"slices"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/detection"
	"github.com/podclock/podclock/harness/mutants/internal/diagnoses"
	"github.com/podclock/podclock/harness/rules/formula"
)

func describe(m mutation.Mutation, version string) detection.Mutant {
	return detection.Mutant{
		Name: m.Name, Component: string(m.Component), Version: version, Breaks: m.Breaks, Formula: m.Formula,
		Reference: m.Reference, Repairs: m.Repairs, Unseen: m.Unseen,
		RightDiagnoses: diagnoses.Of(m.Name),
		Verdict:        detection.Undecided, Why: neverRan,
	}
}

const neverRan = "it never ran"

// unplayed reports whether no trial was judged on the mutant, left open or disputed.
func unplayed(m detection.Mutant) bool { return m.Trials+len(m.Open)+len(m.Disputed) == 0 }

func failed(m detection.Mutant, why error) detection.Mutant {
	m.Verdict, m.Why = detection.Failed, why.Error()
	return m
}

func judgeMutant(m mutation.Mutation, version string, outcomes []trial.Outcome, c references) detection.Mutant {
	judged := describe(m, version)
	for _, o := range outcomes {
		if !conclusive(o.Verdict) {
			leaveOpen(&judged, o, c)
			continue
		}
		judged.Trials++
		var catches []detection.Catch
		var vacuous []trial.Finding
		for _, f := range o.Last().Result.Findings {
			judged.Claims++
			if f.Formula == m.Formula {
				judged.OwnClaims++
			}
			catch, caught := c.catch(m, o.Trial, f)
			switch {
			case caught && detection.Vacuous(catch.Window):
				vacuous = append(vacuous, f)
			case caught:
				catches = append(catches, catch)
			}
		}
		if len(vacuous) > 0 {
			judged.Open = append(judged.Open, detection.Open{Trial: o.Trial, Why: unfit(vacuous)})
		}
		if len(catches) == 0 {
			continue
		}
		catch := clearest(judged, catches)
		if doubt := c.doubt(o.Trial); doubt != "" {
			catch.Why = doubt
			judged.Disputed = append(judged.Disputed, catch)
			continue
		}
		judged.Catches = append(judged.Catches, catch)
	}
	return decide(judged)
}

func unfit(findings []trial.Finding) string {
	first := findings[0]
	others := ""
	if n := len(findings) - 1; n > 0 {
		others = fmt.Sprintf(", and so are those of %s", count(n, "other claim"))
	}
	return fmt.Sprintf("the window of %s is empty, %s to %s%s: %s can't say what is allowed", first.Claim,
		first.Implemented.Unit.Format(first.Implemented.Earliest),
		first.Implemented.Unit.Format(first.Implemented.Latest), others, first.Formula)
}

// leaveOpen records a trial that was not judged. It counts only if a reference was judged.
func leaveOpen(m *detection.Mutant, o trial.Outcome, c references) {
	switch {
	case o.Verdict == trial.Unsupported:
		m.Unsupported++
		if c.judges(o.Trial) {
			m.Open = append(m.Open,
				detection.Open{Trial: o.Trial, Why: "unsupported, but not on the reference: " + why(o)})
		}
	case c.judges(o.Trial):
		m.Open = append(m.Open, detection.Open{Trial: o.Trial, Why: why(o)})
	}
}

func decide(m detection.Mutant) detection.Mutant {
	slices.SortFunc(m.Catches, detection.Catch.Clearer)
	slices.SortFunc(m.Disputed, detection.Catch.Clearer)
	m.Verdict, m.Why = detection.Undecided, ""
	switch {
	case len(m.Catches) > 0:
		m.Verdict = detection.Caught
	case len(m.Disputed) > 0:
		m.Why = fmt.Sprintf("%s distinguishes it from the reference, which does not count: %s", m.Disputed[0].Trial,
			m.Disputed[0].Why)
	case unplayed(m):
		m.Why = neverRan
	case len(m.Open) > 0:
		m.Why = fmt.Sprintf(
			"nothing distinguishes it from the reference, and %d of its trials could not be judged, %s among them: %s",
			len(m.Open), m.Open[0].Trial, m.Open[0].Why)
	default:
		m.Verdict, m.Why = detection.Survived, survivedWhy(m)
	}
	return m
}

func survivedWhy(m detection.Mutant) string {
	met := fmt.Sprintf("nothing distinguishes it from the reference in %d trials with %d claims", m.Trials, m.Claims)
	switch {
	case m.Formula == "":
		return met
	case m.OwnClaims == 0:
		return fmt.Sprintf("%s, none for %s", met, m.Formula)
	}
	return fmt.Sprintf("%s, %d for %s", met, m.OwnClaims, m.Formula)
}

// catch returns a finding as a catch if no reference shows it.
func (c references) catch(m mutation.Mutation, id string, f trial.Finding) (detection.Catch, bool) {
	usual := c.finding(id, f.Claim)
	caught := f.Verdict == trial.Deviates
	if m.Repairs {
		caught = c.divergent(id, f.Claim) && asDocumented(f)
	}
	if !caught {
		return detection.Catch{}, false
	}
	catch := catchOf(id, f)
	catch.Own = m.Formula != "" && f.Formula == m.Formula
	if usual != nil && usual.Measured != nil {
		catch.Usual = &usual.Measured.Value
	}
	if m.Repairs { // the catch is the gap between the reference and the documentation
		catch.Repaired, catch.Window = true, plain(*f.Documented)
		catch.Miss = usual.Documented.Miss(usual.Measured.Value)
		catch.Why = fmt.Sprintf("%s, as documented; the reference has %s",
			f.Measured.Unit.Format(f.Measured.Value), usual.Measured.Unit.Format(usual.Measured.Value))
	}
	return catch, true
}

func asDocumented(f trial.Finding) bool {
	return (f.Verdict == trial.Conforms || f.Verdict == trial.Deviates) && f.Measured != nil && f.Documented != nil &&
		f.Documented.Miss(f.Measured.Value) == 0
}

func catchOf(id string, f trial.Finding) detection.Catch {
	c := detection.Catch{
		Trial: id, Claim: f.Claim, Formula: f.Formula, Of: f.Of, Verdict: f.Verdict, Window: plain(f.Implemented),
		Diagnosis: f.Diagnosis, Why: f.Why,
	}
	if f.Measured != nil {
		c.Measured, c.Miss = &f.Measured.Value, c.Window.Miss(f.Measured.Value)
	}
	return c
}

func plain(w formula.Window) formula.Window {
	return formula.Window{Unit: w.Unit, Earliest: w.Earliest, Latest: w.Latest}
}

// clearest returns the clearest of a trial's catches with their number. Its diagnosis may be another catch's.
func clearest(m detection.Mutant, catches []detection.Catch) detection.Catch {
	slices.SortFunc(catches, detection.Catch.Clearer)
	best := catches[0]
	best.Diagnosis = (detection.Mutant{Reference: m.Reference, Catches: catches}).Diagnosis()
	best.Claims = len(catches)
	return best
}

func judgeReference(subject string, outcomes []trial.Outcome) detection.Reference {
	judged := detection.Reference{Subject: subject}
	for _, o := range outcomes {
		switch {
		case o.Verdict == trial.Unsupported:
			judged.Unsupported++
			continue
		case !conclusive(o.Verdict):
			judged.Open = append(judged.Open, detection.Open{Trial: o.Trial, Why: why(o)})
			continue
		}
		judged.Trials++
		var alarms []detection.Catch
		for _, f := range o.Last().Result.Findings {
			judged.Claims++
			switch f.Verdict {
			case trial.Divergent:
				judged.Divergent++
			case trial.Deviates:
				alarms = append(alarms, catchOf(o.Trial, f))
			}
		}
		if len(alarms) > 0 {
			judged.FalseAlarms = append(judged.FalseAlarms, clearest(detection.Mutant{}, alarms))
		}
	}
	slices.SortFunc(judged.FalseAlarms, detection.Catch.Clearer)
	return judged
}

// recheck judges a mutant again by later references. A catch does not count if its trial deviates on one, or if the
// missing divergence is missing there as well.
func recheck(m detection.Mutant, c references) detection.Mutant {
	if m.Verdict == detection.Failed {
		return m
	}
	catches := m.Catches
	m.Catches = nil
	for _, catch := range catches {
		doubt := c.doubt(catch.Trial)
		if doubt == "" && m.Repairs && !c.divergent(catch.Trial, catch.Claim) {
			doubt = fmt.Sprintf("on the reference %s is now divergent, now not", catch.Claim)
		}
		if doubt == "" {
			m.Catches = append(m.Catches, catch)
			continue
		}
		catch.Why = doubt
		m.Disputed = append(m.Disputed, catch)
	}
	return decide(m)
}
