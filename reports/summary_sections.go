package reports

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/trial"
)

// group is deviating claims with one explanation in common.
type group struct {
	// diagnosis is nil for claims that nothing known explains.
	diagnosis *trial.Diagnosis
	claims    []deviating
}

type deviating struct {
	outcome Outcome
	finding trial.Finding
}

// groups sorts a run's deviating claims by what explains them. A claim without a diagnosis goes with its
// trial's other claims, the undiagnosed trials come last.
func groups(r Run) []group {
	var found []group
	var open group
	index := map[string]int{}
	for _, b := range r.blocks() {
		for _, o := range b.outcomes {
			first := firstDiagnosis(o)
			for _, f := range findings(o) {
				if f.Verdict != trial.Deviates {
					continue
				}
				d := deviating{o, f}
				diagnosis := cmp.Or(f.Diagnosis, first)
				if diagnosis == nil {
					open.claims = append(open.claims, d)
					continue
				}
				i, known := index[asIf(*diagnosis)]
				if !known {
					i = len(found)
					index[asIf(*diagnosis)] = i
					found = append(found, group{diagnosis: diagnosis})
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

// firstDiagnosis is the first that one of the outcome's claims has, nil when none has.
func firstDiagnosis(o Outcome) *trial.Diagnosis {
	for _, f := range findings(o) {
		if f.Diagnosis != nil {
			return f.Diagnosis
		}
	}
	return nil
}

// outcomes are those of the group, each once, with their claims.
func (g group) outcomes() [][]deviating {
	var all [][]deviating
	for _, c := range g.claims {
		if n := len(
			all,
		); n > 0 && all[n-1][0].outcome.Trial == c.outcome.Trial &&
			all[n-1][0].outcome.Subject == c.outcome.Subject {
			all[n-1] = append(all[n-1], c)
		} else {
			all = append(all, []deviating{c})
		}
	}
	return all
}

// mostDeviations is how many outcomes are spelled out that one explanation has in common; the others are named.
const mostDeviations = 4

// deviations spells out deviating claims, under what explains them.
func (p *page) deviations(r Run) {
	all := groups(r)
	if len(all) == 0 {
		return
	}
	p.title("Deviations: measured what the code should not compute")
	for _, g := range all {
		if g.diagnosis != nil {
			p.line("  ", asIf(*g.diagnosis))
		} else {
			p.line("  ", "no known wrong behaviour fits")
		}
		outcomes := g.outcomes()
		spelledOut := outcomes[:min(mostDeviations, len(outcomes))]
		var formulas []string
		for _, claims := range spelledOut {
			p.deviation(r.subject(claims[0].outcome.Subject), claims)
			for _, c := range claims {
				if should := c.finding.Says + " (" + c.finding.Formula + ", " + c.finding.Source + ")"; !slices.Contains(
					formulas,
					should,
				) {
					formulas = append(formulas, should)
				}
			}
		}
		var names []string
		for _, claims := range outcomes[len(spelledOut):] {
			names = append(names, claims[0].outcome.Trial+" on "+claims[0].outcome.Subject)
		}
		if len(names) > 0 {
			p.line("    ", "and ", plural(len(names), "more trial"), ": ", listed(names))
		}
		for _, should := range formulas {
			p.line("    ", "should be: ", should)
		}
	}
	if p.folder != "" {
		p.line("  ", "Pod, timeline and node log of each: ", filepath.Join(p.folder, DeviationsFolder))
	}
}

// mostClaims is how many claims of one outcome are spelled out: what is wrong once is often wrong in every life.
const mostClaims = 3

// deviation spells out the deviating claims of one outcome, those first that have a diagnosis.
func (p *page) deviation(s Subject, claims []deviating) {
	o := claims[0].outcome
	p.line("    ", o.Trial, " on ", o.Subject)
	diagnosed := firstDiagnosis(o) != nil
	claims = slices.SortedStableFunc(slices.Values(claims), func(x, y deviating) int { return rank(x) - rank(y) })
	for _, c := range claims[:min(mostClaims, len(claims))] {
		why := c.finding.Why
		if diagnosed && c.finding.Diagnosis == nil {
			why += "; no known wrong behaviour would measure this"
		}
		p.line("      ", c.finding.Claim, s.model(c.finding), ": ", why)
		if c.finding.Diagnosis == nil {
			p.line("        ", "the code computes: ", c.finding.Implemented.Explain())
		}
	}
	if rest := len(claims) - mostClaims; rest > 0 {
		p.line("      ", "and ", plural(rest, "more claim"))
	}
}

// rank puts what has a diagnosis first.
func rank(d deviating) int {
	if d.finding.Diagnosis != nil {
		return 0
	}
	return 1
}

// mostDisagreements is how many trials are spelled out on which the lanes disagree; the others are named.
const mostDisagreements = 8

// disagreements spells out what the lanes do not say alike of the same code.
func (p *page) disagreements(title string, all []Disagreement) {
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
		p.line("  ", "and ", plural(len(names), "more trial"), ": ", listed(names))
	}
}

// inconclusive lists what could not be judged, by its reason.
func (p *page) inconclusive(r Run) {
	p.reasons(r, trial.Inconclusive, "Inconclusive: the evidence does not allow a judgement")
}

func (p *page) unsupported(r Run) {
	p.reasons(r, trial.Unsupported, "Unsupported: the trial cannot run on this subject")
}

// reasons lists the outcomes with a verdict under their reasons: what hit many trials is said once.
func (p *page) reasons(r Run, v trial.Verdict, title string) {
	order, names := r.reasons(v)
	if len(order) == 0 {
		return
	}
	p.title(title)
	for _, why := range order {
		p.line("  ", plural(len(names[why]), "trial"), ": ", p.snip(why))
		p.line("    ", listed(names[why]))
	}
}

// longestReason is how much of a reason a summary has.
const longestReason = 600

// snip cuts a reason that quotes a whole log, and says where the rest is.
func (p *page) snip(why string) string {
	if text.StringWidth(why) <= longestReason {
		return why
	}
	return text.Snip(why, longestReason, "…") + " (all of it in " + MarkdownFile + ")"
}

// reasons are the reasons of the outcomes with a verdict, in the order in which they are met, and the names
// of those that have them.
func (r Run) reasons(v trial.Verdict) (order []string, names map[string][]string) {
	names = map[string][]string{}
	for _, reason := range r.reasonsOf(v) {
		order = append(order, reason.Why)
		for _, on := range reason.On {
			name := on.Trial + " on " + on.Subject
			if on.Attempts > 1 {
				name += " (" + plural(on.Attempts, "attempt") + ")"
			}
			names[reason.Why] = append(names[reason.Why], name)
		}
	}
	return order, names
}

// listed names the first few of many.
func listed(names []string) string {
	if rest := len(names) - mostNames; rest > 0 {
		names = append(slices.Clone(names[:mostNames]), fmt.Sprintf("and %d more", rest))
	}
	return strings.Join(names, ", ")
}

// mostNames is how many trials a list has by name.
const mostNames = 6

// divergences counts, once per formula and promise, what the documentation promises and the code does not keep.
func (p *page) divergences(r Run) {
	all := divergences(r)
	if len(all) == 0 {
		return
	}
	p.title("Divergences: the code does what it always did, the documentation says otherwise")
	for _, d := range all {
		p.line(
			"  ",
			d.formula,
			": ",
			d.gap(),
			"; ",
			plural(len(d.trials()), "trial"),
			" on ",
			plural(len(d.seen), "subject"),
			"; ",
			d.known(),
		)
	}
	if p.folder != "" {
		p.line("  ", "With promise, page and numbers: make divergences RUN=", p.folder)
	}
}
