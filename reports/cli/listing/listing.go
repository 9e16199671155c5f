// Package listing lists the catalogue and the possible subjects for terminals, documents and programs.
package listing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Listing is the catalogue by areas, with each formula once.
type Listing struct {
	versions []string
	areas    []areaListing
	formulas []formulaListing
}

type areaListing struct {
	name   string
	trials []trialListing
}

type trialListing struct {
	trial.Trial
	profile, worker string
	// on are the versions that it runs on, not the reasons against the others.
	on  []string
	not []string
}

// formulaListing is one formula with its known mistakes. An ID with several promises is listed for each.
type formulaListing struct {
	formula.Formula
	mistakes []formula.Mistake
}

// New lists trials by area, in the order of the catalogue, and their formulas by ID. For each trial it says which of
// the versions can run it, and why others cannot.
func New(catalogue []trial.Trial, versions []string) Listing {
	l := Listing{versions: versions}
	for _, t := range catalogue {
		i := slices.IndexFunc(l.areas, func(a areaListing) bool { return a.name == t.Area() })
		if i < 0 {
			i = len(l.areas)
			l.areas = append(l.areas, areaListing{name: t.Area()})
		}
		l.areas[i].trials = append(l.areas[i].trials, describe(t, versions))
		for _, c := range t.Claims {
			l.addFormula(c)
		}
	}
	slices.SortStableFunc(l.formulas, func(x, y formulaListing) int { return cmp.Compare(x.ID, y.ID) })
	return l
}

func describe(t trial.Trial, versions []string) trialListing {
	d := trialListing{Trial: t, profile: string(trial.Quick), worker: "the subject's"}
	if !trial.Quick.Holds(t) {
		d.profile = string(trial.Full)
	}
	if t.VirtualOnly() {
		d.worker = "of the virtual lane only"
	}
	if t.Worker != nil {
		d.worker = t.Worker.Name
		if t.Worker.Alone {
			d.worker += ", alone"
		}
	}
	for _, v := range versions {
		if why := t.Unsupported(formula.Kubelet{Version: v}); why != "" {
			d.not = append(d.not, why)
		} else {
			d.on = append(d.on, v)
		}
	}
	return d
}

func (l *Listing) addFormula(c trial.Claim) {
	i := slices.IndexFunc(l.formulas, func(f formulaListing) bool {
		return f.ID == c.Formula.ID && f.Description == c.Formula.Description && f.Promise == c.Formula.Promise
	})
	if i < 0 {
		i = len(l.formulas)
		l.formulas = append(l.formulas, formulaListing{Formula: c.Formula})
	}
	f := &l.formulas[i]
	for _, r := range c.Mistakes {
		if !slices.ContainsFunc(f.mistakes,
			func(known formula.Mistake) bool { return known.Name == r.Name && known.Reference == r.Reference }) {
			f.mistakes = append(f.mistakes, r)
		}
	}
}

func (a areaListing) claims() int {
	n := 0
	for _, t := range a.trials {
		n += len(t.Claims)
	}
	return n
}

// held returns the versions that a claim does not apply to, "" for none.
func held(c trial.Claim, versions []string) string {
	var without []string
	for _, v := range versions {
		if c.Lacks(formula.Kubelet{Version: v}) != "" {
			without = append(without, v)
		}
	}
	if len(without) == 0 {
		return ""
	}
	return "not on " + strings.Join(without, ", ")
}

// Text returns the list for a terminal.
func (l Listing) Text() string {
	var b strings.Builder
	for _, a := range l.areas {
		for _, t := range a.trials {
			fmt.Fprintf(&b, "%s\n  %s\n  lasts %s, profile %s, worker %s\n", t.ID, t.About, Lasts(t.Lasts), t.profile,
				t.worker)
			fmt.Fprintf(&b, "  on %s\n", cmp.Or(strings.Join(t.on, ", "), "none of the versions"))
			for _, why := range t.not {
				fmt.Fprintf(&b, "  not: %s\n", why)
			}
			for _, c := range t.Claims {
				fmt.Fprintf(&b, "    %s: %s%s\n", c.ID(), c.Formula.ID, bracketed(held(c, l.versions)))
			}
		}
	}
	fmt.Fprintf(&b, "\nThe formulas\n")
	for _, f := range l.formulas {
		fmt.Fprintf(&b, "%s\n", f.ID)
		for _, line := range f.lines() {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	fmt.Fprintf(&b, "\n%s\n", l.size())
	return b.String()
}

func bracketed(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

func (l Listing) size() string {
	trials, claims := 0, 0
	for _, a := range l.areas {
		trials, claims = trials+len(a.trials), claims+a.claims()
	}
	return fmt.Sprintf("%d trials with %d claims under %d formulas.", trials, claims, len(l.formulas))
}

func (f formulaListing) lines() []string {
	lines := []string{"says: " + f.Description, "source: " + f.Source}
	if f.Of != formula.TheKubelet {
		lines = append(lines, "a rule of the "+f.Of.String())
	}
	if f.Documented != nil {
		lines = append(lines, "documented: "+f.Promise, "page: "+f.DocumentedAt)
	} else {
		lines = append(lines, "documented: no number is promised")
	}
	if issues := f.EveryIssue(); len(issues) > 0 {
		lines = append(lines, "issues: "+strings.Join(issues, "; "))
	}
	for _, r := range f.mistakes {
		lines = append(lines, "known mistake: "+r.Name+" ("+r.Reference+")")
	}
	return lines
}

// Lasts formats a duration without zero seconds.
func Lasts(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	return s
}
