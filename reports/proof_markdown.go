package reports

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
)

// ProofMarkdown writes the proof as Markdown: what it came to, a row for each lane, then of each lane what
// nothing caught with the reason, every other mutant with what caught it, and the controls.
func ProofMarkdown(w io.Writer, p Proof) error {
	d := &document{}
	d.line("# Sensitivity\n\n**%s**: %s\n", p.Title(), p.ExitReason())
	d.line("%s\n", strings.Join(p.reach(), "\n"))
	for _, problem := range p.Problems {
		d.line("Problem: %s\n", problem)
	}
	d.lanes(p.Lanes)
	d.line(
		"How well podclock tells wrong code from right code: %s with one change each, beside the code as released. Proof %s of podclock %s, profile %s; "+
			"%s asked for; exit code %d.",
		p.Version,
		p.ID,
		cmp.Or(p.Environment.Podclock, "unknown"),
		p.Profile,
		scorePercent(p.AtLeast),
		p.ExitCode(),
	)
	for _, l := range p.Lanes {
		d.lane(l, p.Version)
	}
	if _, err := io.WriteString(w, d.b.String()); err != nil {
		return fmt.Errorf("writing proof %s as Markdown: %w", p.ID, err)
	}
	return nil
}

// lanes has a row for each lane.
func (d *document) lanes(lanes []LaneProof) {
	t := markdownTable(
		"lane",
		"mutants",
		"caught",
		"score",
		"false alarms",
		"control trials not judged",
		"wall time",
		"one more mutant",
		"dearest mutant",
	)
	for _, l := range lanes {
		f := l.Figures()
		wall, each, dearest := "not at its end", "-", "-"
		if f.Wall > 0 {
			wall, each = whole(f.Wall), whole(f.Each)
		}
		if f.Most > 0 {
			dearest = fmt.Sprintf("`%s` %s", f.Dearest, whole(f.Most))
		}
		t.AppendRow(
			table.Row{
				l.Lane,
				f.Mutants,
				f.Caught,
				scorePercent(f.Score),
				f.FalseAlarms,
				f.Unjudged,
				wall,
				each,
				dearest,
			},
		)
	}
	if t.Length() > 0 {
		d.line("%s\n", t.RenderMarkdown())
	}
}

// lane is one lane's proof in full.
func (d *document) lane(l LaneProof, version string) {
	d.line("\n## The %s lane\n\n%s", l.Lane, l.offer(version))
	if l.Lane == VirtualLane {
		d.line("%s", virtualLimits)
	}
	d.line("\n- %s", strings.Join(l.headline(version), "\n- "))
	d.survivors("Not caught", l.of(false, Survived, Undecided, Failed))
	d.caught(l.of(false, Caught))
	if misfiled := l.misfiled(); len(misfiled) > 0 {
		d.line("\n### Caught, though the catalogue of mutations says that it can't be\n")
		d.catches(misfiled)
	}
	d.unseen(l.of(true, Survived, Undecided, Failed))
	d.components(l)
	d.controls(l)
	if len(l.LeftOut) > 0 {
		d.line("\n### Not in this lane\n")
		for _, left := range l.LeftOut {
			d.line("- `%s`: %s", left.Name, left.Why)
		}
	}
}

// offer says which trials a mutant could meet.
func (l LaneProof) offer(version string) string {
	if l.Lane == VirtualLane {
		return fmt.Sprintf("%s were offered to every mutant of %s.", plural(l.Trials, "trial"), version)
	}
	return fmt.Sprintf(
		"%s were offered to the mutants of %s, to each those that are chosen for it.",
		plural(l.Trials, "trial"),
		version,
	)
}

func (d *document) components(l LaneProof) {
	t := markdownTable("component", "mutants", "caught", "score")
	for _, c := range l.Figures().Components {
		t.AppendRow(table.Row{c.Component, c.Mutants, c.Caught, scorePercent(c.Score)})
	}
	if t.Length() > 0 {
		d.line("\n### By program\n\n%s", t.RenderMarkdown())
	}
}

// caught lists what was caught, by the area of its clearest trial.
func (d *document) caught(mutants []Mutant) {
	if len(mutants) == 0 {
		return
	}
	d.line("\n### Caught\n")
	d.line(
		"By each mutant's clearest claim: of the formula that it breaks where one tells, and of those the one that lies outside its window by the most of the " +
			"window's widths.",
	)
	var areas []string
	of := map[string][]Mutant{}
	for _, m := range mutants {
		area, _, _ := strings.Cut(m.Catches[0].Trial, "/")
		if len(of[area]) == 0 {
			areas = append(areas, area)
		}
		of[area] = append(of[area], m)
	}
	for _, area := range areas {
		d.line("\n<details><summary>%s: %s</summary>\n", area, plural(len(of[area]), "mutant"))
		d.catches(of[area])
		d.line("\n</details>")
	}
}

// catches is a table of mutants that were caught.
func (d *document) catches(mutants []Mutant) {
	t := markdownTable(
		"mutant",
		"breaks",
		"caught by",
		"the clearest",
		"measured",
		"allowed",
		"outside",
		"diagnosis",
		"took",
	)
	for _, m := range mutants {
		c := m.Catches[0]
		t.AppendRow(table.Row{
			"`" + m.Name + "`",
			orDash(m.Formula),
			m.by(),
			fmt.Sprintf("`%s` %s", c.Trial, c.Claim),
			c.told(),
			c.allowed(),
			c.outside(),
			m.called(),
			whole(m.Cost()),
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
		t.AppendRow(table.Row{"`" + m.Name + "`", m.Verdict, orDash(m.Formula), m.Breaks, m.Why, whole(m.Cost())})
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
		t.AppendRow(
			table.Row{c.Subject, c.Trials, c.Claims, c.Divergent, len(c.Open), c.Unsupported, len(c.FalseAlarms)},
		)
	}
	if t.Length() == 0 {
		return
	}
	d.line("\n### Controls\n\n%s", t.RenderMarkdown())
	for _, c := range l.Controls {
		for _, a := range c.FalseAlarms {
			d.line(
				"\n- **false alarm** on %s: `%s` %s: %s, %s, %s",
				c.Subject,
				a.Trial,
				a.Claim,
				a.told(),
				a.due(),
				a.outside(),
			)
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
