package reports

import (
	"fmt"
	"io"
	"path/filepath"
)

// ProofSummary writes what a proof came to, for a terminal: each lane's score in a few sentences, what was
// not caught, and what is wrong. Every mutant with what caught it is in the proof's folder, where it has
// one.
func ProofSummary(w io.Writer, p Proof, o SummaryOptions) error {
	page := &page{width: o.Screen.Columns(), colour: o.Screen.Colour}
	for _, s := range p.reach() {
		page.line("", s)
	}
	for _, l := range p.Lanes {
		lines := l.headline(p.Version)
		page.heading(lines[0])
		for _, s := range lines[1:] {
			page.line("  ", s)
		}
		page.proofList("Not caught", l.of(false, Survived, Undecided, Failed))
		page.proofList("Caught, though the catalogue of mutations says that it can't be", l.misfiled())
		for _, c := range l.Controls {
			for _, a := range c.FalseAlarms {
				page.line(
					"  ",
					fmt.Sprintf(
						"False alarm on %s: %s %s: %s, %s, %s",
						c.Subject,
						a.Trial,
						a.Claim,
						a.told(),
						a.due(),
						a.outside(),
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
		page.line("", "Every mutant with what caught it: ", filepath.Join(o.Folder, ProofMarkdownFile))
	}
	page.line("", fmt.Sprintf("%s (exit code %d): %s", p.Title(), p.ExitCode(), p.ExitReason()))
	if _, err := io.WriteString(w, page.b.String()); err != nil {
		return fmt.Errorf("writing the summary of proof %s: %w", p.ID, err)
	}
	return nil
}

func (p *page) proofList(title string, mutants []Mutant) {
	if len(mutants) == 0 {
		return
	}
	p.line("  ", title)
	for _, m := range mutants {
		p.line("    ", m.news(p.colour))
	}
}
