package trend

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/render/html"
	"github.com/podclock/podclock/reports/view"
	"github.com/podclock/podclock/reports/view/series"
)

//go:embed script/history.js
var historyScript string

// History writes a history as one page with the verdicts and values of every trial. The same history gives the same
// bytes.
func History(w io.Writer, h series.History) error {
	library, libraryStyle := html.Assets()
	report := h.Report()
	p := contents{
		Eyebrow:  "History",
		Title:    view.Capital(report.Title),
		Good:     true,
		Style:    template.CSS(libraryStyle),
		Script:   template.JS(library + "\n" + pageScript + "\n" + historyScript),
		Explorer: explore(h),
	}
	for _, section := range report.Sections {
		switch one := (part{Section: section}); section.ID {
		case series.UnsteadySection: // which the explorer shows
		case series.OpenSection:
			p.First = append(p.First, one)
		case series.RunsSection:
			one.DrawnTitle = "verdicts"
			for i := range section.Rows {
				one.Drawn = append(one.Drawn, drawRun(h.Runs[len(h.Runs)-1-i]))
			}
			p.Parts = append(p.Parts, one)
		default:
			p.Parts = append(p.Parts, one)
		}
	}
	if n := len(h.Runs); n > 0 {
		first, last := h.Runs[0], h.Runs[n-1]
		p.Eyebrow = fmt.Sprintf("%s from %s to %s", run.Plural(n, "run"), first.Started.UTC().Format("2 January 2006"),
			last.Started.UTC().Format("2 January 2006"))
		p.Size = fmt.Sprintf("Exit code of the newest run: %d, %s", last.ExitCode, last.Reason)
		p.Good = last.ExitCode == run.ExitConforms
	}
	var err error
	if p.Data, err = encode(h); err != nil {
		return fmt.Errorf("writing the history as a page: %w", err)
	}
	return p.write(w, "the history")
}

func drawRun(g view.RunSummary) template.HTML {
	var b strings.Builder
	b.WriteString(`<span class="strip" aria-hidden="true">`)
	for _, v := range view.Verdicts() {
		if n := g.Verdicts[v]; n > 0 {
			fmt.Fprintf(&b, `<i class="%s" style="flex-grow:%d"></i>`, html.Class(v), n)
		}
	}
	b.WriteString(`</span>`)
	return template.HTML(b.String())
}
