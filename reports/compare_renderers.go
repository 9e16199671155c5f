package reports

import (
	"encoding/json"
	"fmt"
	"io"
)

// ComparisonText writes a comparison for a terminal: what it came to first and last, where the eye is, and
// in between what changed.
func ComparisonText(w io.Writer, c Comparison, s Screen) error {
	p := &page{width: s.Columns(), colour: s.Colour}
	p.line("", c.Size())
	p.passages(c.Passages())
	p.line("")
	p.heading(c.Title())
	p.line("", fmt.Sprintf("Exit code %d.", c.ExitCode))
	return writeAll(w, "the comparison", &p.b)
}

// ComparisonMarkdown writes a comparison as Markdown, as for a CI job's summary.
func ComparisonMarkdown(w io.Writer, c Comparison) error {
	d := &document{}
	d.line("# %s\n\n%s", c.Title(), c.Size())
	d.passages(c.Passages())
	return writeAll(w, "the comparison as Markdown", &d.b)
}

// ComparisonJSON writes all of a comparison for programs.
func ComparisonJSON(w io.Writer, c Comparison) error { return writeJSON(w, "the comparison", c) }

// writeJSON writes something indented, with what HTML would escape as it is.
func writeJSON(w io.Writer, what string, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("writing %s as JSON: %w", what, err)
	}
	return nil
}
