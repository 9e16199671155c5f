package difference

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/virtual/trace"
	"github.com/podclock/podclock/reports/view"
)

const (
	// mostGroups and mostDetails bound what is shown. The JSON has all.
	mostGroups, mostDetails = 40, 5
	// longestText bounds the arguments of an entry, in bytes.
	longestText = 100
)

// Traces is the comparison of two kubelets' traces.
type Traces trace.Report

// Report is the comparison in words.
func (r Traces) Report() view.Report {
	report := view.Report{Title: title(r)}
	for i, g := range r.Groups[:min(len(r.Groups), mostGroups)] {
		p := view.Section{ID: fmt.Sprintf("change-%d", i+1)}
		p.Title = fmt.Sprintf("%s: %s", run.Plural(len(g.Trials), "trial"), g)
		for _, d := range g.Details {
			p.AddLine(fmt.Sprintf("%s (%s)", d.Text, run.Plural(d.Traces, "trace")))
		}
		p = p.Cut(mostDetails)
		p.Block = view.Block{About: example(g), Language: "diff", Text: strings.Join(surroundings(g.Example), "\n")}
		report.Sections = append(report.Sections, p)
	}
	other := view.Section{ID: "other", Title: "Trials and values"}
	other.Lines = view.LinesOf(append(oneSided(r), shifts(r)...)...)
	report.Sections = append(report.Sections, view.Shown(other)...)
	return report
}

// example names the trial of a group's example, and the others.
func example(g trace.Group) string {
	text := fmt.Sprintf("for example %s, seed %d; times are since its fault", g.Example.Trial, g.Example.Seed)
	others := slices.DeleteFunc(slices.Clone(g.Trials), func(name string) bool { return name == g.Example.Trial })
	if len(others) > 0 {
		text += "; also " + view.Listed(others)
	}
	return text
}

// title says in one sentence what changed.
func title(r Traces) string {
	sides := fmt.Sprintf("From %s to %s: ", r.Before, r.After)
	what := run.Plural(r.Compared, "trace")
	if n := len(r.Seeds); n > 1 {
		what += fmt.Sprintf(" of %d seeds", n)
	}
	switch {
	case r.Compared == 0:
		return sides + "no trial has a trace of the same seed on both sides."
	case trace.Report(r).ExitCode() == run.ExitConforms && len(r.Shifts) == 0:
		return sides + "nothing changed in " + what + "."
	case r.Same == r.Compared:
		return sides + "nothing changed in " + what + ", but other trials ran."
	}
	return fmt.Sprintf("%s%s, %d of %s differ.", sides, run.Plural(len(r.Groups), "change"), r.Compared-r.Same, what)
}

// surroundings returns the entries around a difference as lines of a unified difference.
func surroundings(d trace.Difference) []string {
	all := d.Before
	if !slices.Contains(all, d.Entry) && d.Change != trace.Extra {
		all = append(slices.Clone(all), d.Entry)
	}
	others := d.After
	if d.Other != nil && !slices.Contains(others, *d.Other) {
		others = append(slices.Clone(others), *d.Other)
	}
	both, width := merged(all, others), 0
	for _, l := range both {
		width = max(width, len(at(l.entry, d.Fault)))
	}
	var lines []string
	for _, l := range both {
		lines = append(lines, fmt.Sprintf("%c %*s  %s", l.sign, width, at(l.entry, d.Fault), words(l.entry)))
	}
	return lines
}

type line struct {
	sign  byte
	entry trace.Entry
}

func merged(before, after []trace.Entry) (lines []line) {
	for _, e := range before {
		sign := byte('-')
		if slices.Contains(after, e) {
			sign = ' '
		}
		lines = append(lines, line{sign, e})
	}
	for _, e := range after {
		if !slices.Contains(before, e) {
			lines = append(lines, line{'+', e})
		}
	}
	slices.SortStableFunc(lines, func(x, y line) int { return cmp.Compare(x.entry.At, y.entry.At) })
	return lines
}

// at returns the time of an entry since the fault.
func at(e trace.Entry, fault int64) string {
	text := time.Duration(e.At - fault).String()
	if e.At >= fault {
		text = "+" + text
	}
	return text
}

// words returns an entry without its time in one line.
func words(e trace.Entry) string {
	all := []string{e.By, place(e), e.What, view.OneLine(e.Text, longestText)}
	if e.Took < 0 {
		all = append(all, "(not answered)")
	} else if e.Took > 0 {
		all = append(all, fmt.Sprintf("(%v)", time.Duration(e.Took)))
	}
	if e.Error != "" {
		all = append(all, "error: "+view.OneLine(e.Error, longestText))
	}
	return strings.Join(slices.DeleteFunc(all, func(w string) bool { return w == "" }), "  ")
}

func place(e trace.Entry) string {
	if e.Container == "" {
		return e.Pod
	}
	return e.Pod + "/" + e.Container
}

func oneSided(r Traces) (lines []string) {
	if len(r.OnlyBefore) > 0 {
		lines = append(lines, fmt.Sprintf("Only before: %s", view.Listed(r.OnlyBefore)))
	}
	if len(r.OnlyAfter) > 0 {
		lines = append(lines, fmt.Sprintf("Only after: %s", view.Listed(r.OnlyAfter)))
	}
	return lines
}

func shifts(r Traces) (lines []string) {
	for _, s := range r.Shifts {
		lines = append(lines, fmt.Sprintf("%s, %s: from %s to %s", s.Trial, s.Claim, spread(s.Before, s.Unit),
			spread(s.After, s.Unit)))
	}
	return lines
}

// spread returns the least, the middle and the greatest of sorted values.
func spread(values []int64, unit string) string {
	show := func(v int64) string {
		if unit == "ns" {
			return time.Duration(v).String()
		}
		return fmt.Sprint(v)
	}
	least, most := values[0], values[len(values)-1]
	if least == most {
		return show(least)
	}
	return fmt.Sprintf("%s (%s to %s)", show(values[len(values)/2]), show(least), show(most))
}
