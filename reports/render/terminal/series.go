package terminal

import (
	"io"

	"github.com/podclock/podclock/harness/host/screen"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/series"
)

// Series writes a view of a series for a terminal. The result comes last, where a reader looks first.
func Series(w io.Writer, r series.Report, s screen.Screen) error {
	p := newPage(s)
	if r.Size != "" {
		p.line("", r.Size)
	}
	p.sections(r.Sections)
	p.line("")
	p.heading(r.Title)
	if r.ExitCode != "" {
		p.line("", r.ExitCode)
	}
	return view.WriteAll(w, "the series", &p.b)
}
