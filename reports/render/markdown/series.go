package markdown

import (
	"io"

	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/series"
)

// Series writes a view of a series as Markdown, such as for the summary of a CI job.
func Series(w io.Writer, r series.Report) error {
	d := &Document{}
	d.Line("# %s", r.Title)
	if r.Size != "" {
		d.Line("\n%s", r.Size)
	}
	d.Sections(2, r.Sections...)
	return view.WriteAll(w, "the series as Markdown", &d.b)
}
