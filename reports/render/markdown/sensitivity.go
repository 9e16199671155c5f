package markdown

import (
	"cmp"
	"io"

	"github.com/podclock/podclock/harness/mutants/detection"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/sensitivity"
)

// Sensitivity writes a sensitivity report: the result and a row for each lane. Each lane then lists the mutants
// that were not caught with the reason, the others with what caught them, and the references.
func Sensitivity(w io.Writer, p detection.Report) error {
	d := &Document{}
	d.Line("# Sensitivity\n\n**%s**: %s\n", p.Title(), Escape(p.ExitReason()))
	d.Line("This report shows how well podclock distinguishes wrong code from right code: mutants of %s with one "+
		"change each, beside the code as released. Report %s of podclock %s, profile %s; required score %s; exit "+
		"code %d.",
		p.Version, p.ID, cmp.Or(p.Environment.Podclock, "unknown"), p.Profile, detection.ScorePercent(p.AtLeast),
		p.ExitCode())
	d.Passages(2, sensitivity.Full(p)...)
	return view.WriteAll(w, "sensitivity report "+p.ID+" as Markdown", &d.b)
}
