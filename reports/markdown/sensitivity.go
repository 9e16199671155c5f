package markdown

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/podclock/podclock/harness/detection"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/reports/sensitivity"
	"github.com/podclock/podclock/reports/view"
)

// Sensitivity writes the proof as Run: what it came to, a row for each lane, then of each lane what
// nothing caught with the reason, every other mutant with what caught it, and the controls.
func Sensitivity(w io.Writer, p detection.Report) error {
	d := &Document{}
	d.Line("# Sensitivity\n\n**%s**: %s\n", p.Title(), p.ExitReason())
	d.Line("%s\n", strings.Join(sensitivity.Reach(p), "\n"))
	for _, problem := range p.Problems {
		d.Line("Problem: %s\n", problem)
	}
	d.lanes(p.Lanes)
	d.Line(
		"How well podclock tells wrong code from right code: %s with one change each, beside the code as released. Proof %s of podclock %s, profile %s; "+
			"%s asked for; exit code %d.",
		p.Version,
		p.ID,
		cmp.Or(p.Environment.Podclock, "unknown"),
		p.Profile,
		detection.ScorePercent(p.AtLeast),
		p.ExitCode(),
	)
	for _, l := range p.Lanes {
		d.lane(l, p.Version)
	}
	if _, err := io.WriteString(w, d.B.String()); err != nil {
		return fmt.Errorf("writing proof %s as Run: %w", p.ID, err)
	}
	return nil
}

// lanes has a row for each lane.
func (d *Document) lanes(lanes []detection.LaneReport) {
	t := view.MarkdownTable(
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
			wall, each = sensitivity.FormatDuration(f.Wall), sensitivity.FormatDuration(f.Each)
		}
		if f.Most > 0 {
			dearest = fmt.Sprintf("`%s` %s", f.Dearest, sensitivity.FormatDuration(f.Most))
		}
		t.AppendRow(
			table.Row{
				l.Lane,
				f.Mutants,
				f.Caught,
				detection.ScorePercent(f.Score),
				f.FalseAlarms,
				f.Unjudged,
				wall,
				each,
				dearest,
			},
		)
	}
	if t.Length() > 0 {
		d.Line("%s\n", t.RenderMarkdown())
	}
}

// lane is one lane's proof in full.
func (d *Document) lane(l detection.LaneReport, version string) {
	d.Line("\n## The %s lane\n\n%s", l.Lane, offer(l, version))
	if l.Lane == run.VirtualLane {
		d.Line("%s", view.VirtualLimits)
	}
	d.Line("\n- %s", strings.Join(sensitivity.Headline(l, version), "\n- "))
	d.survivors("Not caught", sensitivity.Mutants(l, false, detection.Survived, detection.Undecided, detection.Failed))
	d.caught(sensitivity.Mutants(l, false, detection.Caught))
	if misfiled := sensitivity.Misfiled(l); len(misfiled) > 0 {
		d.Line("\n### Caught, though the catalogue of mutations says that it can't be\n")
		d.catches(misfiled)
	}
	d.unseen(sensitivity.Mutants(l, true, detection.Survived, detection.Undecided, detection.Failed))
	d.components(l)
	d.controls(l)
	if len(l.LeftOut) > 0 {
		d.Line("\n### Not in this lane\n")
		for _, left := range l.LeftOut {
			d.Line("- `%s`: %s", left.Name, left.Why)
		}
	}
}

// offer says which trials a mutant could meet.
func offer(l detection.LaneReport, version string) string {
	if l.Lane == run.VirtualLane {
		return fmt.Sprintf("%s were offered to every mutant of %s.", run.Plural(l.Trials, "trial"), version)
	}
	return fmt.Sprintf(
		"%s were offered to the mutants of %s, to each those that are chosen for it.",
		run.Plural(l.Trials, "trial"),
		version,
	)
}

func (d *Document) components(l detection.LaneReport) {
	t := view.MarkdownTable("component", "mutants", "caught", "score")
	for _, c := range l.Figures().Components {
		t.AppendRow(table.Row{c.Component, c.Mutants, c.Caught, detection.ScorePercent(c.Score)})
	}
	if t.Length() > 0 {
		d.Line("\n### By program\n\n%s", t.RenderMarkdown())
	}
}

// caught lists what was caught, by the area of its clearest trial.
func (d *Document) caught(mutants []detection.Mutant) {
	if len(mutants) == 0 {
		return
	}
	d.Line("\n### Caught\n")
	d.Line(
		"By each mutant's clearest claim: of the formula that it breaks where one tells, and of those the one that lies outside its window by the most of the " +
			"window's widths.",
	)
	var areas []string
	of := map[string][]detection.Mutant{}
	for _, m := range mutants {
		area, _, _ := strings.Cut(m.Catches[0].Trial, "/")
		if len(of[area]) == 0 {
			areas = append(areas, area)
		}
		of[area] = append(of[area], m)
	}
	for _, area := range areas {
		d.Line("\n<details><summary>%s: %s</summary>\n", area, run.Plural(len(of[area]), "mutant"))
		d.catches(of[area])
		d.Line("\n</details>")
	}
}

// catches is a table of mutants that were caught.
func (d *Document) catches(mutants []detection.Mutant) {
	t := view.MarkdownTable(
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
			sensitivity.By(m),
			fmt.Sprintf("`%s` %s", c.Trial, c.Claim),
			sensitivity.Measured(c),
			sensitivity.Allowed(c),
			sensitivity.Outside(c),
			sensitivity.Called(m),
			sensitivity.FormatDuration(m.Cost()),
		})
	}
	d.Line("%s", t.RenderMarkdown())
}

// survivors lists what was not caught and why.
func (d *Document) survivors(title string, mutants []detection.Mutant) {
	if len(mutants) == 0 {
		return
	}
	t := view.MarkdownTable("mutant", "came out", "breaks", "what it breaks", "why", "took")
	for _, m := range mutants {
		t.AppendRow(table.Row{"`" + m.Name + "`", m.Verdict, orDash(m.Formula), m.Breaks, m.Why, sensitivity.FormatDuration(m.Cost())})
	}
	d.Line("\n### %s\n\n%s", title, t.RenderMarkdown())
	for _, m := range mutants {
		if len(m.Open) == 0 {
			continue
		}
		d.Line("\nOn `%s` could not be judged:\n", m.Name)
		for _, o := range m.Open {
			d.Line("- `%s`: %s", o.Trial, o.Why)
		}
	}
}

// unseen lists what counts for nothing.
func (d *Document) unseen(mutants []detection.Mutant) {
	if len(mutants) == 0 {
		return
	}
	t := view.MarkdownTable("mutant", "came out", "what it breaks", "why nobody could see it")
	for _, m := range mutants {
		t.AppendRow(table.Row{"`" + m.Name + "`", m.Verdict, m.Breaks, m.Unseen})
	}
	d.Line("\n### Not part of the score\n\n%s", t.RenderMarkdown())
}

// controls lists the clean subjects, and every false alarm.
func (d *Document) controls(l detection.LaneReport) {
	t := view.MarkdownTable("control", "trials", "claims", "divergent", "not judged", "unsupported", "false alarms")
	for _, c := range l.References {
		t.AppendRow(
			table.Row{c.Subject, c.Trials, c.Claims, c.Divergent, len(c.Open), c.Unsupported, len(c.FalseAlarms)},
		)
	}
	if t.Length() == 0 {
		return
	}
	d.Line("\n### Controls\n\n%s", t.RenderMarkdown())
	for _, c := range l.References {
		for _, a := range c.FalseAlarms {
			d.Line(
				"\n- **false alarm** on %s: `%s` %s: %s, %s, %s",
				c.Subject,
				a.Trial,
				a.Claim,
				sensitivity.Measured(a),
				sensitivity.AllowedInSentence(a),
				sensitivity.Outside(a),
			)
		}
		for _, o := range c.Open {
			d.Line("\n- not judged on %s: `%s`: %s", c.Subject, o.Trial, o.Why)
		}
	}
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
