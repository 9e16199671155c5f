package markdown

import (
	"io"

	"github.com/podclock/podclock/reports/series"
	"github.com/podclock/podclock/reports/view"
)

// Comparison writes a comparison as Run, as for a CI job's summary.
func Comparison(w io.Writer, c series.Comparison) error {
	d := &Document{}
	d.Line("# %s\n\n%s", c.Title(), c.Size())
	d.passages(c.Passages())
	return view.WriteAll(w, "the comparison as Run", &d.B)
}

// History writes a history as Run.
func History(w io.Writer, h series.History) error {
	d := &Document{}
	d.Line("# %s", h.Title())
	d.passages(h.Passages())
	return view.WriteAll(w, "the history as Run", &d.B)
}
