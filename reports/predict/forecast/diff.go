package forecast

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/podclock/podclock/harness/predict"
	"github.com/podclock/podclock/harness/predict/findings"
	"github.com/podclock/podclock/reports/apis/predictions/v1alpha1"
	"github.com/podclock/podclock/reports/predict/sentences"
)

// Diff is what changed between two forecasts of the same workloads.
type Diff struct {
	before, after Forecast
	changes       []change
	// how many workloads have the same answers and findings in both
	same int
}

// change is a workload that one forecast lacks, or whose answers or findings differ.
type change struct {
	// before is nil if the workload was added, after if it was removed.
	before, after *predict.Prediction
	kind          string
	// answers are those that differ, and none of a removed workload. shown are the short ones among them, and those of
	// a changed workload without a different short one.
	answers, shown []v1alpha1.ChangedAnswer
	new, gone      []findings.Finding
}

const (
	added   = "added"
	removed = "removed"
	changed = "changed"
)

func (c change) workload() string {
	if c.after == nil {
		return address(*c.before)
	}
	return address(*c.after)
}

// DiffOf compares two forecasts by the same kubelet's rules. Workloads are the same if kind, namespace and name are.
func DiffOf(before, after Forecast) Diff {
	d := Diff{before: before, after: after}
	left := slices.Clone(before.Predictions)
	for i := range after.Predictions {
		now := &after.Predictions[i]
		i := slices.IndexFunc(left, func(p predict.Prediction) bool { return address(p) == address(*now) })
		if i < 0 {
			d.changes = append(d.changes, changeOf(added, nil, now))
			continue
		}
		c := changeOf(changed, new(left[i]), now)
		left = slices.Delete(left, i, i+1)
		if len(c.answers)+len(c.new)+len(c.gone) == 0 {
			d.same++
			continue
		}
		d.changes = append(d.changes, c)
	}
	for i := range left {
		d.changes = append(d.changes, change{kind: removed, before: &left[i], gone: left[i].Findings})
	}
	return d
}

func changeOf(kind string, before, after *predict.Prediction) change {
	c := change{kind: kind, before: before, after: after}
	if before == nil {
		before = &predict.Prediction{}
	}
	short := changedAnswers(*before, *after, sentences.Short)
	c.answers = changedAnswers(*before, *after, sentences.All)
	for _, a := range c.answers {
		i := slices.IndexFunc(short, func(s v1alpha1.ChangedAnswer) bool { return s.Question == a.Question })
		if i >= 0 {
			a = short[i]
		}
		if i >= 0 || kind == changed {
			c.shown = append(c.shown, a)
		}
	}
	c.new, c.gone = lacking(after.Findings, before.Findings), lacking(before.Findings, after.Findings)
	return c
}

// changedAnswers returns the answers that differ, by question.
func changedAnswers(before, after predict.Prediction, answers func(predict.Prediction) []sentences.Sentence) (
	all []v1alpha1.ChangedAnswer,
) {
	of := func(p predict.Prediction) []sentences.Sentence {
		if len(p.Containers) == 0 {
			return []sentences.Sentence{{Label: "Not covered", Description: p.NotCovered}}
		}
		return answers(p)
	}
	then := of(before)
	for _, s := range of(after) {
		was := ""
		if i := slices.IndexFunc(then, func(t sentences.Sentence) bool { return t.Label == s.Label }); i >= 0 {
			was = then[i].Description
			then = slices.Delete(then, i, i+1)
		}
		if was != s.Description {
			all = append(all, v1alpha1.ChangedAnswer{Question: s.Label, Before: was, After: s.Description})
		}
	}
	for _, s := range then {
		if s.Description != "" {
			all = append(all, v1alpha1.ChangedAnswer{Question: s.Label, Before: s.Description})
		}
	}
	return all
}

// lacking returns the findings that others lack, or have with a lower level. Their numbers may differ.
func lacking(all, others []findings.Finding) (only []findings.Finding) {
	others = slices.Clone(others)
	for _, f := range all {
		i := slices.IndexFunc(others, func(o findings.Finding) bool {
			return o.Known("") == f.Known("") && o.Level.AtLeast(f.Level)
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
	return slices.ContainsFunc(d.all(func(c change) []findings.Finding { return c.new }),
		func(f findings.Finding) bool { return f.Level.AtLeast(l) })
}

func (d Diff) all(of func(change) []findings.Finding) (all []findings.Finding) {
	for _, c := range d.changes {
		all = append(all, of(c)...)
	}
	return all
}

func (d Diff) counts() string {
	said := sentences.Count(d.same+len(d.changes), "workload")
	for _, kind := range []string{changed, added, removed} {
		n := 0
		for _, c := range d.changes {
			if c.kind == kind {
				n++
			}
		}
		if n > 0 {
			said += fmt.Sprintf(", %d %s", n, kind)
		}
	}
	if len(d.changes) == 0 {
		said += ", nothing changed"
	}
	return said
}

func (d Diff) tally() string {
	said := func(of func(change) []findings.Finding) string {
		if all := d.all(of); len(all) > 0 {
			return tally(all)
		}
		return "none"
	}
	return fmt.Sprintf("New findings: %s. Gone: %s.", said(func(c change) []findings.Finding { return c.new }),
		said(func(c change) []findings.Finding { return c.gone }))
}

// DiffText writes what changed for a terminal.
func DiffText(w io.Writer, d Diff, o TextOptions) error {
	if o.Columns == 0 {
		o.Columns = usualColumns
	}
	p := &part{TextOptions: o}
	p.wrapped(0, fmt.Sprintf("From %s to %s: %s, %s", d.before.Manifest, d.after.Manifest, d.counts(), d.after.rules()))
	for _, c := range d.changes {
		p.line("")
		p.wrapped(0, c.workload()+": "+c.kind)
		for _, a := range c.shown {
			label := a.Question
			for _, one := range []struct{ sign, says string }{{"-", a.Before}, {"+", a.After}} {
				if one.says != "" {
					p.hanging(2, 14, fmt.Sprintf("%-12s%s", label, one.sign), one.says)
					label = ""
				}
			}
		}
		for _, f := range c.gone {
			p.wrapped(2, fmt.Sprintf("gone %s: %s [%s]", f.Level, f.Description, f.Rule))
		}
		for _, f := range c.new {
			p.wrapped(2, fmt.Sprintf("new %s: %s [%s]", p.level(f.Level), f.Description, f.Rule))
			p.wrapped(4, "fix: "+f.Fix)
		}
	}
	p.line("")
	p.wrapped(0, d.tally())
	_, err := io.WriteString(w, p.b.String())
	return err
}

// DiffMarkdown writes what changed for a comment on a pull request.
func DiffMarkdown(w io.Writer, d Diff) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### How the pods die: %s\n\n%s Predicted %s.\n", d.counts(), d.tally(), d.after.rules())
	for _, c := range d.changes {
		fmt.Fprintf(&b, "\n#### `%s`: %s\n\n", c.workload(), c.kind)
		if len(c.shown) > 0 {
			t := table.NewWriter()
			t.AppendHeader(table.Row{"", "before", "after"})
			for _, a := range c.shown {
				t.AppendRow(table.Row{"**" + a.Question + "**", a.Before, a.After})
			}
			b.WriteString(t.RenderMarkdown() + "\n\n")
		}
		for _, f := range c.new {
			fmt.Fprintf(&b, "- **new %s**: %s (%s). Fix: %s.\n", f.Level, f.Description, f.Rule, f.Fix)
		}
		for _, f := range c.gone {
			fmt.Fprintf(&b, "- gone %s: %s (%s)\n", f.Level, f.Description, f.Rule)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
