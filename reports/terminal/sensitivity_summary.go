package terminal

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/reports/sensitivity"
)

// Sensitivity writes what a proof came to, for a terminal: each lane's score in a few sentences, what was
// not caught, and what is wrong. Every mutant with what caught it is in the proof's folder, where it has
// one.
func Sensitivity(w io.Writer, p detection.Report, o Options) error {
	page := &page{width: o.Screen.Columns(), colour: o.Screen.Colour}
	for _, s := range sensitivity.Reach(p) {
		page.line("", s)
	}
	for _, l := range p.Lanes {
		lines := sensitivity.Headline(l, p.Version)
		page.heading(lines[0])
		for _, s := range lines[1:] {
			page.line("  ", s)
		}
		page.proofList("Not caught", sensitivity.Mutants(l, false, detection.Survived, detection.Undecided, detection.Failed))
		page.proofList("Caught, though the catalogue of mutations says that it can't be", sensitivity.Misfiled(l))
		for _, c := range l.References {
			for _, a := range c.FalseAlarms {
				page.line(
					"  ",
					fmt.Sprintf(
						"False alarm on %s: %s %s: %s, %s, %s",
						c.Subject,
						a.Trial,
						a.Claim,
						sensitivity.Measured(a),
						sensitivity.AllowedInSentence(a),
						sensitivity.Outside(a),
					),
				)
			}
		}
		page.line("")
	}
	for _, problem := range p.Problems {
		page.line("", "Problem: ", problem)
	}
	if o.Folder != "" {
		page.line("", "Every mutant with what caught it: ", filepath.Join(o.Folder, detection.MarkdownFile))
	}
	page.line("", fmt.Sprintf("%s (exit code %d): %s", p.Title(), p.ExitCode(), p.ExitReason()))
	if _, err := io.WriteString(w, page.b.String()); err != nil {
		return fmt.Errorf("writing the summary of proof %s: %w", p.ID, err)
	}
	return nil
}

func (p *page) proofList(title string, mutants []detection.Mutant) {
	if len(mutants) == 0 {
		return
	}
	p.line("  ", title)
	for _, m := range mutants {
		p.line("    ", news(m, p.colour))
	}
}
