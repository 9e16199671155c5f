// Package difference arranges for readers what two kubelets did differently under virtual time: their traces, and in
// one run their verdicts and values, as those of a source tree and its base.
package difference

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/virtual/trace"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/series"
)

// Answer is what changed from a base to a tree.
type Answer struct {
	Base string `json:"base"`
	Tree string `json:"tree"`
	// Trials is the number of trials that both were judged in, Claims the number of their claims.
	Trials int `json:"trials"`
	Claims int `json:"claims"`
	// Changed are the claims with another verdict or value: verdicts first, then the largest change first.
	Changed []Claim `json:"changed,omitempty"`
	// Deviating are the trials in which the tree deviates.
	Deviating []string `json:"deviating,omitempty"`
	// Traces compares everything else that the two kubelets did.
	Traces trace.Report `json:"traces"`

	// Run has both.
	Run run.Run `json:"-"`

	code int
}

// Claim is a changed claim.
type Claim struct {
	Trial string       `json:"trial"`
	Claim string       `json:"claim"`
	Unit  formula.Unit `json:"unit,omitempty"`
	// Before and After are the measured values. Nil: nothing was measured.
	Before *int64 `json:"before"`
	After  *int64 `json:"after"`
	// Was and Is are the verdicts.
	Was trial.Verdict `json:"was"`
	Is  trial.Verdict `json:"is"`
	// Why is a known wrong behaviour that explains the tree's verdict, or else what the judge says.
	Why string `json:"why,omitempty"`

	// Changes are the references of the changes of Kubernetes that decide the claim's window.
	Changes []string `json:"-"`
}

// Judged reports whether the verdict changed, and not only the value.
func (c Claim) Judged() bool { return c.Was != c.Is }

func (c Claim) size() float64 {
	if c.Before == nil || c.After == nil {
		return 0
	}
	return max(float64(*c.After-*c.Before), float64(*c.Before-*c.After)) / float64(max(1, *c.Before, -*c.Before))
}

// Of compares two subjects of a run by its verdicts, and by the traces of both. If the sides have the values of several
// seeds, a value has changed if those differ by more than chance. Its claim then has the medians.
func Of(r run.Run, base, tree trace.Side) Answer {
	a := Answer{Base: base.Name, Tree: tree.Name, Traces: trace.Compare(base, tree), Run: r}
	seen := series.Observe(r)
	was := seen.On(a.Base)
	for _, o := range seen.Outcomes {
		before, both := was[o.Trial]
		if o.Subject != a.Tree || !both {
			continue
		}
		a.Trials++
		if o.Verdict == trial.Deviates {
			a.Deviating = append(a.Deviating, o.Trial)
		}
		old, now := before.Judged(), o.Judged()
		a.Claims += len(now)
		either := maps.Clone(old)
		maps.Copy(either, now)
		for _, name := range slices.Sorted(maps.Keys(either)) {
			c, changed := compare(o.Trial, name, old[name], now[name])
			if len(base.Values) > 0 {
				changed = a.shift(&c) || c.Judged()
			}
			if changed {
				a.Changed = append(a.Changed, c)
			}
		}
		if before.Verdict != o.Verdict && len(old)+len(now) == 0 {
			a.Changed = append(a.Changed, Claim{
				Trial: o.Trial, Was: before.Verdict, Is: o.Verdict, Why: o.Why,
			})
		}
	}
	slices.SortStableFunc(a.Changed, func(x, y Claim) int {
		return cmp.Or(order(y.Judged())-order(x.Judged()), cmp.Compare(y.size(), x.size()))
	})
	a.code = a.judge()
	return a
}

// shift gives a claim the medians of all seeds if those have shifted.
func (a Answer) shift(c *Claim) (shifted bool) {
	for _, s := range a.Traces.Shifts {
		if s.Trial == c.Trial && s.Claim == c.Claim && s.Unit == string(c.Unit) {
			c.Before, c.After, shifted = &s.Before[len(s.Before)/2], &s.After[len(s.After)/2], true
		}
	}
	return shifted
}

func order(first bool) int {
	if first {
		return 1
	}
	return 0
}

func compare(of, name string, before, after series.Claim) (Claim, bool) {
	c := Claim{
		Trial: of, Claim: name, Unit: cmp.Or(after.Unit, before.Unit), Before: before.Value, After: after.Value,
		Was: before.Verdict, Is: after.Verdict, Why: after.Why, Changes: slices.Concat(before.Changes, after.Changes),
	}
	same := (c.Before == nil) == (c.After == nil) && (c.Before == nil || *c.Before == *c.After)
	return c, !same || c.Judged()
}

func (a Answer) judge() int {
	tooMuch := func(u run.Unjudged) bool { return u.Fails && (u.Subject == a.Base || u.Subject == a.Tree) }
	traces := a.Traces.ExitCode()
	switch {
	case len(a.Deviating) > 0:
		return run.ExitDeviates
	case a.Trials == 0 || traces == run.ExitUnjudged || slices.ContainsFunc(a.Run.Unjudged(), tooMuch):
		return run.ExitUnjudged
	case len(a.Changed) > 0:
		return run.ExitChanged
	}
	return traces
}

// ExitCode returns 0 if nothing changed, 1 if the tree deviates, 2 if too little was judged, and 3 if something changed
// and conforms.
func (a Answer) ExitCode() int { return a.code }

// Verdicts returns the number of claims whose verdict changed.
func (a Answer) Verdicts() (n int) {
	for _, c := range a.Changed {
		if c.Judged() {
			n++
		}
	}
	return n
}

// Title is the answer in one sentence.
func (a Answer) Title() string {
	verdicts := a.Verdicts()
	of := fmt.Sprintf("%s and %s", run.Plural(a.Trials, "trial"), run.Plural(a.Claims, "claim"))
	switch a.code {
	case run.ExitConforms:
		return fmt.Sprintf("Nothing changed from %s to %s, in %s.", a.Base, a.Tree, of)
	case run.ExitUnjudged:
		return fmt.Sprintf("Too little was judged of %s and %s, in %s.", a.Base, a.Tree, of)
	}
	deviates := "it conforms"
	if n := len(a.Deviating); n > 0 {
		deviates = "it deviates in " + run.Plural(n, "trial")
	}
	return fmt.Sprintf("%s differs from %s, and %s: %d verdicts and %d values of %s changed, with %s of calls, "+
		"requests, events and marks.", a.Tree, a.Base, deviates, verdicts, len(a.Changed)-verdicts, of,
		run.Plural(len(a.Traces.Groups), "kind of difference"))
}

// Report is the answer in words.
func (a Answer) Report() view.Report {
	r := view.Report{Title: a.Title()}
	if a.code == run.ExitConforms {
		return r
	}
	verdicts := view.Section{ID: "verdicts", Title: "Changed verdicts"}
	values := view.Section{ID: "values", Title: "Changed values, the largest change first"}
	for _, c := range a.Changed {
		switch {
		case !c.Judged():
			values.AddLine(c.String())
		case c.Why == "":
			verdicts.AddLine(c.String())
		default:
			verdicts.AddLine(c.String(), c.Why)
		}
	}
	r.Sections = view.Shown(verdicts, values)
	if len(a.Traces.Groups) > 0 {
		traces := Traces(a.Traces).Report()
		r.Size, r.Sections = traces.Title, append(r.Sections, traces.Sections...)
	}
	return r
}

// notJudged replaces a verdict that there is none of.
const notJudged = "not judged"

// String is the claim in one line.
func (c Claim) String() string {
	name := c.Trial
	if c.Claim != "" {
		name += " " + c.Claim
	}
	return fmt.Sprintf("%s: %s → %s", name, c.From(), c.To())
}

// From is the value before, and the verdict if that changed.
func (c Claim) From() string {
	text := value(c.Unit, c.Before)
	if c.Judged() {
		text += ", " + string(cmp.Or(c.Was, notJudged))
	}
	return text
}

// To is the value after with the change, and the verdict if that changed.
func (c Claim) To() string {
	text := value(c.Unit, c.After)
	if c.Before != nil && c.After != nil && c.Unit == formula.Nanoseconds && *c.Before != *c.After {
		text += fmt.Sprintf(" (%s)", signed(time.Duration(*c.After-*c.Before)))
	}
	if c.Judged() {
		text += ", " + string(cmp.Or(c.Is, notJudged))
	}
	return text
}

func signed(d time.Duration) string {
	if d < 0 {
		return d.String()
	}
	return "+" + d.String()
}

func value(u formula.Unit, v *int64) string {
	if v == nil {
		return "no value"
	}
	return view.FormatValue(u, *v)
}
