package view

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
)

// Diverging is one place where documentation and code part: a formula and a promise, with every claim of
// the run that shows it.
type Diverging struct {
	Formula, Says, Source string
	Promise, Page         string
	unit                  formula.Unit
	// rows are the claims that diverge on at least one subject, by trial and claim.
	Rows []PromisedClaim
	// seen and kept are, by subject, how many of these claims broke and kept the promise. What other claims
	// of the formula kept says nothing here.
	Seen, Kept map[string]int
}

// PromisedClaim is one claim of one trial with what was found on each subject.
type PromisedClaim struct {
	Trial, Claim string
	On           map[string]trial.Finding
}

// DivergingIn collects those of a run, by formula and promise.
func DivergingIn(r run.Run) []*Diverging {
	index := map[[2]string]*Diverging{}
	rows := map[*Diverging]map[[2]string]*PromisedClaim{}
	for _, o := range r.Outcomes {
		for _, f := range FindingsOf(o) {
			if f.Documented == nil || f.Measured == nil || f.Verdict != trial.Conforms && f.Verdict != trial.Divergent {
				continue
			}
			key := [2]string{f.Formula, f.Promise}
			d := index[key]
			if d == nil {
				d = &Diverging{
					Formula: f.Formula, Says: f.Says, Source: f.Source, Promise: f.Promise, Page: f.DocumentedAt,
					unit: f.Measured.Unit, Seen: map[string]int{}, Kept: map[string]int{},
				}
				index[key], rows[d] = d, map[[2]string]*PromisedClaim{}
			}
			row := rows[d][[2]string{o.Trial, f.Claim}]
			if row == nil {
				row = &PromisedClaim{Trial: o.Trial, Claim: f.Claim, On: map[string]trial.Finding{}}
				rows[d][[2]string{o.Trial, f.Claim}] = row
			}
			row.On[o.Subject] = f
		}
	}
	var all []*Diverging
	for d, claims := range rows {
		for _, row := range claims {
			if row.diverges() > 0 {
				d.Add(*row)
			}
		}
		if len(d.Rows) == 0 {
			continue
		}
		slices.SortFunc(d.Rows, func(x, y PromisedClaim) int {
			return cmp.Or(cmp.Compare(x.Trial, y.Trial), cmp.Compare(x.Claim, y.Claim))
		})
		all = append(all, d)
	}
	slices.SortFunc(all, func(x, y *Diverging) int {
		return cmp.Or(cmp.Compare(x.Formula, y.Formula), cmp.Compare(x.Promise, y.Promise))
	})
	return all
}

// Add takes over a claim that diverges.
func (d *Diverging) Add(row PromisedClaim) {
	d.Rows = append(d.Rows, row)
	for subject, f := range row.On {
		if f.Verdict == trial.Divergent {
			d.Seen[subject]++
		} else {
			d.Kept[subject]++
		}
	}
}

// diverges counts the subjects on which the claim diverges.
func (c PromisedClaim) diverges() int {
	n := 0
	for _, f := range c.On {
		if f.Verdict == trial.Divergent {
			n++
		}
	}
	return n
}

// Gap says how far the code is from the documentation: the least and the most that was measured.
func (d Diverging) Gap() string {
	var above, below []int64
	for _, row := range d.Rows {
		for _, f := range row.On {
			if f.Verdict != trial.Divergent {
				continue
			}
			if miss := f.Documented.Miss(f.Measured.Value); miss > 0 {
				above = append(above, miss)
			} else {
				below = append(below, -miss)
			}
		}
	}
	var parts []string
	if len(above) > 0 {
		parts = append(parts, d.between(slices.Min(above), slices.Max(above))+" above")
	}
	if len(below) > 0 {
		parts = append(parts, d.between(slices.Min(below), slices.Max(below))+" below")
	}
	return strings.Join(parts, ", ") + " what is documented"
}

// between writes the least and the most of some sizes, rounded so that two runs differ little: once, where
// the two are then the same.
func (d Diverging) between(least, most int64) string {
	low, high := decimal(d.unit, least, places(d.unit, least)), decimal(d.unit, most, places(d.unit, most))
	if low == high {
		return withUnit(d.unit, high)
	}
	return low + " to " + withUnit(d.unit, high)
}

// Trials are the trials that show it, each once.
func (d Diverging) Trials() []string {
	var ids []string
	for _, row := range d.Rows {
		if len(ids) == 0 || ids[len(ids)-1] != row.Trial {
			ids = append(ids, row.Trial)
		}
	}
	return ids
}

// References are the issues of the claims that diverge, each text once: they may depend on the version or
// the kind of kill.
func (d Diverging) References() []string {
	var texts []string
	for _, row := range d.Rows {
		for _, f := range row.On {
			if f.Verdict == trial.Divergent {
				texts = append(texts, cmp.Or(f.Issues, formula.NoIssueKnown))
			}
		}
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// Unknown says whether no issue is known for it, or for some of its claims.
func (d Diverging) Unknown() bool { return slices.Contains(d.References(), formula.NoIssueKnown) }

// Known are the issues in words.
func (d Diverging) Known() string { return strings.Join(d.References(), "; ") }

// Shortest is the claim to reproduce the divergence with: the one seen on the most subjects, of those the
// one of the trial that should be over soonest. What a trial should take, not what it took, keeps the
// choice the same from run to run.
func (d Diverging) Shortest(catalogue func(id string) (trial.Trial, bool)) PromisedClaim {
	lasts := func(row PromisedClaim) time.Duration {
		if t, known := catalogue(row.Trial); known {
			return t.Lasts
		}
		return math.MaxInt64
	}
	return slices.MinFunc(d.Rows, func(x, y PromisedClaim) int {
		return cmp.Or(
			cmp.Compare(y.diverges(), x.diverges()),
			cmp.Compare(lasts(x), lasts(y)),
			cmp.Compare(x.Trial, y.Trial),
			cmp.Compare(x.Claim, y.Claim),
		)
	})
}

// Sightings say on which subjects the promise was broken, kept, and not measured.
func (d Diverging) Sightings(subjects []string) (seen, kept, unmeasured []string) {
	for _, s := range subjects {
		switch {
		case d.Seen[s] > 0:
			seen = append(seen, fmt.Sprintf("%s (%s)", s, run.Plural(d.Seen[s], "claim")))
		case d.Kept[s] > 0:
			kept = append(kept, fmt.Sprintf("%s (%s)", s, run.Plural(d.Kept[s], "claim")))
		default:
			unmeasured = append(unmeasured, s)
		}
	}
	return seen, kept, unmeasured
}

// DivergencesOptions is what a run does not know itself.
type DivergencesOptions struct {
	// Catalogue finds a trial by its ID.
	Catalogue func(id string) (trial.Trial, bool)
	// Settings says what else the command that runs a trial must be told, such as "PROFILE=full"; empty for nothing.
	Settings func(trial string) string
	// Missing is what the run lacks (Run.Missing): the text begins with it.
	Missing []string
}

// PromisedCell is what was measured on one subject.
func PromisedCell(row PromisedClaim, subject string) string {
	f, found := row.On[subject]
	if !found {
		return "-"
	}
	text := withUnit(f.Measured.Unit, decimal(f.Measured.Unit, f.Measured.Value, row.decimals()))
	if f.Verdict == trial.Divergent {
		return "**" + text + "**"
	}
	return text
}

// PromisedSpan is the documented window.
func PromisedSpan(row PromisedClaim) string {
	w := row.documented()
	earliest, latest := decimal(
		w.Unit,
		w.Earliest,
		row.decimals(),
	), withUnit(
		w.Unit,
		decimal(w.Unit, w.Latest, row.decimals()),
	)
	if w.Earliest == w.Latest {
		return latest
	}
	return earliest + " to " + latest
}

// plain is what a shell takes as it is.
var plain = regexp.MustCompile(`^[A-Za-z0-9.,+@/_-]+$`)

// Focus is the value of FOCUS that chooses one trial alone: a spec's text ends with its trial's ID. The
// quotes are for the shell, the doubled sign is for make, which hands on a single one.
func Focus(id string) string { return "'" + regexp.QuoteMeta(id) + "$$'" }

// Reproduce is the command that runs the claim's trial on the subjects where it diverges.
func Reproduce(row PromisedClaim, subjects []string, settings func(trial string) string) string {
	on := slices.DeleteFunc(slices.Clone(subjects), func(s string) bool {
		f, found := row.On[s]
		return !found || f.Verdict != trial.Divergent
	})
	command := "make e2e FOCUS=" + Focus(row.Trial) + " SUBJECTS="
	if list := strings.Join(on, ","); plain.MatchString(list) {
		command += list
	} else {
		command += "'" + list + "'"
	}
	return strings.TrimSpace(command + " " + settings(row.Trial))
}
