package markdown

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/podclock/podclock/reports/disturbances"
	"github.com/podclock/podclock/reports/view"
)

// Disturbances writes the table: a row for each disturbance, a column for each subject.
func Disturbances(w io.Writer, t disturbances.Disturbances) error {
	d := &Document{}
	d.Line("# %s\n\n%s", t.Title(), t.Totals())
	if len(t.Rows) > 0 {
		d.Line("\n%s", disturbanceTable(t))
		d.Line("\nVerdicts: %s. In brackets how many trials took more than one attempt.", strings.Join(t.Words(), ", "))
	}
	for _, r := range t.Rows {
		if r.Problem != "" {
			d.Line("\nThe row %s says nothing: %s", r.Name, r.Problem)
		}
	}
	if len(t.Broken) > 0 {
		d.Line("\n## Verdicts that no disturbance may lead to\n")
		for _, b := range t.Broken {
			d.Line("- %s", b)
		}
	}
	if _, err := io.WriteString(w, d.B.String()); err != nil {
		return fmt.Errorf("writing the disturbances as Run: %w", err)
	}
	return nil
}

func disturbanceTable(t disturbances.Disturbances) string {
	header := []string{"disturbance", "done", "judged"}
	var subjects []string
	for _, r := range t.Rows {
		if len(r.Cells) > len(subjects) {
			subjects = nil
			for _, c := range r.Cells {
				subjects = append(subjects, c.Subject)
			}
		}
	}
	rendered := view.MarkdownTable(append(header, subjects...)...)
	for _, r := range t.Rows {
		row := table.Row{fmt.Sprintf("%s: %s", r.Name, r.Says), disturbances.Done(r.Applied), r.Judged()}
		if r.Control {
			row[1] = "-"
		}
		for _, subject := range subjects {
			row = append(row, disturbanceCell(r, subject))
		}
		rendered.AppendRow(row)
	}
	return rendered.RenderMarkdown()
}

// disturbanceCell is what became of a subject's trials.
func disturbanceCell(r disturbances.DisturbanceRow, subject string) string {
	for _, c := range r.Cells {
		if c.Subject != subject {
			continue
		}
		var parts []string
		for _, i := range disturbances.Initials {
			if n := c.Verdicts[i.Verdict]; n > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", n, i.Initial))
			}
		}
		if c.Repeated > 0 {
			parts = append(parts, fmt.Sprintf("(%d)", c.Repeated))
		}
		return strings.Join(parts, " ")
	}
	return "-"
}
