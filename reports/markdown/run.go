// Package markdown writes reports as Markdown. It renders what package view and the models of many runs
// arranged, and knows no formula.
package markdown

import (
	"fmt"
	"io"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/reports/view"
)

// Run writes the run: the counts, what is not as it should be, the verdicts of every trial on every subject
// by area, and every claim with what was measured.
func Run(w io.Writer, r run.Run) error {
	d, v := &Document{}, view.OverviewOf(r, view.DivergencesOptions{})
	d.Line("Run %s, %s.", r.ID, view.Tally(r.Outcomes))
	for _, note := range append([]string{v.Size}, v.Notes...) {
		if note != "" {
			d.Line("\n%s", Escape(note))
		}
	}
	d.Line("\nExit code %d: %s", r.ExitCode(), Escape(view.ExitReason(r)))
	if len(v.Subjects) > 0 {
		d.Line("")
		d.table(v.Counts())
	}
	d.Passages(2, v.Passages(view.Limits{})...)
	d.Passages(2, v.Matrix()...)
	d.Passages(2, v.Claims()...)
	return view.WriteAll(w, fmt.Sprintf("run %s as Markdown", r.ID), &d.b)
}

// Divergences writes every place where a run found documentation and code to differ: what is promised and
// where, what was measured on which subject, the issues, and the command that shows it again.
func Divergences(w io.Writer, r run.Run, o view.DivergencesOptions) error {
	d := &Document{}
	d.divergences(r, view.DivergencesOf(r, o), o.Missing)
	return view.WriteAll(w, "the divergences of run "+r.ID, &d.b)
}
