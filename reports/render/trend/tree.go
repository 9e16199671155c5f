package trend

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/drawing"
	"github.com/podclock/podclock/reports/render/sketch"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/difference"
)

// mostPictures bounds the timelines of a page.
const mostPictures = 24

// Tree writes what a source tree changes as one page, with both timelines of each changed trial on one axis.
func Tree(w io.Writer, a difference.Answer) error {
	report := a.Report()
	p := contents{
		Eyebrow: fmt.Sprintf("%s against %s", a.Tree, a.Base), Title: report.Title, Size: report.Size,
		Good: a.ExitCode() == run.ExitConforms, Shapes: template.HTML(drawing.Shapes()),
		Script: template.JS(pageScript),
	}
	for _, section := range report.Sections {
		p.Parts = append(p.Parts, part{Section: section})
	}
	drawn := part{Section: view.Section{ID: "timelines", Title: "Timelines", Note: "Both kubelets on one axis."},
		Key: template.HTML(drawing.Key())}
	for _, name := range changedTrials(a) {
		if len(drawn.Pictures) == mostPictures {
			drawn.Rest++
			continue
		}
		svg, err := drawPair(a, name)
		if err != nil {
			return err
		}
		drawn.Pictures = append(drawn.Pictures, timelines{name, svg})
	}
	if len(drawn.Pictures) > 0 {
		p.Parts = append(p.Parts, drawn)
	}
	return p.write(w, "the answer")
}

// changedTrials are those that changed: first those with a changed claim, then those with another trace.
func changedTrials(a difference.Answer) (all []string) {
	add := func(name string) {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	for _, c := range a.Changed {
		add(c.Trial)
	}
	for _, g := range a.Traces.Groups {
		for _, name := range g.Trials {
			add(name)
		}
	}
	return all
}

// drawPair draws a trial's two timelines on one axis.
func drawPair(a difference.Answer, name string) (template.HTML, error) {
	both := drawing.Drawing{Title: name}
	for _, side := range []struct{ subject, is string }{{a.Base, "before"}, {a.Tree, "after"}} {
		i := slices.IndexFunc(a.Run.Outcomes, func(o run.Outcome) bool {
			return o.Trial == name && o.Subject == side.subject
		})
		if i < 0 || a.Run.Outcomes[i].Last() == nil {
			continue
		}
		d := sketch.Drawing(a.Run, a.Run.Outcomes[i], *a.Run.Outcomes[i].Last())
		if len(both.Rows) == 0 {
			both.From, both.To, both.Zero = d.From, d.To, d.Zero
		}
		both.From, both.To = min(both.From, d.From), max(both.To, d.To)
		for _, row := range d.Rows {
			row.Name = side.is + ", " + row.Name
			both.Rows = append(both.Rows, row)
		}
	}
	var b bytes.Buffer
	if err := drawing.SVG(&b, both); err != nil {
		return "", fmt.Errorf("drawing trial %s: %w", name, err)
	}
	return template.HTML(b.String()), nil
}
