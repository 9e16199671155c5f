package reports

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
)

// ProofMarkdown writes the proof as Markdown: each lane's score in a few sentences, then every mutant with what caught it, those that nothing caught with the
// reason, and the controls.
func ProofMarkdown(w io.Writer, p Proof) error {
	d := &document{}
	d.line("# Sensitivity\n")
	d.line("How well podclock tells wrong code from right code: %s with one change each, beside the code as released. Proof %s of podclock %s, profile %s.",
		p.Version, p.ID, cmp.Or(p.Environment.Podclock, "unknown"), p.Profile)
	for _, problem := range p.Problems {
		d.line("\nProblem: %s", problem)
	}
	for _, l := range p.Lanes {
		lines := l.headline(p.Version)
		d.line("\n**%s**\n\n- %s", lines[0], strings.Join(lines[1:], "\n- "))
	}
	d.line("\nExit code %d: %s", p.ExitCode(), p.ExitReason())
	for _, l := range p.Lanes {
		d.lane(l, p.Version)
	}
	if _, err := io.WriteString(w, d.b.String()); err != nil {
		return fmt.Errorf("writing proof %s as Markdown: %w", p.ID, err)
	}
	return nil
}

// lane is one lane's proof in full.
func (d *document) lane(l LaneProof, version string) {
	d.line("\n## The %s lane\n", l.Lane)
	d.line("%s were offered to every mutant of %s.", plural(l.Trials, "trial"), version)
	if l.Lane == VirtualLane {
		d.line("%s", virtualLimits)
	}
	d.components(l)
	d.survivors("Not caught", l.of(false, Survived, Undecided, Failed))
	d.caught("Caught", l.of(false, Caught))
	if misfiled := l.of(true, Caught); len(misfiled) > 0 {
		d.caught("Caught, though nobody should be able to see it: the catalogue of mutations is wrong", misfiled)
	}
	d.unseen(l.of(true, Survived, Undecided, Failed))
	d.controls(l)
	if len(l.LeftOut) > 0 {
		d.line("\n### Not in this lane\n")
		for _, left := range l.LeftOut {
			d.line("- `%s`: %s", left.Name, left.Why)
		}
	}
}

func (d *document) components(l LaneProof) {
	t := markdownTable("component", "mutants", "caught", "score")
	for _, c := range l.Figures().Components {
		t.AppendRow(table.Row{c.Component, c.Mutants, c.Caught, scorePercent(c.Score)})
	}
	if t.Length() > 0 {
		d.line("\n%s", t.RenderMarkdown())
	}
}

// caught lists what was caught, by its clearest trial.
func (d *document) caught(title string, mutants []Mutant) {
	if len(mutants) == 0 {
		return
	}
	d.line("\n### %s\n", title)
	d.line("By each mutant's clearest claim: of the formula that it breaks where one tells, and of those the one that lies outside its window by the most of the " +
		"window's widths.\n")
	t := markdownTable("mutant", "breaks", "caught by", "the clearest", "measured", "allowed", "outside", "diagnosis", "took")
	for _, m := range mutants {
		c := m.Catches[0]
		t.AppendRow(table.Row{
			"`" + m.Name + "`", orDash(m.Formula), m.by(), fmt.Sprintf("`%s` %s", c.Trial, c.Claim), c.told(), c.allowed(), c.outside(), m.called(), short(m.Cost()),
		})
	}
	d.line("%s", t.RenderMarkdown())
}

// survivors lists what was not caught and why.
func (d *document) survivors(title string, mutants []Mutant) {
	if len(mutants) == 0 {
		return
	}
	t := markdownTable("mutant", "came out", "breaks", "what it breaks", "why", "took")
	for _, m := range mutants {
		t.AppendRow(table.Row{"`" + m.Name + "`", m.Verdict, orDash(m.Formula), m.Breaks, m.Why, short(m.Cost())})
	}
	d.line("\n### %s\n\n%s", title, t.RenderMarkdown())
	for _, m := range mutants {
		if len(m.Open) == 0 {
			continue
		}
		d.line("\nOn `%s` could not be judged:\n", m.Name)
		for _, o := range m.Open {
			d.line("- `%s`: %s", o.Trial, o.Why)
		}
	}
}

// unseen lists what counts for nothing.
func (d *document) unseen(mutants []Mutant) {
	if len(mutants) == 0 {
		return
	}
	t := markdownTable("mutant", "came out", "what it breaks", "why nobody could see it")
	for _, m := range mutants {
		t.AppendRow(table.Row{"`" + m.Name + "`", m.Verdict, m.Breaks, m.Unseen})
	}
	d.line("\n### Not part of the score\n\n%s", t.RenderMarkdown())
}

// controls lists the clean subjects, and every false alarm.
func (d *document) controls(l LaneProof) {
	t := markdownTable("control", "trials", "claims", "divergent", "not judged", "unsupported", "false alarms")
	for _, c := range l.Controls {
		t.AppendRow(table.Row{c.Subject, c.Trials, c.Claims, c.Divergent, len(c.Open), c.Unsupported, len(c.FalseAlarms)})
	}
	if t.Length() == 0 {
		return
	}
	d.line("\n### Controls\n\n%s", t.RenderMarkdown())
	for _, c := range l.Controls {
		for _, a := range c.FalseAlarms {
			d.line("\n- **false alarm** on %s: `%s` %s: %s, allowed %s, %s", c.Subject, a.Trial, a.Claim, a.told(), a.allowed(), a.outside())
		}
		for _, o := range c.Open {
			d.line("\n- not judged on %s: `%s`: %s", c.Subject, o.Trial, o.Why)
		}
	}
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
