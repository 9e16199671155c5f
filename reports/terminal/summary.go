// Package terminal writes reports and progress for a terminal. It renders what package view and the models
// of many runs arranged, and knows no formula.
package terminal

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/view"
)

// Options say for whom a summary is.
type Options struct {
	Screen Screen
	// Folder is where the run was saved; empty says nothing about files.
	Folder string
}

// mostSpelledOut is how many outcomes a summary shows with every claim. A larger run gets the verdicts on
// which its subjects differ.
const mostSpelledOut = 24

// Run writes what a person wants to know of a run: its verdicts as a table first, and then, at the end
// where the eye is, the counts, all that is not as it should be, the run's figures, and what its exit code
// means. Of a small run the table has every claim.
func Run(w io.Writer, r run.Run, o Options) error {
	p := &page{width: o.Screen.Columns(), colour: o.Screen.Colour, folder: o.Folder}
	ran := r.Ran()
	if ran {
		p.table(r)
	}
	p.headline(r)
	if ran {
		p.deviations(r)
		if a := view.AgreementOf(r); a != nil {
			p.disagreements(view.LanesDisagree, a.Disagreements)
			p.disagreements(view.OneLaneDeviates, a.OneSidedDeviations())
		}
		p.inconclusive(r)
		p.divergences(r)
		p.unsupported(r)
	}
	p.figures(r)
	if _, err := io.WriteString(w, p.b.String()); err != nil {
		return fmt.Errorf("writing the summary of run %s: %w", r.ID, err)
	}
	return nil
}

// table is the verdicts: every claim of a small run, the matrix of a large one.
func (p *page) table(r run.Run) {
	if len(r.Outcomes) > mostSpelledOut {
		p.compact(view.MatrixOf(r))
		return
	}
	blocks := view.ColumnsOf(r)
	for _, b := range blocks {
		if len(b.Outcomes) > 0 {
			p.write(p.claims(b))
			p.line("")
		}
	}
	if p.differences(blocks) {
		p.line("")
	}
}

// page is a summary in the making.
type page struct {
	b      strings.Builder
	width  int
	colour bool
	// folder is where the run was saved, empty where that is not to be told.
	folder string
}

func (p *page) write(s string) { p.b.WriteString(s + "\n") }

// line writes text at an indent, wrapped between words; what follows the first line is indented further.
func (p *page) line(indent string, parts ...string) {
	s := strings.Join(parts, "")
	further := indent + "  "
	lines := strings.Split(text.WrapSoft(s, max(20, p.width-len(further))), "\n")
	for i, l := range lines {
		if i > 0 {
			indent = further
		}
		p.b.WriteString(strings.TrimRight(indent+strings.TrimSpace(l), " ") + "\n")
	}
}

// title begins a section.
func (p *page) title(s string) {
	p.line("")
	p.heading(s)
}

func (p *page) heading(s string) {
	if p.colour {
		s = text.Bold.Sprint(s)
	}
	p.line("", s)
}

// verdict writes a verdict in its colour.
func (p *page) verdict(v trial.Verdict) string { return painted(v, p.colour) }

// headline is the run in a few sentences: how many of each verdict, per subject where there are several,
// and what went wrong as a whole.
func (p *page) headline(r run.Run) {
	p.line("", "Run ", r.ID, ", ", view.Tally(r.Outcomes), ".")
	for _, b := range view.ColumnsOf(r) {
		if len(r.Subjects) > 1 || b.Extrapolated() {
			p.line("  ", b.Title(), ", ", view.Tally(b.Outcomes), ".")
		}
	}
	if view.Extrapolated(r) {
		p.line("  ", view.Extrapolation)
	}
	for _, s := range view.LaneNotes(r) {
		p.line("  ", s)
	}
	for _, problem := range r.Problems {
		p.line("  ", "Problem: ", problem)
	}
}

// differences shows the trials whose verdict depends on the subject. It says whether there was anything to compare.
func (p *page) differences(blocks []view.Column) bool {
	blocks = slices.DeleteFunc(slices.Clone(blocks), func(b view.Column) bool { return len(b.Outcomes) == 0 })
	if len(blocks) < 2 {
		return false
	}
	verdictOn := map[string]map[string]trial.Verdict{}
	var trials []string
	for _, b := range blocks {
		for _, o := range b.Outcomes {
			if verdictOn[o.Trial] == nil {
				verdictOn[o.Trial] = map[string]trial.Verdict{}
				trials = append(trials, o.Trial)
			}
			verdictOn[o.Trial][b.Subject.Name] = o.Verdict
		}
	}
	trials = slices.DeleteFunc(trials, func(id string) bool {
		for _, b := range blocks[1:] {
			if verdictOn[id][b.Subject.Name] != verdictOn[id][blocks[0].Subject.Name] {
				return false
			}
		}
		return true
	})
	if len(trials) == 0 {
		p.heading("The subjects do not differ in any verdict.")
		return true
	}
	p.heading("Where the subjects differ")
	for _, id := range trials {
		var parts []string
		for _, b := range blocks {
			v, judged := verdictOn[id][b.Subject.Name]
			if !judged {
				v = "not selected"
			}
			parts = append(parts, p.verdict(v)+" on "+b.Subject.Name)
		}
		p.line("  ", id, ": ", strings.Join(parts, ", "))
	}
	return true
}

// figures ends the summary: how much it was and how long it took, what the exit code is and means, and
// where everything is.
func (p *page) figures(r run.Run) {
	p.line("")
	f := view.FiguresOf(r)
	if f.Outcomes > 0 {
		p.line("", f.Size(), view.Profile(r), ".")
	}
	if f.Virtual != nil {
		p.line("", f.Virtual.Pace())
	}
	if r.Uses(run.NodeLane) || !r.Uses(run.VirtualLane) {
		p.nodePace(r.In(run.NodeLane), f)
	}
	if f.Repeated > 0 {
		p.line("", run.Plural(f.Repeated, "trial"), " ran more than once, because an attempt was inconclusive.")
	}
	p.line("", fmt.Sprintf("Exit code %d: ", r.ExitCode()), view.ExitReason(r))
	if p.folder != "" {
		p.line("", "Saved in ", p.folder, ": ", run.RunFile, " (everything), ", run.MarkdownFile, " (every claim), ", run.JUnitFile,
			". Judge it again: make judge RUN=", p.folder)
	}
}

// nodePace says how long the node lane took.
func (p *page) nodePace(nodes run.Run, f view.Figures) {
	switch {
	case nodes.Ready.IsZero():
		p.line("", "The cluster never got ready.")
	case nodes.Reported.IsZero():
		p.line("", "The run never came to its report.")
	case !nodes.Ran():
		p.line("", "Cluster ready to report: ", view.FormatDuration(f.Wall), ". No trial ran.")
	case f.Longest == 0:
		p.line("", "Cluster ready to report: ", view.FormatDuration(f.Wall), ". No trial came to a conclusion.")
	default:
		p.line("", f.Pace())
	}
}
