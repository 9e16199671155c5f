package reports

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
)

// divergence is one place where documentation and code part: a formula and a promise, with every claim of
// the run that shows it.
type divergence struct {
	formula, says, source string
	promise, page         string
	unit                  formula.Unit
	// rows are the claims that diverge on at least one subject, by trial and claim.
	rows []promisedClaim
	// seen and kept are, by subject, how many of these claims broke and kept the promise. What other claims
	// of the formula kept says nothing here.
	seen, kept map[string]int
}

// promisedClaim is one claim of one trial with what was found on each subject.
type promisedClaim struct {
	trial, claim string
	on           map[string]trial.Finding
}

// divergences collects those of a run, by formula and promise.
func divergences(r Run) []*divergence {
	index := map[[2]string]*divergence{}
	rows := map[*divergence]map[[2]string]*promisedClaim{}
	for _, o := range r.Outcomes {
		for _, f := range findings(o) {
			if f.Documented == nil || f.Measured == nil || f.Verdict != trial.Conforms && f.Verdict != trial.Divergent {
				continue
			}
			key := [2]string{f.Formula, f.Promise}
			d := index[key]
			if d == nil {
				d = &divergence{
					formula: f.Formula, says: f.Says, source: f.Source, promise: f.Promise, page: f.DocumentedAt,
					unit: f.Measured.Unit, seen: map[string]int{}, kept: map[string]int{},
				}
				index[key], rows[d] = d, map[[2]string]*promisedClaim{}
			}
			row := rows[d][[2]string{o.Trial, f.Claim}]
			if row == nil {
				row = &promisedClaim{trial: o.Trial, claim: f.Claim, on: map[string]trial.Finding{}}
				rows[d][[2]string{o.Trial, f.Claim}] = row
			}
			row.on[o.Subject] = f
		}
	}
	var all []*divergence
	for d, claims := range rows {
		for _, row := range claims {
			if row.diverges() > 0 {
				d.add(*row)
			}
		}
		if len(d.rows) == 0 {
			continue
		}
		slices.SortFunc(d.rows, func(x, y promisedClaim) int {
			return cmp.Or(cmp.Compare(x.trial, y.trial), cmp.Compare(x.claim, y.claim))
		})
		all = append(all, d)
	}
	slices.SortFunc(all, func(x, y *divergence) int {
		return cmp.Or(cmp.Compare(x.formula, y.formula), cmp.Compare(x.promise, y.promise))
	})
	return all
}

// add takes over a claim that diverges.
func (d *divergence) add(row promisedClaim) {
	d.rows = append(d.rows, row)
	for subject, f := range row.on {
		if f.Verdict == trial.Divergent {
			d.seen[subject]++
		} else {
			d.kept[subject]++
		}
	}
}

// diverges counts the subjects on which the claim diverges.
func (c promisedClaim) diverges() int {
	n := 0
	for _, f := range c.on {
		if f.Verdict == trial.Divergent {
			n++
		}
	}
	return n
}

// gap says how far the code is from the documentation: the least and the most that was measured.
func (d divergence) gap() string {
	var above, below []int64
	for _, row := range d.rows {
		for _, f := range row.on {
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
func (d divergence) between(least, most int64) string {
	low, high := decimal(d.unit, least, places(d.unit, least)), decimal(d.unit, most, places(d.unit, most))
	if low == high {
		return withUnit(d.unit, high)
	}
	return low + " to " + withUnit(d.unit, high)
}

// trials are the trials that show it, each once.
func (d divergence) trials() []string {
	var ids []string
	for _, row := range d.rows {
		if len(ids) == 0 || ids[len(ids)-1] != row.trial {
			ids = append(ids, row.trial)
		}
	}
	return ids
}

// references are the issues of the claims that diverge, each text once: they may depend on the version or
// the kind of kill.
func (d divergence) references() []string {
	var texts []string
	for _, row := range d.rows {
		for _, f := range row.on {
			if f.Verdict == trial.Divergent {
				texts = append(texts, cmp.Or(f.Issues, formula.NoIssueKnown))
			}
		}
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// unknown says whether no issue is known for it, or for some of its claims.
func (d divergence) unknown() bool { return slices.Contains(d.references(), formula.NoIssueKnown) }

// known are the issues in words.
func (d divergence) known() string { return strings.Join(d.references(), "; ") }

// shortest is the claim to reproduce the divergence with: the one seen on the most subjects, of those the
// one of the trial that should be over soonest. What a trial should take, not what it took, keeps the
// choice the same from run to run.
func (d divergence) shortest(catalogue func(id string) (trial.Trial, bool)) promisedClaim {
	lasts := func(row promisedClaim) time.Duration {
		if t, known := catalogue(row.trial); known {
			return t.Lasts
		}
		return math.MaxInt64
	}
	return slices.MinFunc(d.rows, func(x, y promisedClaim) int {
		return cmp.Or(
			cmp.Compare(y.diverges(), x.diverges()),
			cmp.Compare(lasts(x), lasts(y)),
			cmp.Compare(x.trial, y.trial),
			cmp.Compare(x.claim, y.claim),
		)
	})
}

// sightings say on which subjects the promise was broken, kept, and not measured.
func (d divergence) sightings(subjects []string) (seen, kept, unmeasured []string) {
	for _, s := range subjects {
		switch {
		case d.seen[s] > 0:
			seen = append(seen, fmt.Sprintf("%s (%s)", s, plural(d.seen[s], "claim")))
		case d.kept[s] > 0:
			kept = append(kept, fmt.Sprintf("%s (%s)", s, plural(d.kept[s], "claim")))
		default:
			unmeasured = append(unmeasured, s)
		}
	}
	return seen, kept, unmeasured
}
