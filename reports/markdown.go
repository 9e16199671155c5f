package reports

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/podclock/podclock/harness/trial"
)

// Markdown writes the run as Markdown: the counts, what is not as it should be, the verdicts of every trial
// on every subject by area, and every claim with what was measured.
func Markdown(w io.Writer, r Run) error {
	d := &document{}
	d.line("Run %s, %s.", r.ID, tally(r.Outcomes))
	d.figures(r)
	d.counts(r)
	m := r.matrix()
	if a := r.Agreement(); a != nil {
		d.disagreements(lanesDisagree, a.Disagreements)
		d.disagreements(oneLaneOnly, a.OneSided)
	}
	d.notes(r)
	for _, a := range m.areas {
		d.verdicts(m, a)
	}
	for _, a := range m.areas {
		d.measured(m, a)
	}
	if _, err := io.WriteString(w, d.b.String()); err != nil {
		return fmt.Errorf("writing run %s as Markdown: %w", r.ID, err)
	}
	return nil
}

// figures are how much was run and how long it took.
func (d *document) figures(r Run) {
	f := r.Figures()
	if f.Outcomes > 0 {
		d.line("\n%s%s.", f.size(), profile(r))
	}
	if f.Wall > 0 && f.Longest > 0 {
		d.line("%s", f.pace())
	}
	if f.Virtual != nil {
		d.line("\n%s", f.Virtual.pace())
	}
	if r.extrapolated() {
		d.line("%s", extrapolation)
	}
	for _, s := range r.laneNotes() {
		d.line("\n%s", s)
	}
	for _, problem := range r.Problems {
		d.line("\nProblem: %s", problem)
	}
	d.line("\nExit code %d: %s", r.ExitCode(), r.ExitReason())
}

// counts is how many of each verdict there are, by subject.
func (d *document) counts(r Run) {
	header := []string{"subject"}
	for _, v := range verdicts {
		header = append(header, string(v))
	}
	t := markdownTable(header...)
	any := false
	for _, b := range r.blocks() {
		if len(b.outcomes) == 0 {
			continue
		}
		cells := table.Row{b.title()}
		for _, v := range verdicts {
			cells = append(cells, Run{Outcomes: b.outcomes}.Count(v))
		}
		t.AppendRow(cells)
		any = true
	}
	if any {
		d.line("\n%s", t.RenderMarkdown())
	}
}

// notes say why outcomes deviate, are inconclusive or unsupported, and count the divergences.
func (d *document) notes(r Run) {
	for _, v := range []trial.Verdict{trial.Deviates, trial.Inconclusive} {
		first := true
		for _, b := range r.blocks() {
			for _, o := range b.outcomes {
				if o.Verdict != v {
					continue
				}
				if first {
					d.line("\n## %s\n", heading[v])
					first = false
				}
				more := ""
				if v == trial.Deviates {
					file := filepath.ToSlash(filepath.Join(DeviationsFolder, DeviationFile(o)))
					more = fmt.Sprintf(" ([pod, timeline and node log](%s))", file)
				}
				d.line("- `%s` on %s: %s%s", o.Trial, o.Subject, reason(o), more)
			}
		}
	}
	if all := divergences(r); len(all) > 0 {
		d.line("\n## %s\n", heading[trial.Divergent])
		for _, entry := range all {
			d.line(
				"- %s: %s; %s on %s; %s",
				entry.formula,
				entry.gap(),
				plural(len(entry.trials()), "trial"),
				plural(len(entry.seen), "subject"),
				marked(*entry),
			)
		}
	}
	if order, names := r.reasons(trial.Unsupported); len(order) > 0 {
		d.line("\n## %s\n", heading[trial.Unsupported])
		for _, why := range order {
			d.line("- %s: %s", plural(len(names[why]), "trial"), why)
		}
	}
}

// disagreements lists what the lanes do not say alike.
func (d *document) disagreements(title string, all []Disagreement) {
	if len(all) == 0 {
		return
	}
	d.line("\n## %s\n", title)
	for _, one := range all {
		d.line("- %s", one)
	}
}

var heading = map[trial.Verdict]string{
	trial.Deviates:     "Deviations",
	trial.Inconclusive: "Inconclusive",
	trial.Divergent:    "Divergences",
	trial.Unsupported:  "Unsupported",
}

// verdicts is the matrix of one area: trials and subjects.
func (d *document) verdicts(m matrix, a matrixArea) {
	header := []string{"trial"}
	for _, b := range m.subjects {
		header = append(header, b.title())
	}
	t := markdownTable(header...)
	for _, r := range a.rows {
		cells := table.Row{"`" + r.trial + "`"}
		for _, v := range m.verdicts(r) {
			cells = append(cells, v)
		}
		t.AppendRow(cells)
	}
	d.line("\n## %s\n\n%s", a.name, t.RenderMarkdown())
}

// measured is every claim of one area with what was measured on each subject.
func (d *document) measured(m matrix, a matrixArea) {
	header := []string{"trial", "claim"}
	for _, b := range m.subjects {
		header = append(header, b.title())
	}
	t := markdownTable(header...)
	for _, r := range a.rows {
		name := "`" + r.trial + "`"
		claims := m.claims(r)
		if len(claims) == 0 {
			continue // the matrix says it all
		}
		for _, claim := range claims {
			cells := table.Row{name, claim}
			for _, b := range m.subjects {
				cells = append(cells, claimCell(b.subject, r.on[b.subject.Name], claim))
			}
			t.AppendRow(cells)
			name = ""
		}
	}
	if t.Length() > 0 {
		d.line("\n## %s: every claim\n\n%s", a.name, t.RenderMarkdown())
	}
}

// claims are the claims of one trial that any subject was held to, in order.
func (m matrix) claims(row matrixRow) []string {
	var names []string
	seen := map[string]bool{}
	for _, b := range m.subjects {
		for _, f := range findings(row.on[b.subject.Name]) {
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
func claimCell(s Subject, o Outcome, claim string) string {
	for _, f := range findings(o) {
		if f.Claim != claim {
			continue
		}
		said := measured(f) + " in " + span(f.Implemented)
		if f.Verdict != trial.Conforms && f.Verdict != trial.Divergent {
			said = measured(f) + ", the code computes " + span(f.Implemented)
		}
		if f.Verdict == trial.Divergent {
			said += ", documented " + span(*f.Documented)
		}
		if f.Verdict != trial.Conforms {
			said = string(f.Verdict) + ": " + said
		}
		if f.Diagnosis != nil {
			said += ", " + asIf(*f.Diagnosis)
		}
		return said + s.model(f)
	}
	return "-"
}
