package reports

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/podclock/podclock/harness/trial"
)

// What a folder of disturbances holds beside its rows' runs.
const (
	// DisturbanceFile is the report for people, DisturbanceJSON for programs.
	DisturbanceFile = "disturbance.md"
	DisturbanceJSON = "disturbance.json"
)

// disturbancePrefix begins the names of the folders of disturbances, which lie among those of runs.
const disturbancePrefix = "disturbance-"

// DisturbanceFolder creates the folder of disturbances that began at a time.
func DisturbanceFolder(out string, started time.Time) (string, error) {
	dir, _, err := folder(out, disturbancePrefix, started)
	return dir, err
}

// WriteDisturbances writes both reports into a folder that exists, each as a whole or not at all.
func WriteDisturbances(dir string, t Disturbances) error {
	data, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return fmt.Errorf("writing the disturbances: encoding them: %w", err)
	}
	var text strings.Builder
	if err := DisturbancesMarkdown(&text, t); err != nil {
		return err
	}
	for name, content := range map[string][]byte{DisturbanceJSON: append(data, '\n'), DisturbanceFile: []byte(text.String())} {
		if err := Replace(filepath.Join(dir, name), content); err != nil {
			return fmt.Errorf(
				"writing the disturbances to %s (is the disk full, or the folder read-only?): %w",
				dir,
				err,
			)
		}
	}
	return nil
}

// DisturbancesMarkdown writes the table: a row for each disturbance, a column for each subject.
func DisturbancesMarkdown(w io.Writer, t Disturbances) error {
	d := &document{}
	d.line("# %s\n\n%s", t.Title(), t.totals())
	if len(t.Rows) > 0 {
		d.line("\n%s", t.table())
		d.line("\nVerdicts: %s. In brackets how many trials took more than one attempt.", strings.Join(t.words(), ", "))
	}
	for _, r := range t.Rows {
		if r.Problem != "" {
			d.line("\nThe row %s says nothing: %s", r.Name, r.Problem)
		}
	}
	if len(t.Broken) > 0 {
		d.line("\n## Verdicts that no disturbance may lead to\n")
		for _, b := range t.Broken {
			d.line("- %s", b)
		}
	}
	if _, err := io.WriteString(w, d.b.String()); err != nil {
		return fmt.Errorf("writing the disturbances as Markdown: %w", err)
	}
	return nil
}

// Title is the result in one line.
func (t Disturbances) Title() string {
	return fmt.Sprintf(
		"Verdicts on disturbed nodes: %s, %s",
		t.ofAsked(),
		plural(len(t.Broken), "verdict")+" that no disturbance may lead to",
	)
}

// totals say what the table is of.
func (t Disturbances) totals() string {
	all := markdownTable("", "")
	add := func(name, format string, args ...any) {
		all.AppendRow(row([]string{name, fmt.Sprintf(format, args...)}))
	}
	add("result", "exit code %d: %s", t.ExitCode, t.ExitReason())
	if !t.Started.IsZero() {
		add("date", "%s", t.Started.UTC().Format(time.DateOnly))
	}
	if len(t.MadeBy) > 0 {
		add("made by", "%s", strings.Join(t.MadeBy, "; "))
	}
	if len(t.Trials) > 0 {
		add("trials", "%d on each subject: %s", len(t.Trials), code(strings.Join(t.Trials, "`, `")))
	}
	return all.RenderMarkdown()
}

// initials are the verdicts in short, in the order of a cell.
var initials = []struct {
	Verdict trial.Verdict
	Initial string
}{{trial.Conforms, "C"}, {trial.Divergent, "D"}, {trial.Deviates, "X"}, {trial.Inconclusive, "?"}, {trial.Unsupported, "U"}}

// words explain the initials that the table has.
func (t Disturbances) words() []string {
	seen := map[trial.Verdict]bool{}
	for _, r := range t.Rows {
		for _, c := range r.Cells {
			for v := range c.Verdicts {
				seen[v] = true
			}
		}
	}
	var words []string
	for _, i := range initials {
		if seen[i.Verdict] {
			words = append(words, fmt.Sprintf("%s %s", i.Initial, i.Verdict))
		}
	}
	return words
}

func (t Disturbances) table() string {
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
	rendered := markdownTable(append(header, subjects...)...)
	for _, r := range t.Rows {
		row := table.Row{fmt.Sprintf("%s: %s", r.Name, r.Says), done(r.Applied), r.judged()}
		if r.Control {
			row[1] = "-"
		}
		for _, subject := range subjects {
			row = append(row, r.cell(subject))
		}
		rendered.AppendRow(row)
	}
	return rendered.RenderMarkdown()
}

// cell is what became of a subject's trials.
func (r DisturbanceRow) cell(subject string) string {
	for _, c := range r.Cells {
		if c.Subject != subject {
			continue
		}
		var parts []string
		for _, i := range initials {
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
