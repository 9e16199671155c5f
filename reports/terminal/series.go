package terminal

import (
	"fmt"
	"io"

	"github.com/podclock/podclock/reports/series"
	"github.com/podclock/podclock/reports/view"
)

// Comparison writes a comparison for a terminal: what it came to first and last, where the eye is, and
// in between what changed.
func Comparison(w io.Writer, c series.Comparison, s Screen) error {
	p := &page{width: s.Columns(), colour: s.Colour}
	p.line("", c.Size())
	p.passages(c.Passages())
	p.line("")
	p.heading(c.Title())
	p.line("", fmt.Sprintf("Exit code %d.", c.ExitCode))
	return view.WriteAll(w, "the comparison", &p.b)
}

// History writes a history for a terminal: the runs and what was not always the same, and at the end,
// where the eye is, how things stand.
func History(w io.Writer, h series.History, s Screen) error {
	p := &page{width: s.Columns(), colour: s.Colour}
	p.passages(h.Passages())
	p.line("")
	p.heading(h.Title() + ".")
	return view.WriteAll(w, "the history", &p.b)
}
