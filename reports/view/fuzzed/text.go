package fuzzed

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/fuzz"
	"github.com/podclock/podclock/reports/view"
)

// Text writes the answer for a screen with so many columns: the result of each subject, then every violation in full,
// then how often each kind of scenario was drawn.
func Text(w io.Writer, a Answer, columns int) error {
	var b strings.Builder
	for _, s := range a.Subjects {
		wrap(&b, "", s.title(), columns)
		for _, line := range s.lines() {
			wrap(&b, "  ", line, columns)
		}
	}
	for _, s := range a.Subjects {
		for _, kind := range s.Report.Kinds() {
			b.WriteString("\n" + a.violation(s, *s.Report.Violations[kind]))
		}
	}
	for _, s := range a.Subjects {
		fmt.Fprintf(&b, "\nScenarios on %s\n", s.Name)
		for _, group := range groups(s.Report.Tags) {
			wrap(&b, "  ", group.name+": "+strings.Join(group.counts, ", "), columns)
		}
	}
	return view.WriteAll(w, "the summary of random scenarios", &b)
}

func wrap(b *strings.Builder, indent, line string, columns int) {
	for part := range strings.Lines(text.WrapSoft(line, max(20, columns-len(indent)))) {
		b.WriteString(indent + strings.TrimSpace(part) + "\n")
	}
}

// Markdown writes the answer with everything that was counted.
func Markdown(w io.Writer, a Answer) error {
	var b strings.Builder
	b.WriteString("# Random scenarios\n\n")
	for _, s := range a.Subjects {
		fmt.Fprintf(&b, "- %s\n", s.title())
		for _, line := range s.lines() {
			fmt.Fprintf(&b, "  - %s\n", line)
		}
	}
	fmt.Fprintf(&b, "\nExit code %d: %s.\n", a.ExitCode(), a.ExitReason())
	for _, s := range a.Subjects {
		fmt.Fprintf(&b, "\n## %s\n", s.Name)
		for _, kind := range s.Report.Kinds() {
			fmt.Fprintf(&b, "\n```\n%s```\n", a.violation(s, *s.Report.Violations[kind]))
		}
		b.WriteString("\n| scenarios | with |\n|---:|---|\n")
		for _, tag := range slices.Sorted(maps.Keys(s.Report.Tags)) {
			fmt.Fprintf(&b, "| %d | %s |\n", s.Report.Tags[tag], tag)
		}
		if s.Predicted != nil {
			predictions(&b, *s.Predicted)
		}
	}
	return view.WriteAll(w, "the report of random scenarios", &b)
}

// predictions writes what was asked, and the part of each window in which its events came.
func predictions(b *strings.Builder, p fuzz.Predicted) {
	b.WriteString("\n| questions | cause |\n|---:|---|\n")
	for _, cause := range slices.Sorted(maps.Keys(p.Asked)) {
		fmt.Fprintf(b, "| %d | %s |\n", p.Asked[cause], cause)
	}
	b.WriteString("\nThe part of its windows in which the events of a formula, or of a cause's step, came:\n\n" +
		"| events | part | predicted by |\n|---:|---|---|\n")
	for _, parts := range []map[string]*fuzz.Part{p.Formulas, p.Answers} {
		for _, id := range slices.Sorted(maps.Keys(parts)) {
			if of := parts[id]; of.Waits == 0 {
				fmt.Fprintf(b, "| %d | budgets only | %s |\n", of.Events, id)
			} else {
				fmt.Fprintf(b, "| %d | %.2f to %.2f | %s |\n", of.Waits, of.First, of.Last, id)
			}
		}
	}
}

// violation returns a violation in full, with the command that draws it again.
func (a Answer) violation(s Subject, v fuzz.Violation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "VIOLATION %s on %s, seed %d", v.Kind, s.Name, v.Seed)
	if v.Times > 1 {
		fmt.Fprintf(&b, "; %d scenarios, further seeds %v", v.Times, v.Others)
	}
	b.WriteString("\n")
	if v.Claim == "" {
		fmt.Fprintf(&b, "  %s\n", v.Why)
	} else {
		fmt.Fprintf(&b, "  claim %s: %s\n", v.Claim, v.Why)
	}
	if v.Window != "" {
		fmt.Fprintf(&b, "  measured %s, window %s\n  = %s\n", cmp.Or(v.Measured, "nothing"), v.Window, v.Terms)
	}
	again := fmt.Sprintf("podclock fuzz --subjects=%s --seed=%d --scenarios=1", s.Name, v.Seed)
	if a.Predictions {
		again += " --predictions"
	}
	fmt.Fprintf(&b, "  draw it again: %s\n", again)
	if v.Scenario == "" {
		b.WriteString("  there is no scenario to print\n")
	} else {
		fmt.Fprintf(&b, "  the smallest scenario, which failed in %d of %d further runs:\n%s\n", v.Again, fuzz.Repeats,
			v.Scenario)
	}
	return b.String()
}

type group struct {
	name   string
	counts []string
}

// groups returns the numbers of scenarios by family, by cause, and by everything else.
func groups(tags map[string]int) []group {
	all := []group{{name: "family"}, {name: "cause"}, {name: "with"}}
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		into, name := &all[2], tag
		for i := range all[:2] {
			if of, is := strings.CutPrefix(tag, all[i].name+" "); is {
				into, name = &all[i], of
			}
		}
		into.counts = append(into.counts, fmt.Sprintf("%d %s", tags[tag], name))
	}
	return slices.DeleteFunc(all, func(g group) bool { return len(g.counts) == 0 })
}
