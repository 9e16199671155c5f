// Package difference writes the comparison of two kubelets' traces for people, as text or Markdown. It compares
// nothing.
package difference

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/virtual/trace"
	"github.com/podclock/podclock/reports/view"
)

const (
	// mostGroups, mostDetails and mostShifts bound what is printed. The JSON has all.
	mostGroups, mostDetails, mostShifts = 40, 5, 40
	// longestText bounds the arguments of an entry, in bytes.
	longestText = 100
)

// Text writes a comparison for a terminal.
func Text(w io.Writer, r trace.Report) error {
	var b strings.Builder
	for i, g := range shown(r.Groups, mostGroups) {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s: %s\n", run.Plural(len(g.Trials), "trial"), g)
		for _, line := range details(g) {
			fmt.Fprintf(&b, "  %s\n", line)
		}
		fmt.Fprintf(&b, "  %s\n", example(g))
		for _, line := range surroundings(g.Example) {
			fmt.Fprintf(&b, "    %s\n", line)
		}
	}
	for _, line := range slices.Concat(oneSided(r), shifts(r)) {
		b.WriteString(line + "\n")
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	b.WriteString(Title(r) + "\n")
	return view.WriteAll(w, "the comparison", &b)
}

// Markdown writes a comparison for a pull request, below a heading of a level from 1 on.
func Markdown(w io.Writer, r trace.Report, level int) error {
	var b strings.Builder
	heading := strings.Repeat("#", level)
	fmt.Fprintf(&b, "%s %s\n", heading, Title(r))
	for _, g := range shown(r.Groups, mostGroups) {
		fmt.Fprintf(&b, "\n%s# %s: %s\n\n", heading, run.Plural(len(g.Trials), "trial"), g)
		for _, line := range details(g) {
			fmt.Fprintf(&b, "- `%s`\n", strings.ReplaceAll(line, "`", "'"))
		}
		fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n\n```diff\n", example(g))
		for _, line := range surroundings(g.Example) {
			fmt.Fprintln(&b, strings.ReplaceAll(line, "`", "'"))
		}
		fmt.Fprintf(&b, "```\n\n%s\n\n</details>\n", strings.Join(g.Trials, ", "))
	}
	if lines := slices.Concat(oneSided(r), shifts(r)); len(lines) > 0 {
		fmt.Fprintf(&b, "\n%s# Trials and values\n\n", heading)
		for _, line := range lines {
			fmt.Fprintf(&b, "- %s\n", line)
		}
	}
	return view.WriteAll(w, "the comparison as Markdown", &b)
}

// Title says in one sentence what changed.
func Title(r trace.Report) string {
	sides := fmt.Sprintf("From %s to %s: ", r.Before, r.After)
	what := run.Plural(r.Compared, "trace")
	if n := len(r.Seeds); n > 1 {
		what += fmt.Sprintf(" of %d seeds", n)
	}
	switch {
	case r.Compared == 0:
		return sides + "no trial has a trace of the same seed on both sides."
	case r.ExitCode() == run.ExitConforms && len(r.Shifts) == 0:
		return sides + "nothing changed in " + what + "."
	case r.Same == r.Compared:
		return sides + "nothing changed in " + what + ", but other trials ran."
	}
	return fmt.Sprintf("%s%s, %d of %s differ.", sides, run.Plural(len(r.Groups), "change"), r.Compared-r.Same, what)
}

func shown[T any](all []T, most int) []T { return all[:min(len(all), most)] }

func details(g trace.Group) (lines []string) {
	for _, d := range shown(g.Details, mostDetails) {
		lines = append(lines, fmt.Sprintf("%s (%s)", d.Text, run.Plural(d.Traces, "trace")))
	}
	if more := len(g.Details) - mostDetails; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more kinds", more))
	}
	return lines
}

func example(g trace.Group) string {
	return fmt.Sprintf("for example %s, seed %d; times are since its fault", g.Example.Trial, g.Example.Seed)
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
		lines = append(lines, fmt.Sprintf("%c %*s  %s", l.sign, width, at(l.entry, d.Fault), Words(l.entry)))
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

// Words returns an entry without its time in one line.
func Words(e trace.Entry) string {
	words := []string{e.By, place(e), e.What, cut(e.Text)}
	if e.Took < 0 {
		words = append(words, "(not answered)")
	} else if e.Took > 0 {
		words = append(words, fmt.Sprintf("(%v)", time.Duration(e.Took)))
	}
	if e.Error != "" {
		words = append(words, "error: "+cut(e.Error))
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), "  ")
}

func place(e trace.Entry) string {
	if e.Container == "" {
		return e.Pod
	}
	return e.Pod + "/" + e.Container
}

func cut(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > longestText {
		text = strings.ToValidUTF8(text[:longestText], "") + "…"
	}
	return text
}

func oneSided(r trace.Report) (lines []string) {
	if len(r.OnlyBefore) > 0 {
		lines = append(lines, fmt.Sprintf("Only before: %s", view.Listed(r.OnlyBefore)))
	}
	if len(r.OnlyAfter) > 0 {
		lines = append(lines, fmt.Sprintf("Only after: %s", view.Listed(r.OnlyAfter)))
	}
	return lines
}

func shifts(r trace.Report) (lines []string) {
	for _, s := range shown(r.Shifts, mostShifts) {
		lines = append(lines, fmt.Sprintf("%s, %s: from %s to %s", s.Trial, s.Claim, spread(s.Before, s.Unit),
			spread(s.After, s.Unit)))
	}
	if more := len(r.Shifts) - mostShifts; more > 0 {
		lines = append(lines, fmt.Sprintf("and %s more", run.Plural(more, "claim")))
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
