package terminal

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/podclock/podclock/harness/mutants/detection"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/sensitivity"
)

// Sensitivity writes the result of a sensitivity run: a few sentences per lane, mutants that were not caught,
// and problems. The run's folder lists every mutant with what caught it.
func Sensitivity(w io.Writer, p detection.Report, o Options) error {
	page := newPage(o.Screen)
	page.passages(sensitivity.Brief(p))
	page.line("")
	if o.Folder != "" {
		page.line("", "Every mutant with what caught it: ", filepath.Join(o.Folder, detection.MarkdownFile))
	}
	page.line("", fmt.Sprintf("%s (exit code %d): %s", p.Title(), p.ExitCode(), p.ExitReason()))
	return view.WriteAll(w, "the summary of sensitivity report "+p.ID, &page.b)
}
