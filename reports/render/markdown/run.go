// Package markdown writes reports as Markdown. It renders what package view and the series packages arranged.
// It knows no formula.
package markdown

import (
	"fmt"
	"io"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/view"
)

// Run writes the run: the counts, what is not as expected, the verdicts of every trial on every subject by
// area, and the measurement of every claim.
func Run(w io.Writer, v view.Overview) error {
	d, r := &Document{}, v.Run
	d.Line("%s", Escape(view.FirstLine(r)))
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
	d.Sections(2, v.Sections(view.Limits{})...)
	d.Sections(2, v.Promised(false)...)
	d.Sections(2, v.Matrix()...)
	d.Sections(2, v.Claims()...)
	return view.WriteAll(w, fmt.Sprintf("run %s as Markdown", r.ID), &d.b)
}

// Divergences writes every difference that a run found between documentation and code: the promise and its
// page, the measurements on each subject, the issues, and the command that reproduces it. It begins with what the run
// lacks.
func Divergences(w io.Writer, r run.Run, trials view.Catalogue, missing []string) error {
	d := &Document{}
	d.divergences(r, view.DivergencesOf(r, trials), missing)
	return view.WriteAll(w, "the divergences of run "+r.ID, &d.b)
}

// Section writes one section.
func Section(w io.Writer, p view.Section) error {
	d := &Document{}
	d.Sections(2, p)
	return view.WriteAll(w, "a section as Markdown", &d.b)
}
