package markdown

import (
	"cmp"
	"io"

	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/mutants"
)

// Mutants writes a mutation report: the result and a row for each lane. Each lane then lists the mutants
// that were not killed with the reason, the others with what killed them, and the references.
func Mutants(w io.Writer, p mutationtest.Report) error {
	d := &Document{}
	d.Line("# Mutation testing\n\n**%s**: %s\n", p.Title(), Escape(p.ExitReason()))
	d.Line("This report shows how well podclock distinguishes wrong code from right code: mutants of %s with one "+
		"change each, beside the code as released. Report %s of podclock %s, profile %s; required score %s; exit "+
		"code %d.",
		p.Version, p.ID, cmp.Or(p.Environment.Podclock, "unknown"), p.Profile, mutationtest.ScorePercent(p.AtLeast),
		p.ExitCode())
	d.Sections(2, mutants.Full(p)...)
	return view.WriteAll(w, "mutation report "+p.ID+" as Markdown", &d.b)
}
