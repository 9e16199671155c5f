package repetition

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view"
)

var initials = []struct {
	verdict trial.Verdict
	letter  string
}{
	{trial.Conforms, "C"},
	{trial.Divergent, "D"},
	{trial.Deviates, "X"},
	{trial.Inconclusive, "?"},
	{trial.Unsupported, "U"},
}

// Report is the disturbances in words.
func (t Disturbances) Report() view.Report {
	result := facts{view.Section{ID: "result", Title: "Result", Header: []string{"", ""}}}
	result.add("result", "exit code %d: %s", t.ExitCode, t.ExitReason())
	if !t.Started.IsZero() {
		result.add("date", "%s", t.Started.UTC().Format(time.DateOnly))
	}
	if len(t.MadeBy) > 0 {
		result.add("made by", "%s", strings.Join(t.MadeBy, "; "))
	}
	if len(t.Trials) > 0 {
		result.add("trials", "%d on each subject: %s", len(t.Trials), strings.Join(t.Trials, ", "))
	}
	problems := view.Section{ID: "problems", Title: "Rows that show nothing"}
	for _, r := range t.Rows {
		if r.Problem != "" {
			problems.AddLine(r.Name + ": " + r.Problem)
		}
	}
	broken := view.Section{ID: "broken", Title: "Verdicts that no disturbance may lead to"}
	for _, b := range t.Broken {
		broken.AddLine(fmt.Sprintf("%s on %s under %s: %s; %s",
			b.Trial, b.Subject, b.Disturbance, b.Verdict, strings.TrimSuffix(b.Why, ".")))
	}
	return view.Report{
		Title: fmt.Sprintf("Verdicts on disturbed nodes: %s, %s that no disturbance may lead to",
			t.ofAsked(), run.Plural(len(t.Broken), "verdict")),
		Sections: view.Shown(result.Section, t.rowsSection(), problems, broken),
	}
}

func (t Disturbances) rowsSection() view.Section {
	p := view.Section{ID: "rows", Title: "Disturbances", Header: []string{"disturbance", "applied", "judged"}}
	var subjects, words []string
	seen := map[trial.Verdict]bool{}
	for _, r := range t.Rows {
		for _, c := range r.Cells {
			if !slices.Contains(subjects, c.Subject) {
				subjects = append(subjects, c.Subject)
			}
			for v := range c.Verdicts {
				seen[v] = true
			}
		}
	}
	for _, i := range initials {
		if seen[i.verdict] {
			words = append(words, i.letter+" "+string(i.verdict))
		}
	}
	p.Header = append(p.Header, subjects...)
	p.Note = fmt.Sprintf("Verdicts: %s. In brackets: the number of trials with more than one attempt.",
		strings.Join(words, ", "))
	for _, r := range t.Rows {
		cells := []any{r.Name + ": " + r.Description, applied(r.Applied), r.judged()}
		if r.Control {
			cells[1] = "-"
		}
		for _, subject := range subjects {
			cells = append(cells, r.cell(subject))
		}
		p.AddRow(cells...)
	}
	return p
}

// cell is the verdicts of a subject in short: "3 C 1 X (2)".
func (r disturbedRow) cell(subject string) string {
	at := slices.IndexFunc(r.Cells, func(c disturbedOn) bool { return c.Subject == subject })
	if at < 0 {
		return "-"
	}
	var parts []string
	for _, i := range initials {
		if n := r.Cells[at].Verdicts[i.verdict]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, i.letter))
		}
	}
	if n := r.Cells[at].Repeated; n > 0 {
		parts = append(parts, fmt.Sprintf("(%d)", n))
	}
	return strings.Join(parts, " ")
}
