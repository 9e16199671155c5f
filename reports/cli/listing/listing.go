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

// Listing is the catalogue, with each formula once. Its trials are grouped by area.
type Listing struct {
	Versions []string  `json:"versions"`
	Trials   []Trial   `json:"trials"`
	Formulas []Formula `json:"formulas"`
}

// Trial is one trial of the catalogue.
type Trial struct {
	ID    string `json:"id"`
	Area  string `json:"area"`
	About string `json:"about"`
	// Seconds is the time from the pod's start to its last fact.
	Seconds float64  `json:"seconds"`
	Profile string   `json:"profile"`
	Labels  []string `json:"labels,omitempty"`
	Worker  string   `json:"worker"`
	// On are the versions that it runs on. Not has the reasons against the others.
	On     []string `json:"on"`
	Not    []string `json:"not,omitempty"`
	Claims []Claim  `json:"claims"`
	// virtualOnly means that no real node plays it.
	virtualOnly bool
}

// Claim is one claim of a trial.
type Claim struct {
	ID      string `json:"id"`
	Formula string `json:"formula"`
	// Held names the versions that the claim does not apply to.
	Held string `json:"held,omitempty"`
}

// Formula is one formula with its known mistakes. An ID with several promises is listed for each.
type Formula struct {
	ID          string `json:"id"`
	Of          string `json:"of"`
	Description string `json:"says"`
	Source      string `json:"source"`
	// Promise is documented at Page.
	Promise  string    `json:"promise,omitempty"`
	Page     string    `json:"page,omitempty"`
	Issues   []string  `json:"issues,omitempty"`
	Mistakes []Mistake `json:"rivals,omitempty"`
}

// Mistake is a known mistake.
type Mistake struct {
	Name      string `json:"name"`
	Reference string `json:"reference"`
}

// The workers of a trial that names none.
const (
	subjectsWorker = "the subject's"
	noWorker       = "of the virtual lane only"
)

// New lists trials by area, in the order of the catalogue, and their formulas by ID. For each trial it says which of
// the versions can run it, and why others cannot.
func New(catalogue []trial.Trial, versions []string) Listing {
	l := Listing{Versions: versions, Trials: []Trial{}, Formulas: []Formula{}}
	areas := map[string]int{}
	for _, t := range catalogue {
		if _, known := areas[t.Area()]; !known {
			areas[t.Area()] = len(areas)
		}
		l.Trials = append(l.Trials, describe(t, versions))
		for _, c := range t.Claims {
			l.addFormula(c)
		}
	}
	slices.SortStableFunc(l.Trials, func(x, y Trial) int { return areas[x.Area] - areas[y.Area] })
	slices.SortStableFunc(l.Formulas, func(x, y Formula) int { return cmp.Compare(x.ID, y.ID) })
	return l
}

func describe(t trial.Trial, versions []string) Trial {
	d := Trial{
		ID: t.ID, Area: t.Area(), About: t.About, Seconds: t.Lasts.Seconds(), Profile: string(trial.Quick),
		Labels: t.Labels, Worker: subjectsWorker, Claims: []Claim{},
		virtualOnly: t.VirtualOnly(),
	}
	if !trial.Quick.Holds(t) {
		d.Profile = string(trial.Full)
	}
	if d.virtualOnly {
		d.Worker = noWorker
	}
	if t.Worker != nil {
		d.Worker = t.Worker.Name
		if t.Worker.Alone {
			d.Worker += ", alone"
		}
	}
	for _, v := range versions {
		if why := t.Unsupported(formula.Kubelet{Version: v}); why != "" {
			d.Not = append(d.Not, why)
		} else {
			d.On = append(d.On, v)
		}
	}
	for _, c := range t.Claims {
		d.Claims = append(d.Claims, Claim{c.ID(), c.Formula.ID, held(c, versions)})
	}
	return d
}

func (l *Listing) addFormula(c trial.Claim) {
	f := Formula{ID: c.Formula.ID, Of: c.Formula.Of.String(), Description: c.Formula.Description,
		Source: c.Formula.Source, Issues: c.Formula.EveryIssue()}
	if c.Formula.Documented != nil {
		f.Promise, f.Page = c.Formula.Promise, c.Formula.DocumentedAt
	}
	i := slices.IndexFunc(l.Formulas, func(known Formula) bool {
		return known.ID == f.ID && known.Description == f.Description && known.Promise == f.Promise
	})
	if i < 0 {
		i = len(l.Formulas)
		l.Formulas = append(l.Formulas, f)
	}
	known := &l.Formulas[i].Mistakes
	for _, m := range c.Mistakes {
		if one := (Mistake{m.Name, m.Reference}); !slices.Contains(*known, one) {
			*known = append(*known, one)
		}
	}
}

// areas returns the trials of each area.
func (l Listing) areas() (all [][]Trial) {
	for i, t := range l.Trials {
		if i == 0 || l.Trials[i-1].Area != t.Area {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], t)
	}
	return all
}

func claims(trials []Trial) (n int) {
	for _, t := range trials {
		n += len(t.Claims)
	}
	return n
}

// lasts returns the trial's duration in words.
func (t Trial) lasts() string { return Lasts(time.Duration(t.Seconds * float64(time.Second))) }

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
	for _, t := range l.Trials {
		fmt.Fprintf(&b, "%s\n  %s\n  lasts %s, profile %s, worker %s\n", t.ID, t.About, t.lasts(), t.Profile, t.Worker)
		fmt.Fprintf(&b, "  on %s\n", cmp.Or(strings.Join(t.On, ", "), "none of the versions"))
		for _, why := range t.Not {
			fmt.Fprintf(&b, "  not: %s\n", why)
		}
		for _, c := range t.Claims {
			fmt.Fprintf(&b, "    %s: %s%s\n", c.ID, c.Formula, bracketed(c.Held))
		}
	}
	fmt.Fprintf(&b, "\nThe formulas\n")
	for _, f := range l.Formulas {
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
	return fmt.Sprintf("%d trials with %d claims under %d formulas.", len(l.Trials), claims(l.Trials), len(l.Formulas))
}

func (f Formula) lines() []string {
	lines := []string{"says: " + f.Description, "source: " + f.Source}
	if f.Of != formula.TheKubelet.String() {
		lines = append(lines, "a rule of the "+f.Of)
	}
	if f.Page != "" {
		lines = append(lines, "documented: "+f.Promise, "page: "+f.Page)
	} else {
		lines = append(lines, "documented: no number is promised")
	}
	if len(f.Issues) > 0 {
		lines = append(lines, "issues: "+strings.Join(f.Issues, "; "))
	}
	for _, m := range f.Mistakes {
		lines = append(lines, "known mistake: "+m.Name+" ("+m.Reference+")")
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
