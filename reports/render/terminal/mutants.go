package terminal

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/mutants"
)

// Mutants writes the result of a mutation test: a few sentences per lane, mutants that were not killed,
// and problems. The run's folder lists every mutant with what killed it.
func Mutants(w io.Writer, p mutationtest.Report, o Options) error {
	page := newPage(o.Screen)
	page.sections(mutants.Brief(p))
	page.line("")
	if o.Folder != "" {
		page.line("", "Every mutant with what killed it: ", filepath.Join(o.Folder, mutationtest.MarkdownFile))
	}
	page.line("", fmt.Sprintf("%s (exit code %d): %s", p.Title(), p.ExitCode(), p.ExitReason()))
	return view.WriteAll(w, "the summary of mutation report "+p.ID, &page.b)
}
