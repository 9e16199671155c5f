package reports

import (
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/formula"
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

// groups sorts a run's deviating claims by their diagnosis, the undiagnosed last.
func groups(r Run) []group {
	var found []group
	var open group
	index := map[string]int{}
	for _, b := range r.blocks() {
		for _, o := range b.outcomes {
			for _, f := range findings(o) {
				if f.Verdict != trial.Deviates {
					continue
				}
				d := deviating{o, f}
				if f.Diagnosis == nil {
					open.claims = append(open.claims, d)
					continue
				}
				i, known := index[asIf(*f.Diagnosis)]
				if !known {
					i = len(found)
					index[asIf(*f.Diagnosis)] = i
					found = append(found, group{diagnosis: f.Diagnosis})
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

// subjects are those of the group's claims, each once.
func (g group) subjects() []string {
	var names []string
	for _, c := range g.claims {
		if !slices.Contains(names, c.outcome.Subject) {
			names = append(names, c.outcome.Subject)
		}
	}
	return names
}

// deviations spells out every deviating claim, under what explains it.
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
		said, formulas := "", []string{}
		for _, c := range g.claims {
			if name := c.outcome.Trial + " on " + c.outcome.Subject; name != said {
				said = name
				p.line("    ", name)
			}
			p.line("      ", c.finding.Claim, ": ", c.finding.Why)
			if g.diagnosis == nil {
				p.line("        ", "the code computes: ", c.finding.Implemented.Explain())
			}
			should := c.finding.Says + " (" + c.finding.Formula + ", " + c.finding.Source + ")"
			if !slices.Contains(formulas, should) {
				formulas = append(formulas, should)
			}
		}
		for _, should := range formulas {
			p.line("    ", "should be: ", should)
		}
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
	var order []string
	names := map[string][]string{}
	for _, b := range r.blocks() {
		for _, o := range b.outcomes {
			if o.Verdict != v {
				continue
			}
			why := reason(o)
			if _, seen := names[why]; !seen {
				order = append(order, why)
			}
			name := o.Trial + " on " + o.Subject
			if len(o.Attempts) > 1 {
				name += " (" + plural(len(o.Attempts), "attempt") + ")"
			}
			names[why] = append(names[why], name)
		}
	}
	if len(order) == 0 {
		return
	}
	p.title(title)
	for _, why := range order {
		list := names[why]
		p.line("  ", plural(len(list), "trial"), ": ", why)
		if rest := len(list) - mostNames; rest > 0 {
			list = append(slices.Clone(list[:mostNames]), plural(rest, "more trial")+", see the table")
		}
		p.line("    ", strings.Join(list, ", "))
	}
}

// mostNames is how many trials a reason lists by name.
const mostNames = 6

// gap is the difference between code and documentation in one formula, as a run measured it.
type gap struct {
	formula        trial.Finding
	trials         map[string]bool
	below, above   int64
	lowest, higher string
}

// gaps collects the divergent claims of a run, one entry per formula.
func gaps(r Run) []*gap {
	var all []*gap
	index := map[string]*gap{}
	for _, b := range r.blocks() {
		for _, o := range b.outcomes {
			for _, f := range findings(o) {
				if f.Verdict != trial.Divergent || f.Documented == nil || f.Measured == nil {
					continue
				}
				g := index[f.Formula]
				if g == nil {
					g = &gap{formula: f, trials: map[string]bool{}}
					index[f.Formula] = g
					all = append(all, g)
				}
				g.trials[o.Trial] = true
				where := f.Claim + " of " + o.Trial
				switch miss := f.Documented.Miss(f.Measured.Value); {
				case miss < g.below:
					g.below, g.lowest = miss, where
				case miss > g.above:
					g.above, g.higher = miss, where
				}
			}
		}
	}
	return all
}

// size says how far the code is from the documentation, at most.
func (g gap) size(u formula.Unit) string {
	var parts []string
	if g.above > 0 {
		parts = append(parts, value(u, g.above)+" above what is documented ("+g.higher+")")
	}
	if g.below < 0 {
		parts = append(parts, value(u, -g.below)+" below what is documented ("+g.lowest+")")
	}
	return "up to " + strings.Join(parts, ", up to ") + "; in " + plural(len(g.trials), "trial")
}

// divergences lists, once per formula, what the documentation promises and the code does not keep.
func (p *page) divergences(r Run) {
	all := gaps(r)
	if len(all) == 0 {
		return
	}
	p.title("Divergences: the code does what it always did, the documentation says otherwise")
	for _, g := range all {
		f := g.formula
		p.line("  ", f.Formula, ": ", f.Says)
		p.line("    ", "promise: ", f.Promise)
		p.line("    ", "page: ", f.DocumentedAt)
		if f.Issues != "" {
			p.line("    ", "issues: ", f.Issues)
		}
		p.line("    ", "gap: ", g.size(f.Measured.Unit))
	}
}
