package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
)

// SummaryOptions say for whom a summary is.
type SummaryOptions struct {
	Screen Screen
	// Folder is where the run was saved; empty says nothing about files.
	Folder string
}

// mostSpelledOut is how many outcomes a summary shows with every claim. A larger run gets the verdicts on
// which its subjects differ.
const mostSpelledOut = 24

// Summary writes what a person wants to know of a run: its verdicts as a table first, and then, at the end
// where the eye is, the counts, all that is not as it should be, the run's figures, and what its exit code
// means. Of a small run the table has every claim.
func Summary(w io.Writer, r Run, o SummaryOptions) error {
	p := &page{width: o.Screen.Columns(), colour: o.Screen.Colour, folder: o.Folder}
	ran := r.ran()
	if ran {
		p.table(r)
	}
	p.headline(r)
	if ran {
		p.deviations(r)
		if a := r.Agreement(); a != nil {
			p.disagreements(lanesDisagree, a.Disagreements)
			p.disagreements(oneLaneDeviates, a.oneSidedDeviations())
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
func (p *page) table(r Run) {
	if len(r.Outcomes) > mostSpelledOut {
		p.compact(r.matrix())
		return
	}
	blocks := r.blocks()
	for _, b := range blocks {
		if len(b.outcomes) > 0 {
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
func (p *page) headline(r Run) {
	p.line("", "Run ", r.ID, ", ", tally(r.Outcomes), ".")
	for _, b := range r.blocks() {
		if len(r.Subjects) > 1 || b.extrapolated() {
			p.line("  ", b.title(), ", ", tally(b.outcomes), ".")
		}
	}
	if r.extrapolated() {
		p.line("  ", extrapolation)
	}
	for _, s := range r.laneNotes() {
		p.line("  ", s)
	}
	for _, problem := range r.Problems {
		p.line("  ", "Problem: ", problem)
	}
}

// extrapolation is what the mark at a subject's name means.
const extrapolation = "Extrapolated: the formulas were read in the sources of " + formula.OldestKnown + " to " + formula.NewestKnown +
	"; what is newer or older may have changed."

// extrapolated says whether any subject is outside the releases that the formulas are known to hold for.
func (r Run) extrapolated() bool { return slices.ContainsFunc(r.blocks(), block.extrapolated) }

// differences shows the trials whose verdict depends on the subject. It says whether there was anything to compare.
func (p *page) differences(blocks []block) bool {
	blocks = slices.DeleteFunc(slices.Clone(blocks), func(b block) bool { return len(b.outcomes) == 0 })
	if len(blocks) < 2 {
		return false
	}
	verdictOn := map[string]map[string]trial.Verdict{}
	var trials []string
	for _, b := range blocks {
		for _, o := range b.outcomes {
			if verdictOn[o.Trial] == nil {
				verdictOn[o.Trial] = map[string]trial.Verdict{}
				trials = append(trials, o.Trial)
			}
			verdictOn[o.Trial][b.subject.Name] = o.Verdict
		}
	}
	trials = slices.DeleteFunc(trials, func(id string) bool {
		for _, b := range blocks[1:] {
			if verdictOn[id][b.subject.Name] != verdictOn[id][blocks[0].subject.Name] {
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
			v, judged := verdictOn[id][b.subject.Name]
			if !judged {
				v = "not selected"
			}
			parts = append(parts, p.verdict(v)+" on "+b.subject.Name)
		}
		p.line("  ", id, ": ", strings.Join(parts, ", "))
	}
	return true
}

// figures ends the summary: how much it was and how long it took, what the exit code is and means, and
// where everything is.
func (p *page) figures(r Run) {
	p.line("")
	f := r.Figures()
	if f.Outcomes > 0 {
		p.line("", f.size(), profile(r), ".")
	}
	if f.Virtual != nil {
		p.line("", f.Virtual.pace())
	}
	if r.uses(NodeLane) || !r.uses(VirtualLane) {
		p.nodePace(r.in(NodeLane), f)
	}
	if f.Repeated > 0 {
		p.line("", plural(f.Repeated, "trial"), " ran more than once, because an attempt was inconclusive.")
	}
	p.line("", fmt.Sprintf("Exit code %d: ", r.ExitCode()), r.ExitReason())
	if p.folder != "" {
		p.line("", "Saved in ", p.folder, ": ", RunFile, " (everything), ", MarkdownFile, " (every claim), ", JUnitFile,
			". Judge it again: make judge RUN=", p.folder)
	}
}

// nodePace says how long the node lane took.
func (p *page) nodePace(nodes Run, f Figures) {
	switch {
	case nodes.Ready.IsZero():
		p.line("", "The cluster never got ready.")
	case nodes.Reported.IsZero():
		p.line("", "The run never came to its report.")
	case !nodes.ran():
		p.line("", "Cluster ready to report: ", short(f.Wall), ". No trial ran.")
	case f.Longest == 0:
		p.line("", "Cluster ready to report: ", short(f.Wall), ". No trial came to a conclusion.")
	default:
		p.line("", f.pace())
	}
}

// profile names the part of the catalogue that was offered, where the run says so.
func profile(r Run) string {
	if r.Profile == "" {
		return ""
	}
	return ", profile " + r.Profile
}

// short writes a duration for people: to a tenth of a second.
func short(d time.Duration) string { return d.Round(100 * time.Millisecond).String() }
