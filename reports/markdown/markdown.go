// Package markdown writes reports as Markdown. It renders what package view and the models of many runs
// arranged, and knows no formula.
package markdown

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/view"
)

// Run writes the run as Run: the counts, what is not as it should be, the verdicts of every trial
// on every subject by area, and every claim with what was measured.
func Run(w io.Writer, r run.Run) error {
	d := &Document{}
	d.Line("Run %s, %s.", r.ID, view.Tally(r.Outcomes))
	d.figures(r)
	d.Counts(r)
	m := view.MatrixOf(r)
	if a := view.AgreementOf(r); a != nil {
		d.disagreements(view.LanesDisagree, a.Disagreements)
		d.disagreements(view.OneLaneOnly, a.OneSided)
	}
	d.notes(r)
	for _, a := range m.Areas {
		d.verdicts(m, a)
	}
	for _, a := range m.Areas {
		d.measured(m, a)
	}
	if _, err := io.WriteString(w, d.B.String()); err != nil {
		return fmt.Errorf("writing run %s as Run: %w", r.ID, err)
	}
	return nil
}

// figures are how much was run and how long it took.
func (d *Document) figures(r run.Run) {
	f := view.FiguresOf(r)
	if f.Outcomes > 0 {
		d.Line("\n%s%s.", f.Size(), view.Profile(r))
	}
	if f.Wall > 0 && f.Longest > 0 {
		d.Line("%s", f.Pace())
	}
	if f.Virtual != nil {
		d.Line("\n%s", f.Virtual.Pace())
	}
	if view.Extrapolated(r) {
		d.Line("%s", view.Extrapolation)
	}
	for _, s := range view.LaneNotes(r) {
		d.Line("\n%s", s)
	}
	for _, problem := range r.Problems {
		d.Line("\nProblem: %s", problem)
	}
	d.Line("\nExit code %d: %s", r.ExitCode(), view.ExitReason(r))
}

// Counts is how many of each verdict there are, by subject.
func (d *Document) Counts(r run.Run) {
	header := []string{"subject"}
	for _, v := range view.Verdicts() {
		header = append(header, string(v))
	}
	t := view.MarkdownTable(header...)
	any := false
	for _, b := range view.ColumnsOf(r) {
		if len(b.Outcomes) == 0 {
			continue
		}
		cells := table.Row{b.Title()}
		for _, v := range view.Verdicts() {
			cells = append(cells, run.Run{Outcomes: b.Outcomes}.Count(v))
		}
		t.AppendRow(cells)
		any = true
	}
	if any {
		d.Line("\n%s", t.RenderMarkdown())
	}
}

// notes say why outcomes deviate, are inconclusive or unsupported, and count the divergences.
func (d *Document) notes(r run.Run) {
	for _, v := range []trial.Verdict{trial.Deviates, trial.Inconclusive} {
		first := true
		for _, b := range view.ColumnsOf(r) {
			for _, o := range b.Outcomes {
				if o.Verdict != v {
					continue
				}
				if first {
					d.Line("\n## %s\n", heading[v])
					first = false
				}
				more := ""
				if v == trial.Deviates {
					file := filepath.ToSlash(filepath.Join(run.DeviationsFolder, run.DeviationFile(o)))
					more = fmt.Sprintf(" ([pod, timeline and node log](%s))", file)
				}
				d.Line("- `%s` on %s: %s%s", o.Trial, o.Subject, view.ReasonOf(o), more)
			}
		}
	}
	if all := view.DivergingIn(r); len(all) > 0 {
		d.Line("\n## %s\n", heading[trial.Divergent])
		for _, entry := range all {
			d.Line(
				"- %s: %s; %s on %s; %s",
				entry.Formula,
				entry.Gap(),
				run.Plural(len(entry.Trials()), "trial"),
				run.Plural(len(entry.Seen), "subject"),
				Marked(*entry),
			)
		}
	}
	if order, names := view.Reasons(r, trial.Unsupported); len(order) > 0 {
		d.Line("\n## %s\n", heading[trial.Unsupported])
		for _, why := range order {
			d.Line("- %s: %s", run.Plural(len(names[why]), "trial"), why)
		}
	}
}

// disagreements lists what the lanes do not say alike.
func (d *Document) disagreements(title string, all []view.Disagreement) {
	if len(all) == 0 {
		return
	}
	d.Line("\n## %s\n", title)
	for _, one := range all {
		d.Line("- %s", one)
	}
}

var heading = map[trial.Verdict]string{
	trial.Deviates:     "Deviations",
	trial.Inconclusive: "Inconclusive",
	trial.Divergent:    "Divergences",
	trial.Unsupported:  "Unsupported",
}

// verdicts is the matrix of one area: trials and subjects.
func (d *Document) verdicts(m view.Matrix, a view.MatrixArea) {
	header := []string{"trial"}
	for _, b := range m.Subjects {
		header = append(header, b.Title())
	}
	t := view.MarkdownTable(header...)
	for _, r := range a.Rows {
		cells := table.Row{"`" + r.Trial + "`"}
		for _, v := range m.Verdicts(r) {
			cells = append(cells, v)
		}
		t.AppendRow(cells)
	}
	d.Line("\n## %s\n\n%s", a.Name, t.RenderMarkdown())
}

// measured is every claim of one area with what was measured on each subject.
func (d *Document) measured(m view.Matrix, a view.MatrixArea) {
	header := []string{"trial", "claim"}
	for _, b := range m.Subjects {
		header = append(header, b.Title())
	}
	t := view.MarkdownTable(header...)
	for _, r := range a.Rows {
		name := "`" + r.Trial + "`"
		claims := claims(m, r)
		if len(claims) == 0 {
			continue // the matrix says it all
		}
		for _, claim := range claims {
			cells := table.Row{name, claim}
			for _, b := range m.Subjects {
				cells = append(cells, claimCell(b.Subject, r.On[b.Subject.Name], claim))
			}
			t.AppendRow(cells)
			name = ""
		}
	}
	if t.Length() > 0 {
		d.Line("\n## %s: every claim\n\n%s", a.Name, t.RenderMarkdown())
	}
}

// claims are the claims of one trial that any subject was held to, in order.
func claims(m view.Matrix, row view.MatrixRow) []string {
	var names []string
	seen := map[string]bool{}
	for _, b := range m.Subjects {
		for _, f := range view.FindingsOf(row.On[b.Subject.Name]) {
			if !seen[f.Claim] {
				seen[f.Claim] = true
				names = append(names, f.Claim)
			}
		}
	}
	return names
}

// claimCell is what one subject made of a claim: what was measured, the window, the verdict where it is not
// a good one, and whether it is a model's.
func claimCell(s run.Subject, o run.Outcome, claim string) string {
	for _, f := range view.FindingsOf(o) {
		if f.Claim != claim {
			continue
		}
		said := view.FormatMeasured(f) + " in " + view.FormatWindow(f.Implemented)
		if f.Verdict != trial.Conforms && f.Verdict != trial.Divergent {
			said = view.FormatMeasured(f) + ", the code computes " + view.FormatWindow(f.Implemented)
		}
		if f.Verdict == trial.Divergent {
			said += ", documented " + view.FormatWindow(*f.Documented)
		}
		if f.Verdict != trial.Conforms {
			said = string(f.Verdict) + ": " + said
		}
		if f.Diagnosis != nil {
			said += ", " + view.AsIf(*f.Diagnosis)
		}
		return said + view.Model(s, f)
	}
	return "-"
}
