package terminal

import (
	"path/filepath"
	"slices"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/view"
)

// MostDeviations is how many outcomes are spelled out that one explanation has in common; the others are named.
const MostDeviations = 4

// deviations spells out deviating claims, under what explains them.
func (p *page) deviations(r run.Run) {
	all := view.DeviationGroups(r)
	if len(all) == 0 {
		return
	}
	p.title("Deviations: measured what the code should not compute")
	for _, g := range all {
		if g.Diagnosis != nil {
			p.line("  ", view.AsIf(*g.Diagnosis))
		} else {
			p.line("  ", "no known wrong behaviour fits")
		}
		outcomes := g.Outcomes()
		spelledOut := outcomes[:min(MostDeviations, len(outcomes))]
		var formulas []string
		for _, claims := range spelledOut {
			p.deviation(r.Subject(claims[0].Outcome.Subject), claims)
			for _, c := range claims {
				if should := c.Finding.Says + " (" + c.Finding.Formula + ", " + c.Finding.Source + ")"; !slices.Contains(
					formulas,
					should,
				) {
					formulas = append(formulas, should)
				}
			}
		}
		var names []string
		for _, claims := range outcomes[len(spelledOut):] {
			names = append(names, claims[0].Outcome.Trial+" on "+claims[0].Outcome.Subject)
		}
		if len(names) > 0 {
			p.line("    ", "and ", run.Plural(len(names), "more trial"), ": ", view.Listed(names))
		}
		for _, should := range formulas {
			p.line("    ", "should be: ", should)
		}
	}
	if p.folder != "" {
		p.line("  ", "Pod, timeline and node log of each: ", filepath.Join(p.folder, run.DeviationsFolder))
	}
}

// MostClaims is how many claims of one outcome are spelled out: what is wrong once is often wrong in every life.
const MostClaims = 3

// deviation spells out the deviating claims of one outcome, those first that have a diagnosis.
func (p *page) deviation(s run.Subject, claims []view.Deviating) {
	o := claims[0].Outcome
	p.line("    ", o.Trial, " on ", o.Subject)
	diagnosed := view.FirstDiagnosis(o) != nil
	claims = slices.SortedStableFunc(slices.Values(claims), func(x, y view.Deviating) int { return rank(x) - rank(y) })
	for _, c := range claims[:min(MostClaims, len(claims))] {
		why := c.Finding.Why
		if diagnosed && c.Finding.Diagnosis == nil {
			why += "; no known wrong behaviour would measure this"
		}
		p.line("      ", c.Finding.Claim, view.Model(s, c.Finding), ": ", why)
		if c.Finding.Diagnosis == nil {
			p.line("        ", "the code computes: ", c.Finding.Implemented.Explain())
		}
	}
	if rest := len(claims) - MostClaims; rest > 0 {
		p.line("      ", "and ", run.Plural(rest, "more claim"))
	}
}

// rank puts what has a diagnosis first.
func rank(d view.Deviating) int {
	if d.Finding.Diagnosis != nil {
		return 0
	}
	return 1
}

// mostDisagreements is how many trials are spelled out on which the lanes disagree; the others are named.
const mostDisagreements = 8

// disagreements spells out what the lanes do not say alike of the same code.
func (p *page) disagreements(title string, all []view.Disagreement) {
	if len(all) == 0 {
		return
	}
	p.title(title)
	told := map[string]bool{}
	var names []string
	for _, d := range all {
		name := d.Trial + " on " + d.Node.Subject
		if !told[name] && len(told) == mostDisagreements {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			continue
		}
		told[name] = true
		p.line("  ", d.String())
	}
	if len(names) > 0 {
		p.line("  ", "and ", run.Plural(len(names), "more trial"), ": ", view.Listed(names))
	}
}

// inconclusive lists what could not be judged, by its reason.
func (p *page) inconclusive(r run.Run) {
	p.reasons(r, trial.Inconclusive, "Inconclusive: the evidence does not allow a judgement")
}

func (p *page) unsupported(r run.Run) {
	p.reasons(r, trial.Unsupported, "Unsupported: the trial cannot run on this subject")
}

// reasons lists the outcomes with a verdict under their reasons: what hit many trials is said once.
func (p *page) reasons(r run.Run, v trial.Verdict, title string) {
	order, names := view.Reasons(r, v)
	if len(order) == 0 {
		return
	}
	p.title(title)
	for _, why := range order {
		p.line("  ", run.Plural(len(names[why]), "trial"), ": ", p.snip(why))
		p.line("    ", view.Listed(names[why]))
	}
}

// LongestReason is how much of a reason a summary has.
const LongestReason = 600

// snip cuts a reason that quotes a whole log, and says where the rest is.
func (p *page) snip(why string) string {
	if text.StringWidth(why) <= LongestReason {
		return why
	}
	return text.Snip(why, LongestReason, "…") + " (all of it in " + run.MarkdownFile + ")"
}

// divergences counts, once per formula and promise, what the documentation promises and the code does not keep.
func (p *page) divergences(r run.Run) {
	all := view.DivergingIn(r)
	if len(all) == 0 {
		return
	}
	p.title("Divergences: the code does what it always did, the documentation says otherwise")
	for _, d := range all {
		p.line(
			"  ",
			d.Formula,
			": ",
			d.Gap(),
			"; ",
			run.Plural(len(d.Trials()), "trial"),
			" on ",
			run.Plural(len(d.Seen), "subject"),
			"; ",
			d.Known(),
		)
	}
	if p.folder != "" {
		p.line("  ", "With promise, page and numbers: make divergences RUN=", p.folder)
	}
}
