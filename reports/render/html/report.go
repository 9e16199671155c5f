package html

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/drawing"
	"github.com/podclock/podclock/reports/drawing/page"
	"github.com/podclock/podclock/reports/view"
)

// File is the report's name in its run's folder.
const File = "report.html"

//go:embed page/*.tmpl
var templates embed.FS

var tree = template.Must(template.New("").Funcs(words).ParseFS(templates, "page/*.tmpl"))

type contents struct {
	view.Overview
	// State is the exit code in one word, for the colours of the page.
	State         string
	BackOffCharts []backOffChart
	// Nearest are the claims nearest to an end of their windows. Margins is the number of claims with a margin.
	// Exact is the number of values without one.
	Nearest        []near
	Margins, Exact int

	Policy, Shapes, Key, Data template.HTML
	Style                     template.CSS
	Script                    template.JS
}

// Report writes a run as one page. The same view and catalogue give the same bytes. catalogue finds a trial by its ID,
// for its pod and its faults. It may be nil.
func Report(w io.Writer, v view.Overview, catalogue func(id string) (trial.Trial, bool)) error {
	p, err := newContents(v, catalogue)
	if err != nil {
		return fmt.Errorf("making the HTML report of run %s: %w", v.Run.ID, err)
	}
	if err := tree.ExecuteTemplate(w, "page.tmpl", p); err != nil {
		return fmt.Errorf("writing the HTML report of run %s: %w", v.Run.ID, err)
	}
	return nil
}

func newContents(v view.Overview, catalogue func(id string) (trial.Trial, bool)) (contents, error) {
	p := contents{
		Overview: v,
		State:    map[int]string{run.ExitConforms: "conforms", run.ExitDeviates: "deviates"}[v.Run.ExitCode()],
		Shapes:   template.HTML(drawing.Shapes()),
		Key:      template.HTML(drawing.Key()),
	}
	if p.State == "" {
		p.State = "unjudged"
	}
	p.BackOffCharts = backOffCharts(v)
	p.Nearest, p.Margins, p.Exact = nearest(v)
	var err error
	if p.Data, err = dataOf(v, p.BackOffCharts, catalogue); err != nil {
		return contents{}, err
	}
	p.Script, p.Style = template.JS(script()), template.CSS(style())
	p.Policy = page.Policy(p.Script)
	return p, nil
}

func (p contents) Began() string {
	if p.Run.Started.IsZero() {
		return ""
	}
	return p.Run.Started.UTC().Format("2 January 2006, 15:04 UTC")
}

func (p contents) Lasted() string {
	if p.Run.Reported.IsZero() {
		return ""
	}
	return p.Run.Reported.Sub(p.Run.Started).Round(time.Second).String()
}

// Quiet reports whether nothing needs a look except documented divergences.
func (p contents) Quiet() bool {
	return p.Run.ExitCode() == run.ExitConforms && len(p.Inconclusive) == 0 &&
		(p.Figures.Lanes == nil || len(p.Figures.Lanes.Disagreements) == 0)
}
