package markdown

import (
	"io"

	"github.com/podclock/podclock/reports/series"
	"github.com/podclock/podclock/reports/view"
)

// ComparisonMarkdown writes a comparison as Markdown, as for a CI job's summary.
func ComparisonMarkdown(w io.Writer, c series.Comparison) error {
	d := &Document{}
	d.Line("# %s\n\n%s", c.Title(), c.Size())
	d.passages(c.Passages())
	return view.WriteAll(w, "the comparison as Markdown", &d.B)
}

// HistoryMarkdown writes a history as Markdown.
func HistoryMarkdown(w io.Writer, h series.History) error {
	d := &Document{}
	d.Line("# %s", h.Title())
	d.passages(h.Passages())
	return view.WriteAll(w, "the history as Markdown", &d.B)
}
