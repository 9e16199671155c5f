package mutants

import (
	"fmt"
	"slices"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/mutants/internal/diagnoses"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/harness/rules/formula"
)

func describe(m mutation.Mutation, version string) mutationtest.Mutant {
	return mutationtest.Mutant{
		Name: m.Name, Component: string(m.Component), Version: version, Breaks: m.Breaks, Formula: m.Formula,
		Reference: m.Reference, Repairs: m.Repairs, Equivalent: m.Equivalent,
		RightDiagnoses: diagnoses.Of(m.Name),
		Verdict:        mutationtest.Undecided, Why: neverRan,
	}
}

const neverRan = "it never ran"

// unplayed reports whether no trial was judged on the mutant, left open or disputed.
func unplayed(m mutationtest.Mutant) bool { return m.Trials+len(m.Open)+len(m.Disputed) == 0 }

func failed(m mutationtest.Mutant, why error) mutationtest.Mutant {
	m.Verdict, m.Why = mutationtest.Failed, why.Error()
	return m
}

func judgeMutant(m mutation.Mutation, version string, outcomes []trial.Outcome, c references) mutationtest.Mutant {
	judged := describe(m, version)
	for _, o := range outcomes {
		if !run.Conclusive(o.Verdict) {
			leaveOpen(&judged, o, c)
			continue
		}
		judged.Trials++
		var kills []mutationtest.Kill
		var vacuous []trial.Finding
		for _, f := range o.Last().Result.Findings {
			judged.Claims++
			if f.Formula == m.Formula {
				judged.OwnClaims++
			}
			kill, killed := c.kill(m, o.Trial, f)
			switch {
			case killed && mutationtest.Vacuous(kill.Window):
				vacuous = append(vacuous, f)
			case killed:
				kills = append(kills, kill)
			}
		}
		if len(vacuous) > 0 {
			judged.Open = append(judged.Open, mutationtest.Open{Trial: o.Trial, Why: unfit(vacuous)})
		}
		if len(kills) == 0 {
			continue
		}
		kill := clearest(judged, kills)
		if doubt := c.doubt(o.Trial); doubt != "" {
			kill.Why = doubt
			judged.Disputed = append(judged.Disputed, kill)
			continue
		}
		judged.Kills = append(judged.Kills, kill)
	}
	return decide(judged)
}

func unfit(findings []trial.Finding) string {
	first := findings[0]
	others := ""
	if n := len(findings) - 1; n > 0 {
		others = fmt.Sprintf(", and so are those of %s", run.Plural(n, "other claim"))
	}
	return fmt.Sprintf("the window of %s is empty, %s to %s%s: %s can't say what is allowed", first.Claim,
		first.Implemented.Unit.Format(first.Implemented.Earliest),
		first.Implemented.Unit.Format(first.Implemented.Latest), others, first.Formula)
}

// leaveOpen records a trial that was not judged. It counts only if a reference was judged.
func leaveOpen(m *mutationtest.Mutant, o trial.Outcome, c references) {
	switch {
	case o.Verdict == trial.Unsupported:
		m.Unsupported++
		if c.judges(o.Trial) {
			m.Open = append(m.Open,
				mutationtest.Open{Trial: o.Trial, Why: "unsupported, but not on the reference: " + why(o)})
		}
	case c.judges(o.Trial):
		m.Open = append(m.Open, mutationtest.Open{Trial: o.Trial, Why: why(o)})
	}
}

func decide(m mutationtest.Mutant) mutationtest.Mutant {
	slices.SortFunc(m.Kills, mutationtest.Kill.Clearer)
	slices.SortFunc(m.Disputed, mutationtest.Kill.Clearer)
	m.Verdict, m.Why = mutationtest.Undecided, ""
	switch {
	case len(m.Kills) > 0:
		m.Verdict = mutationtest.Killed
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
		m.Verdict, m.Why = mutationtest.Survived, survivedWhy(m)
	}
	return m
}

func survivedWhy(m mutationtest.Mutant) string {
	met := fmt.Sprintf("nothing distinguishes it from the reference in %d trials with %d claims", m.Trials, m.Claims)
	switch {
	case m.Formula == "":
		return met
	case m.OwnClaims == 0:
		return fmt.Sprintf("%s, none for %s", met, m.Formula)
	}
	return fmt.Sprintf("%s, %d for %s", met, m.OwnClaims, m.Formula)
}

// kill returns a finding as a kill if no reference shows it.
func (c references) kill(m mutation.Mutation, id string, f trial.Finding) (mutationtest.Kill, bool) {
	usual := c.finding(id, f.Claim)
	killed := f.Verdict == trial.Deviates
	if m.Repairs {
		killed = c.divergent(id, f.Claim) && asDocumented(f)
	}
	if !killed {
		return mutationtest.Kill{}, false
	}
	kill := killOf(id, f)
	kill.Own = m.Formula != "" && f.Formula == m.Formula
	if usual != nil && usual.Measured != nil {
		kill.Usual = &usual.Measured.Value
	}
	if m.Repairs { // the kill is the gap between the reference and the documentation
		kill.Repaired, kill.Window = true, plain(*f.Documented)
		kill.Miss = usual.Documented.Miss(usual.Measured.Value)
		kill.Why = fmt.Sprintf("%s, as documented; the reference has %s",
			f.Measured.Unit.Format(f.Measured.Value), usual.Measured.Unit.Format(usual.Measured.Value))
	}
	return kill, true
}

func asDocumented(f trial.Finding) bool {
	return (f.Verdict == trial.Conforms || f.Verdict == trial.Deviates) && f.Measured != nil && f.Documented != nil &&
		f.Documented.Miss(f.Measured.Value) == 0
}

func killOf(id string, f trial.Finding) mutationtest.Kill {
	c := mutationtest.Kill{
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

// clearest returns the clearest of a trial's kills with their number. Its diagnosis may be another kill's.
func clearest(m mutationtest.Mutant, kills []mutationtest.Kill) mutationtest.Kill {
	slices.SortFunc(kills, mutationtest.Kill.Clearer)
	best := kills[0]
	best.Diagnosis = (mutationtest.Mutant{Reference: m.Reference, Kills: kills}).Diagnosis()
	best.Claims = len(kills)
	return best
}

func judgeReference(subject string, outcomes []trial.Outcome) mutationtest.Reference {
	judged := mutationtest.Reference{Subject: subject}
	for _, o := range outcomes {
		switch {
		case o.Verdict == trial.Unsupported:
			judged.Unsupported++
			continue
		case !run.Conclusive(o.Verdict):
			judged.Open = append(judged.Open, mutationtest.Open{Trial: o.Trial, Why: why(o)})
			continue
		}
		judged.Trials++
		var alarms []mutationtest.Kill
		for _, f := range o.Last().Result.Findings {
			judged.Claims++
			switch f.Verdict {
			case trial.Divergent:
				judged.Divergent++
			case trial.Deviates:
				alarms = append(alarms, killOf(o.Trial, f))
			}
		}
		if len(alarms) > 0 {
			judged.FalseAlarms = append(judged.FalseAlarms, clearest(mutationtest.Mutant{}, alarms))
		}
	}
	slices.SortFunc(judged.FalseAlarms, mutationtest.Kill.Clearer)
	return judged
}

// recheck judges a mutant again by later references. A kill does not count if its trial deviates on one, or if the
// missing divergence is missing there as well.
func recheck(m mutationtest.Mutant, c references) mutationtest.Mutant {
	if m.Verdict == mutationtest.Failed {
		return m
	}
	kills := m.Kills
	m.Kills = nil
	for _, kill := range kills {
		doubt := c.doubt(kill.Trial)
		if doubt == "" && m.Repairs && !c.divergent(kill.Trial, kill.Claim) {
			doubt = fmt.Sprintf("on the reference %s is now divergent, now not", kill.Claim)
		}
		if doubt == "" {
			m.Kills = append(m.Kills, kill)
			continue
		}
		kill.Why = doubt
		m.Disputed = append(m.Disputed, kill)
	}
	return decide(m)
}
