package forecast

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/findings"
	"github.com/podclock/podclock/harness/run"
)

// Diff is what changed between two forecasts of the same workloads.
type Diff struct {
	Before  string   `json:"before"`
	After   string   `json:"after"`
	Kubelet string   `json:"kubelet"`
	Changes []Change `json:"changes"`
	// Same is how many workloads have the same answers and findings in both.
	Same  int    `json:"same"`
	rules string // as a text says them
}

// Change is a workload that one forecast lacks, or whose answers or findings differ.
type Change struct {
	// Workload is its kind, namespace and name, such as "Deployment shop/web".
	Workload string `json:"workload"`
	Kind     string `json:"change"`
	// Answers are those that differ, and none of a removed workload.
	Answers []Answer           `json:"answers,omitempty"`
	New     []findings.Finding `json:"newFindings,omitempty"`
	Gone    []findings.Finding `json:"goneFindings,omitempty"`
}

// The kinds of a change.
const (
	Added   = "added"
	Removed = "removed"
	Changed = "changed"
)

// Answer is one question about a workload, such as "Delete", with the sentences that answer it. A forecast that does
// not answer it has none.
type Answer struct {
	Question string `json:"question"`
	Before   string `json:"before,omitempty"`
	After    string `json:"after,omitempty"`
}

// DiffOf compares two forecasts by the same kubelet's rules. Workloads are the same if kind, namespace and name are.
func DiffOf(before, after Forecast) Diff {
	d := Diff{Before: before.Manifest, After: after.Manifest, Kubelet: after.Kubelet.Version, Changes: []Change{},
		rules: after.rules()}
	left := slices.Clone(before.Predictions)
	for _, now := range after.Predictions {
		i := slices.IndexFunc(left, func(p predict.Prediction) bool { return address(p) == address(now) })
		if i < 0 {
			d.Changes = append(d.Changes, changeOf(Added, predict.Prediction{}, now))
			continue
		}
		c := changeOf(Changed, left[i], now)
		left = slices.Delete(left, i, i+1)
		if len(c.Answers)+len(c.New)+len(c.Gone) == 0 {
			d.Same++
			continue
		}
		d.Changes = append(d.Changes, c)
	}
	for _, gone := range left {
		d.Changes = append(d.Changes, Change{Workload: address(gone), Kind: Removed, Gone: gone.Findings})
	}
	return d
}

func changeOf(kind string, before, after predict.Prediction) Change {
	c := Change{Workload: address(after), Kind: kind}
	then := answers(before)
	for _, s := range answers(after) {
		was := ""
		if i := slices.IndexFunc(then, func(t sentence) bool { return t.Label == s.Label }); i >= 0 {
			was = then[i].Says
			then = slices.Delete(then, i, i+1)
		}
		if was != s.Says {
			c.Answers = append(c.Answers, Answer{Question: s.Label, Before: was, After: s.Says})
		}
	}
	for _, s := range then {
		c.Answers = append(c.Answers, Answer{Question: s.Label, Before: s.Says})
	}
	c.New, c.Gone = lacking(after.Findings, before.Findings), lacking(before.Findings, after.Findings)
	return c
}

// answers returns all that is said of a workload, by question.
func answers(w predict.Prediction) []sentence {
	all := []sentence{{"Not covered", w.NotCovered}, {"Job", jobSays(w)}}
	if len(w.Containers) > 0 {
		all = append(all, summary(w)...)
	}
	return slices.DeleteFunc(all, func(s sentence) bool { return s.Says == "" })
}

// lacking returns the findings that others lack. A line may change without its finding.
func lacking(all, others []findings.Finding) (only []findings.Finding) {
	others = slices.Clone(others)
	for _, f := range all {
		i := slices.IndexFunc(others, func(o findings.Finding) bool {
			o.Line = f.Line
			return o == f
		})
		if i < 0 {
			only = append(only, f)
			continue
		}
		others = slices.Delete(others, i, i+1)
	}
	return only
}

// Finds reports whether a new finding has this level or a higher one.
func (d Diff) Finds(l findings.Level) bool {
	return slices.ContainsFunc(d.all(func(c Change) []findings.Finding { return c.New }),
		func(f findings.Finding) bool { return f.Level.AtLeast(l) })
}

func (d Diff) all(of func(Change) []findings.Finding) (all []findings.Finding) {
	for _, c := range d.Changes {
		all = append(all, of(c)...)
	}
	return all
}

func (d Diff) counts() string {
	said := run.Plural(d.Same+len(d.Changes), "workload")
	for _, kind := range []string{Changed, Added, Removed} {
		n := 0
		for _, c := range d.Changes {
			if c.Kind == kind {
				n++
			}
		}
		if n > 0 {
			said += fmt.Sprintf(", %d %s", n, kind)
		}
	}
	if len(d.Changes) == 0 {
		said += ", nothing changed"
	}
	return said
}

func (d Diff) tally() string {
	said := func(of func(Change) []findings.Finding) string {
		if all := d.all(of); len(all) > 0 {
			return tally(all)
		}
		return "none"
	}
	return fmt.Sprintf("New findings: %s. Gone: %s.", said(func(c Change) []findings.Finding { return c.New }),
		said(func(c Change) []findings.Finding { return c.Gone }))
}

// DiffText writes what changed for a terminal.
func DiffText(w io.Writer, d Diff, o TextOptions) error {
	if o.Columns == 0 {
		o.Columns = usualColumns
	}
	p := &part{TextOptions: o}
	p.wrapped(0, fmt.Sprintf("From %s to %s: %s, %s", d.Before, d.After, d.counts(), d.rules))
	for _, c := range d.Changes {
		p.line("")
		p.line("%s: %s", c.Workload, c.Kind)
		for _, a := range c.Answers {
			label := a.Question
			for _, one := range []struct{ sign, says string }{{"-", a.Before}, {"+", a.After}} {
				if one.says != "" {
					p.hanging(2, 14, fmt.Sprintf("%-12s%s", label, one.sign), one.says)
					label = ""
				}
			}
		}
		for _, f := range c.Gone {
			p.wrapped(2, fmt.Sprintf("gone %s: %s [%s]", f.Level, f.Says, f.Rule))
		}
		for _, f := range c.New {
			p.wrapped(2, fmt.Sprintf("new %s: %s [%s]", p.level(f.Level), f.Says, f.Rule))
			p.wrapped(4, "fix: "+f.Fix)
		}
	}
	p.line("")
	p.line("%s", d.tally())
	_, err := io.WriteString(w, p.b.String())
	return err
}

// DiffMarkdown writes what changed for a comment on a pull request.
func DiffMarkdown(w io.Writer, d Diff) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### How the pods die: %s\n\n%s Predicted %s.\n", d.counts(), d.tally(), d.rules)
	for _, c := range d.Changes {
		fmt.Fprintf(&b, "\n#### `%s`: %s\n\n", c.Workload, c.Kind)
		if len(c.Answers) > 0 {
			t := table.NewWriter()
			t.AppendHeader(table.Row{"", "before", "after"})
			for _, a := range c.Answers {
				t.AppendRow(table.Row{"**" + a.Question + "**", a.Before, a.After})
			}
			b.WriteString(t.RenderMarkdown() + "\n\n")
		}
		for _, f := range c.New {
			fmt.Fprintf(&b, "- **new %s**: %s (%s). Fix: %s.\n", f.Level, f.Says, f.Rule, f.Fix)
		}
		for _, f := range c.Gone {
			fmt.Fprintf(&b, "- gone %s: %s (%s)\n", f.Level, f.Says, f.Rule)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
