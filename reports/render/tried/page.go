package tried

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/drawing"
	"github.com/podclock/podclock/reports/drawing/page"
	"github.com/podclock/podclock/reports/render/sketch"
	"github.com/podclock/podclock/reports/view/difference"
)

//go:embed page.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"before": Claim.before, "after": Claim.after,
}).Parse(pageText))

// mostPairs bounds the pairs of timelines of a page.
const mostPairs = 24

type contents struct {
	Answer              Answer
	Parts               []part
	Pairs               []pair
	MorePairs           int
	Differences         string
	Policy, Shapes, Key template.HTML
	Style               template.CSS
}

// pair is two timelines of a trial on one axis.
type pair struct {
	Trial string
	SVG   template.HTML
}

// Page writes the answer as a page, with both timelines of each changed trial on one axis.
func Page(w io.Writer, a Answer) error {
	p := contents{
		Answer: a, Parts: a.parts(), Policy: page.Policy(""), Shapes: template.HTML(drawing.Shapes()), Key: template.HTML(drawing.Key()),
		Style: template.CSS(page.Style() + drawing.Style()),
	}
	for i, name := range a.trials() {
		if i >= mostPairs {
			p.MorePairs++
			continue
		}
		svg, err := a.pair(name)
		if err != nil {
			return err
		}
		p.Pairs = append(p.Pairs, pair{name, svg})
	}
	if len(a.Traces.Groups) > 0 {
		var b strings.Builder
		if err := difference.Text(&b, a.Traces); err != nil {
			return err
		}
		p.Differences = b.String()
	}
	if err := pageTemplate.Execute(w, p); err != nil {
		return fmt.Errorf("writing the answer as a page: %w", err)
	}
	return nil
}

// trials are those that changed: first those with a changed claim, then those with another trace.
func (a Answer) trials() (all []string) {
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

// pair draws a trial's two timelines on one axis.
func (a Answer) pair(name string) (template.HTML, error) {
	both := drawing.Drawing{Title: name}
	for _, side := range []struct{ subject, is string }{{a.Base, "before"}, {a.Tree, "after"}} {
		i := slices.IndexFunc(a.run.Outcomes, func(o run.Outcome) bool {
			return o.Trial == name && o.Subject == side.subject
		})
		if i < 0 || a.run.Outcomes[i].Last() == nil {
			continue
		}
		d := sketch.Drawing(a.run, a.run.Outcomes[i], *a.run.Outcomes[i].Last())
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
