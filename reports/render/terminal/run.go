// Package terminal writes reports and progress for a terminal. It renders what package view and the series
// packages arranged. It knows no formula.
package terminal

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view"
)

// mostSpelledOut is the largest number of outcomes with every claim in the table. A larger run shows the
// verdicts on which its subjects differ.
const mostSpelledOut = 24

// Run writes the summary of a run. The table of verdicts comes first. At the end, where a reader looks first,
// are the counts, what is not as expected, the figures and the exit code.
func Run(w io.Writer, v view.Overview, o Options) error {
	p, r := newPage(o.Screen), v.Run
	ran := r.Ran()
	switch {
	case ran && r.Promises != nil:
		p.sections(v.Promised(true))
	case ran && len(r.Outcomes) > mostSpelledOut:
		p.compact(v)
	case ran:
		for _, c := range v.Subjects {
			p.write(p.claims(c) + "\n")
		}
		p.differences(v)
	}
	p.line("", view.FirstLine(r))
	for _, c := range v.Subjects {
		if len(v.Subjects) > 1 || c.Extrapolated() {
			p.line("  ", c.Title(), ", ", view.Tally(c.Outcomes), ".")
		}
	}
	limits := view.Brief()
	limits.NoClaims = o.NoClaims
	p.sections(v.Sections(limits))
	p.line("")
	if v.Size != "" {
		p.line("", v.Size)
	}
	for _, note := range v.Notes {
		p.line("", note)
	}
	p.line("", fmt.Sprintf("Exit code %d: ", r.ExitCode()), view.ExitReason(r))
	if o.Folder != "" {
		p.files(v, o.Folder)
	}
	return view.WriteAll(w, "the summary of run "+r.ID, &p.b)
}

// files lists the files of the run's folder.
func (p *page) files(v view.Overview, folder string) {
	if len(v.Deviations) > 0 {
		p.line("", "Pod, timeline and node log of each deviation: ", filepath.Join(folder, run.DeviationsFolder))
	}
	if len(v.Divergences) > 0 {
		p.line("", "Divergences with promise, page and numbers: make divergences RUN=", folder)
	}
	p.line("", "Saved in ", folder, ": ", run.RunFile, " (everything), ", run.MarkdownFile, " (every claim), ",
		run.JUnitFile, ". Judge it again: make judge RUN=", folder)
}

// compact is the table of a large run. It lists trials that need a look, and counts the others by area and
// verdicts.
func (p *page) compact(v view.Overview) {
	header := []string{"trial"}
	for _, c := range v.Subjects {
		header = append(header, c.Title())
	}
	var groups [][][]string
	for _, a := range v.Areas {
		var named, counted [][]string
		alike, counts := map[string]int{}, map[string]int{}
		for _, row := range a.Rows {
			kind := fmt.Sprint(row.Verdicts())
			if row.Notable {
				named = append(named, p.cells(row.Trial, row.Verdicts()))
			} else if counts[kind]++; counts[kind] == 1 {
				alike[kind] = len(counted)
				counted = append(counted, p.cells("", row.Verdicts()))
			}
		}
		for kind, n := range counts {
			counted[alike[kind]][0] = a.Name + ": " + run.Plural(n, "trial")
		}
		groups = append(groups, append(named, counted...))
	}
	if grid := p.grid(header, groups); grid != "" {
		p.write(grid + "\n")
	}
}

func (p *page) cells(name string, all []trial.Verdict) []string {
	cells := []string{name}
	for _, v := range all {
		cells = append(cells, p.verdict(v))
	}
	return cells
}

// differences lists the trials whose verdict depends on the subject.
func (p *page) differences(v view.Overview) {
	if len(v.Subjects) < 2 {
		return
	}
	var lines []string
	for _, a := range v.Areas {
		for _, row := range a.Rows {
			all := row.Verdicts()
			if len(slices.Compact(slices.Clone(all))) == 1 {
				continue
			}
			var parts []string
			for i, c := range v.Subjects {
				if all[i] == view.NotSelected {
					all[i] = "not selected"
				}
				parts = append(parts, p.verdict(all[i])+" on "+c.Name)
			}
			lines = append(lines, row.Trial+": "+strings.Join(parts, ", "))
		}
	}
	if len(lines) == 0 {
		p.heading("The subjects do not differ in any verdict.")
	} else {
		p.heading("Where the subjects differ")
	}
	for _, l := range lines {
		p.line("  ", l)
	}
	p.line("")
}
