package fuzzed

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/fuzz"
	"github.com/podclock/podclock/reports/view"
)

// Report returns what fits a screen: the result of each subject, then every violation in full, then how often each kind
// of scenario was drawn.
func (a Answer) Report() view.Report {
	r := view.Report{Title: fmt.Sprintf("Random scenarios, exit code %d: %s.", a.ExitCode(), a.ExitReason())}
	var violations, scenarios []view.Section
	for _, s := range a.Subjects {
		r.Sections = append(r.Sections, view.Section{ID: s.Name, Title: s.title(), Lines: view.LinesOf(s.lines()...)})
		for _, kind := range s.Report.Kinds() {
			violations = append(violations, a.violation(s, *s.Report.Violations[kind]))
		}
		scenarios = append(scenarios, view.Section{ID: s.Name + "-scenarios", Title: "Scenarios on " + s.Name,
			Lines: view.LinesOf(groups(s.Report.Tags)...)})
	}
	r.Sections = slices.Concat(r.Sections, violations, scenarios)
	return r
}

// Full returns the report with what was asked of predictions, and the part of each window in which its events came.
func (a Answer) Full() view.Report {
	r := a.Report()
	for _, s := range a.Subjects {
		if s.Predicted != nil {
			r.Sections = append(r.Sections, predictions(s.Name, *s.Predicted)...)
		}
	}
	return r
}

func predictions(subject string, p fuzz.Predicted) []view.Section {
	asked := view.Section{ID: subject + "-asked", Title: "Questions on " + subject,
		Header: []string{"cause", "questions"}}
	for _, cause := range slices.Sorted(maps.Keys(p.Asked)) {
		asked.AddRow(cause, p.Asked[cause])
	}
	part := view.Section{
		ID: subject + "-parts", Title: "Windows on " + subject, Header: []string{"predicted by", "events", "part"},
		Note: "The part of its windows in which the events of a formula, or of a cause's step, came:",
	}
	for _, parts := range []map[string]*fuzz.Part{p.Formulas, p.Answers} {
		for _, id := range slices.Sorted(maps.Keys(parts)) {
			if of := parts[id]; of.Waits == 0 {
				part.AddRow(id, of.Events, "budgets only")
			} else {
				part.AddRow(id, of.Waits, fmt.Sprintf("%.2f to %.2f", of.First, of.Last))
			}
		}
	}
	return []view.Section{asked, part}
}

// violation returns a violation in full, with the command that draws it again.
func (a Answer) violation(s Subject, v fuzz.Violation) view.Section {
	p := view.Section{ID: fmt.Sprintf("seed-%d", v.Seed)}
	p.Title = fmt.Sprintf("VIOLATION %s on %s, seed %d", v.Kind, s.Name, v.Seed)
	if v.Times > 1 {
		p.Title += fmt.Sprintf("; %d scenarios, further seeds %v", v.Times, v.Others)
	}
	var b strings.Builder
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
	p.Block = view.Block{Text: b.String()}
	return p
}

// groups returns the numbers of scenarios by family, by cause, and by everything else, in a line each.
func groups(tags map[string]int) (lines []string) {
	all := []struct {
		name   string
		counts []string
	}{{name: "family"}, {name: "cause"}, {name: "with"}}
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		into, name := &all[2], tag
		for i := range all[:2] {
			if of, is := strings.CutPrefix(tag, all[i].name+" "); is {
				into, name = &all[i], of
			}
		}
		into.counts = append(into.counts, fmt.Sprintf("%d %s", tags[tag], name))
	}
	for _, g := range all {
		if len(g.counts) > 0 {
			lines = append(lines, g.name+": "+strings.Join(g.counts, ", "))
		}
	}
	return lines
}
