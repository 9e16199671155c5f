package terminal

import (
	"io"

	"github.com/podclock/podclock/harness/host/screen"
	"github.com/podclock/podclock/reports/view"
)

// Report writes what a report says for a terminal. The result comes last, where a reader looks first.
func Report(w io.Writer, r view.Report, s screen.Screen) error {
	p := newPage(s)
	if r.Size != "" {
		p.line("", r.Size)
	}
	p.sections(r.Sections)
	if p.b.Len() > 0 {
		p.line("")
	}
	p.heading(r.Title)
	if r.ExitCode != "" {
		p.line("", r.ExitCode)
	}
	return view.WriteAll(w, "the report", &p.b)
}
