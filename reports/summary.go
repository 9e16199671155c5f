package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/trial"
)

// SummaryOptions say for whom a summary is.
type SummaryOptions struct {
	Screen Screen
	// Folder is where the run was saved; empty says nothing about files.
	Folder string
}

// Summary writes what a person wants to know of a run: the counts, a table per subject with every claim, and then, at the end where the
// eye is, all that is not as it should be, the run's two figures, and what its exit code means.
func Summary(w io.Writer, r Run, o SummaryOptions) error {
	p := &page{width: o.Screen.width(), colour: o.Screen.Colour}
	p.headline(r)
	if r.Longest() != nil {
		p.verdicts(r)
	}
	p.figures(r, o.Folder)
	if _, err := io.WriteString(w, p.b.String()); err != nil {
		return fmt.Errorf("writing the summary of run %s: %w", r.ID, err)
	}
	return nil
}

// verdicts is what there is to say once at least one trial ran.
func (p *page) verdicts(r Run) {
	blocks := r.blocks()
	for _, b := range blocks {
		if len(b.outcomes) > 0 {
			p.line("")
			p.write(p.table(b))
		}
	}
	p.differences(blocks)
	p.deviations(r)
	p.inconclusive(r)
	p.unsupported(r)
	p.divergences(r)
}

// page is a summary in the making.
type page struct {
	b      strings.Builder
	width  int
	colour bool
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
	if p.colour {
		s = text.Bold.Sprint(s)
	}
	p.line("")
	p.line("", s)
}

// verdict writes a verdict in its colour.
func (p *page) verdict(v trial.Verdict) string { return painted(v, p.colour) }

// headline is the run in a few sentences: how many of each verdict, per subject where there are several, and what explains the deviations.
func (p *page) headline(r Run) {
	p.line("", "Run ", r.ID, ", ", tally(r.Outcomes), ".")
	if len(r.Subjects) > 1 {
		for _, b := range r.blocks() {
			p.line("  ", b.subject.Name, ", ", tally(b.outcomes), ".")
		}
	}
	for _, g := range groups(r) {
		if g.diagnosis != nil {
			p.line("  ", "Diagnosis on ", strings.Join(g.subjects(), ", "), ": ", asIf(*g.diagnosis), ".")
		}
	}
	for _, problem := range r.Problems {
		p.line("  ", "Problem: ", problem)
	}
}

// differences shows the trials whose verdict depends on the subject.
func (p *page) differences(blocks []block) {
	blocks = slices.DeleteFunc(slices.Clone(blocks), func(b block) bool { return len(b.outcomes) == 0 })
	if len(blocks) < 2 {
		return
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
		p.title("The subjects do not differ in any verdict.")
		return
	}
	p.title("Where the subjects differ")
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
}

// figures ends the summary: how long it took, what the exit code is and means, and where everything is.
func (p *page) figures(r Run, folder string) {
	p.line("")
	switch longest := r.Longest(); {
	case r.Ready.IsZero():
		p.line("", "The cluster never got ready.")
	case r.Reported.IsZero():
		p.line("", "The run never came to its report.")
	case longest == nil:
		p.line("", "Cluster ready to report: ", short(r.Reported.Sub(r.Ready)), ". No trial ran.")
	default:
		took := r.Reported.Sub(r.Ready)
		p.line("", "Cluster ready to report: ", short(took), ". Longest trial: ", short(longest.LongestAttempt()), " (", longest.Trial, " on ", longest.Subject,
			fmt.Sprintf("). Ratio: %.2f.", took.Seconds()/longest.LongestAttempt().Seconds()))
	}
	retried := 0
	for _, o := range r.Outcomes {
		if len(o.Attempts) > 1 {
			retried++
		}
	}
	if retried > 0 {
		p.line("", plural(retried, "trial"), " ran more than once, because an attempt was inconclusive.")
	}
	p.line("", fmt.Sprintf("Exit code %d: ", r.ExitCode()), r.ExitReason())
	if folder != "" {
		p.line("", "Saved in ", folder, ": ", RunFile, " (everything), ", JUnitFile, ". Judge it again: make judge RUN=", folder)
	}
}

// short writes a duration for people: to a tenth of a second.
func short(d time.Duration) string { return d.Round(100 * time.Millisecond).String() }
