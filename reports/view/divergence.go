package view

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Divergence is a difference between documentation and code: a formula and a promise that it breaks.
type Divergence struct {
	Formula, Description, Source string
	// Promise is what the documentation at Page promises, in podclock's words.
	Promise, Page string
	// Gap is the distance between the measured and the documented values.
	Gap string
	// Issues discuss the divergence. Unknown is true if some of its claims have no issue.
	Issues  []string
	Unknown bool
	// Subjects are the subjects that broke the promise.
	Subjects []string
	// Seen and Kept are the subjects that broke and kept the promise, each with its number of claims.
	// Unmeasured are those without a measurement.
	Seen, Kept, Unmeasured []string
	// Claims are the claims that diverge on at least one subject, by trial and claim.
	Claims []DivergingClaim
	// Shortest is the claim to reproduce the divergence with, and Reproduce is the command. Both are empty
	// without a catalogue.
	Shortest  DivergingClaim
	Reproduce string
}

// DivergingClaim is one claim that shows a divergence.
type DivergingClaim struct {
	Trial, Claim string
	// Documented is the window of all subjects, "" if they differ: a window can depend on what was measured before,
	// such as a hook's time.
	Documented string
	// On are the measurements, in the order of the subjects.
	On []Promised
}

// Promised is the measurement of a promise on a subject, "-" if there is none.
type Promised struct {
	Measured string
	// Documented is the subject's own window.
	Documented string
	Broken     bool
}

// Catalogue finds a trial by its ID. It can be nil.
type Catalogue func(id string) (trial.Trial, bool)

// Command returns a command of make with the profile that a trial needs.
func (c Catalogue) Command(command, id string) string {
	if t, known := c(id); known && !trial.Quick.Holds(t) {
		command += " PROFILE=" + string(trial.Full)
	}
	return command
}

// Trials returns the trials that show the divergence, each once.
func (d Divergence) Trials() []string {
	var ids []string
	for _, c := range d.Claims {
		ids = append(ids, c.Trial)
	}
	return slices.Compact(ids)
}

// String returns the divergence in one line.
func (d Divergence) String() string {
	return fmt.Sprintf("%s: %s; %s on %s; %s", d.Formula, d.Gap, run.Plural(len(d.Trials()), "trial"),
		run.Plural(len(d.Subjects), "subject"), strings.Join(d.Issues, "; "))
}

// NoIssue reports whether a text states that no issue is known.
func NoIssue(text string) bool { return text == formula.NoIssueKnown }

// DivergencesOf returns the divergences of a run by formula and promise. Without a catalogue they have no command.
func DivergencesOf(r run.Run, trials Catalogue) []Divergence {
	return divergences(r, Names(ColumnsOf(r)), trials)
}

// KnownDivergences returns the divergences of a run that have an issue, one for each text of issues. The issues
// of one formula can depend on the version or the cause.
func KnownDivergences(r run.Run, trials Catalogue) []Divergence {
	var all []Divergence
	for _, p := range brokenPromises(r) {
		for _, issues := range p.references() {
			if !NoIssue(issues) {
				all = append(all, p.of(issues).divergence(Names(ColumnsOf(r)), trials, r.Environment))
			}
		}
	}
	return all
}

func divergences(r run.Run, subjects []string, trials Catalogue) []Divergence {
	var all []Divergence
	for _, p := range brokenPromises(r) {
		all = append(all, p.divergence(subjects, trials, r.Environment))
	}
	return all
}

// promise is a formula and its documentation, with every claim of the run that breaks it.
type promise struct {
	formula, says, source, text, page string
	unit                              formula.Unit
	claims                            []promisedClaim
}

// promisedClaim is one claim of one trial with its finding on every subject.
type promisedClaim struct {
	trial, claim string
	on           map[string]trial.Finding
}

// brokenPromises collects the promises that a claim of the run breaks, by formula and text.
func brokenPromises(r run.Run) []promise {
	type key struct{ formula, text, trial, claim string }
	promises, claims := map[key]*promise{}, map[key]promisedClaim{}
	for _, o := range r.Outcomes {
		for _, f := range FindingsOf(o) {
			if f.Documented == nil || f.Measured == nil || f.Verdict != trial.Conforms && f.Verdict != trial.Divergent {
				continue
			}
			one := key{f.Formula, f.Promise, o.Trial, f.Claim}
			if claims[one].on == nil {
				claims[one] = promisedClaim{o.Trial, f.Claim, map[string]trial.Finding{}}
			}
			claims[one].on[o.Subject] = f
			if whole := (key{formula: f.Formula, text: f.Promise}); promises[whole] == nil {
				promises[whole] = &promise{f.Formula, f.Description, f.Source, f.Promise, f.DocumentedAt,
					f.Measured.Unit, nil}
			}
		}
	}
	for one, c := range claims {
		if c.broken() > 0 {
			p := promises[key{formula: one.formula, text: one.text}]
			p.claims = append(p.claims, c)
		}
	}
	var all []promise
	for _, p := range promises {
		slices.SortFunc(p.claims, func(x, y promisedClaim) int {
			return cmp.Or(cmp.Compare(x.trial, y.trial), cmp.Compare(x.claim, y.claim))
		})
		if len(p.claims) > 0 {
			all = append(all, *p)
		}
	}
	slices.SortFunc(all, func(x, y promise) int {
		return cmp.Or(cmp.Compare(x.formula, y.formula), cmp.Compare(x.text, y.text))
	})
	return all
}

// of returns the part of a promise that the given issues discuss.
func (p promise) of(issues string) promise {
	part := p
	part.claims = nil
	for _, c := range p.claims {
		on := map[string]trial.Finding{}
		for subject, f := range c.on {
			if f.Verdict == trial.Divergent && cmp.Or(f.Issues, formula.NoIssueKnown) == issues {
				on[subject] = f
			}
		}
		if len(on) > 0 {
			part.claims = append(part.claims, promisedClaim{c.trial, c.claim, on})
		}
	}
	return part
}

// divergence converts the promise to words.
func (p promise) divergence(subjects []string, trials Catalogue, of run.Environment) Divergence {
	d := Divergence{Formula: p.formula, Description: p.says, Source: p.source, Promise: p.text, Page: p.page,
		Gap: p.gap(), Issues: p.references()}
	d.Unknown = slices.ContainsFunc(d.Issues, NoIssue)
	for _, s := range subjects {
		seen, kept := 0, 0
		for _, c := range p.claims {
			if f, found := c.on[s]; found && f.Verdict == trial.Divergent {
				seen++
			} else if found {
				kept++
			}
		}
		switch {
		case seen > 0:
			d.Subjects = append(d.Subjects, s)
			d.Seen = append(d.Seen, fmt.Sprintf("%s (%s)", s, run.Plural(seen, "claim")))
		case kept > 0:
			d.Kept = append(d.Kept, fmt.Sprintf("%s (%s)", s, run.Plural(kept, "claim")))
		default:
			d.Unmeasured = append(d.Unmeasured, s)
		}
	}
	for _, c := range p.claims {
		d.Claims = append(d.Claims, c.inWords(subjects))
	}
	if trials != nil {
		shortest := p.shortest(trials)
		d.Shortest, d.Reproduce = shortest.inWords(subjects), shortest.reproduce(subjects, trials, of)
	}
	return d
}

// broken counts the subjects on which the claim diverges.
func (c promisedClaim) broken() int {
	n := 0
	for _, f := range c.on {
		if f.Verdict == trial.Divergent {
			n++
		}
	}
	return n
}

func (c promisedClaim) inWords(subjects []string) DivergingClaim {
	shown := DivergingClaim{Trial: c.trial, Claim: c.claim}
	decimals := c.decimals()
	var windows []string
	for _, s := range subjects {
		f, found := c.on[s]
		if !found {
			shown.On = append(shown.On, Promised{Measured: "-"})
			continue
		}
		one := Promised{
			Measured:   withUnit(f.Measured.Unit, decimal(f.Measured.Unit, f.Measured.Value, decimals)),
			Documented: span(*f.Documented, decimals),
			Broken:     f.Verdict == trial.Divergent,
		}
		shown.On, windows = append(shown.On, one), append(windows, one.Documented)
	}
	if windows = slices.Compact(windows); len(windows) == 1 {
		shown.Documented = windows[0]
	}
	return shown
}

// span writes a documented window.
func span(w formula.Window, decimals int) string {
	latest := withUnit(w.Unit, decimal(w.Unit, w.Latest, decimals))
	if w.Earliest == w.Latest {
		return latest
	}
	return decimal(w.Unit, w.Earliest, decimals) + " to " + latest
}

// gap returns the smallest and the largest distance from the documented windows, above and below.
func (p promise) gap() string {
	var above, below []int64
	for _, c := range p.claims {
		for _, f := range c.on {
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
		parts = append(parts, p.between(slices.Min(above), slices.Max(above))+" above")
	}
	if len(below) > 0 {
		parts = append(parts, p.between(slices.Min(below), slices.Max(below))+" below")
	}
	return strings.Join(parts, ", ") + " what is documented"
}

// between formats the smallest and the largest of some distances. It rounds, so that runs differ little.
func (p promise) between(least, most int64) string {
	low, high := decimal(p.unit, least, places(p.unit, least)), decimal(p.unit, most, places(p.unit, most))
	if low == high {
		return withUnit(p.unit, high)
	}
	return low + " to " + withUnit(p.unit, high)
}

// references returns the issues of the divergent claims, each text once.
func (p promise) references() []string {
	var texts []string
	for _, c := range p.claims {
		for _, f := range c.on {
			if f.Verdict == trial.Divergent {
				texts = append(texts, cmp.Or(f.Issues, formula.NoIssueKnown))
			}
		}
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// shortest returns the claim to reproduce the divergence with. It prefers the claim seen on the most subjects,
// then the trial with the shortest expected time. The expected time keeps the choice the same between runs.
func (p promise) shortest(trials Catalogue) promisedClaim {
	lasts := func(c promisedClaim) time.Duration {
		if t, known := trials(c.trial); known {
			return t.Lasts
		}
		return math.MaxInt64
	}
	return slices.MinFunc(p.claims, func(x, y promisedClaim) int {
		return cmp.Or(cmp.Compare(y.broken(), x.broken()), cmp.Compare(lasts(x), lasts(y)),
			cmp.Compare(x.trial, y.trial), cmp.Compare(x.claim, y.claim))
	})
}

// plain matches a text that a shell does not change.
var plain = regexp.MustCompile(`^[A-Za-z0-9.,+@/_-]+$`)

// Focus returns the value of FOCUS that selects one trial. A spec's text ends with its trial's ID. The quotes
// are for the shell. The doubled dollar sign is for make, which passes on a single one.
func Focus(id string) string { return "'" + regexp.QuoteMeta(id) + "$$'" }

// reproduce returns the command that runs the claim's trial on the subjects on which it diverges.
func (c promisedClaim) reproduce(subjects []string, trials Catalogue, of run.Environment) string {
	on := slices.DeleteFunc(slices.Clone(subjects), func(s string) bool { return c.on[s].Verdict != trial.Divergent })
	list := strings.Join(on, ",")
	if of.Settings["ON"] != "" { // the subjects are nodes of others
		return of.Command(map[string]string{"NODES": list, "FOCUS": regexp.QuoteMeta(c.trial) + "$"})
	}
	if !plain.MatchString(list) {
		list = "'" + list + "'"
	}
	return trials.Command("make e2e FOCUS="+Focus(c.trial)+" SUBJECTS="+list, c.trial)
}

// decimals returns the number of decimals for the claim's times: the fewest that still show which times are
// outside the documented window.
func (c promisedClaim) decimals() int {
	least := 1
	for _, f := range c.on {
		if time.Duration(f.Measured.Value).Abs() < time.Second {
			least = 2
		}
	}
	for n := least; n < exact; n++ {
		if c.suffices(n) {
			return n
		}
	}
	return exact
}

// suffices reports whether n decimals show for every time if it is outside its own documented window.
func (c promisedClaim) suffices(n int) bool {
	for _, f := range c.on {
		w := *f.Documented
		w.Earliest, w.Latest = rounded(w.Unit, w.Earliest, n), rounded(w.Unit, w.Latest, n)
		outside := w.Miss(rounded(w.Unit, f.Measured.Value, n)) != 0
		if outside != (f.Verdict == trial.Divergent) {
			return false
		}
	}
	return true
}
