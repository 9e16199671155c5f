package html

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"time"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/reports/drawing"
	"github.com/podclock/podclock/reports/page"
	"github.com/podclock/podclock/reports/view"
)

// File is the report's name in its run's folder.
const File = "report.html"

//go:embed page/*.tmpl
var templates embed.FS

var tree = template.Must(template.New("").Funcs(words).ParseFS(templates, "page/*.tmpl"))

type contents struct {
	Run run.Run
	view.Overview
	// State is the exit code in one word, for the colours of the page.
	State      string
	Agreement  *view.Agreement
	Staircases []staircase
	// Nearest are the claims nearest to an end of their windows. Margins is the number of claims with a margin.
	// Exact is the number of values without one.
	Nearest        []near
	Margins, Exact int

	Policy, Shapes, Key, Data template.HTML
	Style                     template.CSS
	Script                    template.JS
}

// Report writes the run as one page. The same run and options give the same bytes.
func Report(w io.Writer, r run.Run, o Options) error {
	p, err := newView(r, o)
	if err != nil {
		return fmt.Errorf("making the HTML report of run %s: %w", r.ID, err)
	}
	if err := tree.ExecuteTemplate(w, "page.tmpl", p); err != nil {
		return fmt.Errorf("writing the HTML report of run %s: %w", r.ID, err)
	}
	return nil
}

func newView(r run.Run, o Options) (contents, error) {
	p := contents{
		Run:       r,
		Overview:  view.OverviewOf(r, view.DivergencesOptions{Catalogue: o.Catalogue, Settings: o.Settings}),
		Agreement: view.AgreementOf(r),
		State:     map[int]string{run.ExitConforms: "conforms", run.ExitDeviates: "deviates"}[r.ExitCode()],
		Shapes:    template.HTML(drawing.Shapes()),
		Key:       template.HTML(drawing.Key()),
	}
	if p.State == "" {
		p.State = "unjudged"
	}
	p.Staircases = staircases(p.Overview)
	p.Nearest, p.Margins, p.Exact = nearest(p.Overview)
	var err error
	if p.Data, err = dataOf(r, p.Overview, p.Staircases, o); err != nil {
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
		(p.Agreement == nil || len(p.Agreement.Disagreements) == 0)
}
