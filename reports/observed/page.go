package observed

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/observe"
	"github.com/podclock/podclock/harness/predict/effective"
	"github.com/podclock/podclock/reports/drawing"
	"github.com/podclock/podclock/reports/drawing/page"
	"github.com/podclock/podclock/reports/predict/sentences"
)

// mostDrawn is how many deaths of a workload a page draws. It draws those that need a look, then the longest.
const mostDrawn = 40

//go:embed page.tmpl
var pageText string

//go:embed page.css
var pageStyle string

// Page is an observation for a page.
type Page struct {
	// Of is what was observed, such as "namespace shop".
	Of       string
	From, To time.Time
	Facts    []observe.Fact
	// Summaries are those of the facts.
	Summaries []observe.Summary
}

// HTML writes one page that loads nothing: the answer, then each workload's kills beside their predicted windows on one
// axis, then every line.
func HTML(w io.Writer, p Page) error {
	view := struct {
		Page
		Style               template.CSS
		Policy, Shapes, Key template.HTML
	}{
		p, template.CSS(page.Style() + drawing.Style() + pageStyle), // #nosec: all are files of this program
		page.Policy(""), template.HTML(drawing.Shapes()), template.HTML(drawing.Key()),
	}
	t, err := template.New("page").Funcs(template.FuncMap{
		"answer": p.answer, "deaths": p.deaths, "lines": p.lines, "gaps": p.gaps, "line": Line, "summary": Summary,
		"clock": clock, "drawn": func(all []observe.Death) int { return min(len(all), mostDrawn) },
		"draw": func(of observe.Summary, all []observe.Death) (template.HTML, error) {
			var b bytes.Buffer
			err := drawing.SVG(&b, p.Drawing(of, all[:min(len(all), mostDrawn)]))
			return template.HTML(b.String()), err // package drawing escapes its input
		},
	}).Parse(pageText)
	if err == nil {
		err = t.Execute(w, view)
	}
	if err != nil {
		return fmt.Errorf("write the page of an observation: %w", err)
	}
	return nil
}

// answer says in one line what came of all workloads.
func (p Page) answer() string {
	var deaths, killed, deviating int
	for _, s := range p.Summaries {
		deaths, killed, deviating = deaths+s.Deaths, killed+s.Killed, deviating+s.Deviating
	}
	return fmt.Sprintf("%s, %d by SIGKILL, %d outside of what is predicted", sentences.Count(deaths, "death"), killed,
		deviating)
}

// of reports whether a fact is about a workload.
func of(s observe.Summary, f observe.Fact) bool {
	var pod observe.Pod
	switch f := f.(type) {
	case observe.Death:
		pod = f.Pod
	case observe.Departure:
		pod = f.Pod
	case observe.Successor:
		pod = f.Of
	}
	return pod.Namespace == s.Namespace && pod.Workload == s.Workload
}

func (p Page) lines(s observe.Summary) (all []observe.Fact) {
	for _, f := range p.Facts {
		if of(s, f) {
			all = append(all, f)
		}
	}
	return all
}

func (p Page) gaps() (all []observe.Fact) {
	for _, f := range p.Facts {
		if _, is := f.(observe.Gap); is {
			all = append(all, f)
		}
	}
	return all
}

// deaths returns a workload's kills: those outside of their windows, then those by SIGKILL, then the longest.
func (p Page) deaths(s observe.Summary) (all []observe.Death) {
	for _, f := range p.lines(s) {
		if d, is := f.(observe.Death); is && d.Began != nil {
			all = append(all, d)
		}
	}
	weight := func(d observe.Death) time.Duration {
		took, _ := d.Took()
		switch {
		case observe.Deviates(d.Windows):
			return took.Probably + 2*longest
		case d.Outcome == observe.SIGKILL:
			return took.Probably + longest
		}
		return took.Probably
	}
	slices.SortStableFunc(all, func(a, b observe.Death) int { return cmp.Compare(weight(b), weight(a)) })
	return all
}

// longest is longer than any kill that a page compares.
const longest = 10_000 * time.Hour

// Drawing draws kills on one axis, each from its beginning, beside its grace period and its predicted window.
func (p Page) Drawing(of observe.Summary, kills []observe.Death) drawing.Drawing {
	d := drawing.Drawing{Title: "the kills of " + of.Workload, Zero: "the delete, or the beginning of another kill"}
	for _, k := range kills {
		took, _ := k.Took()
		last := took.Most
		row := drawing.Row{Name: fmt.Sprintf("%s, container %s: %s", k.Name, k.Container, k.Cause)}
		row.Bars = append(row.Bars, drawing.Bar{To: took.Probably, Kind: drawing.Life,
			Description: "from " + begin(k) + " to the death: " + seconds(took)})
		if k.Grace > 0 {
			row.Bars = append(row.Bars, drawing.Bar{To: k.Grace, Kind: drawing.Grace,
				Description: "the grace period of " + effective.Words(k.Grace)})
		}
		kind := drawing.Death
		if k.Outcome == observe.SIGKILL {
			kind = drawing.SIGKILL
		}
		row.Marks = append(row.Marks, drawing.Mark{At: took.Probably, Kind: kind,
			Description: fmt.Sprintf("%s, %s", k.Outcome, margin(took.Error()))})
		for _, c := range k.Windows {
			if c.Unpredicted != "" {
				continue
			}
			w := drawing.Window{Earliest: c.Window.Earliest, Latest: c.Window.Latest, Of: drawing.Implemented,
				Description: compared([]observe.Compared{c})[0], Measured: new(c.Measured.Probably),
				Verdict: "conforms"}
			if c.Outside() != 0 {
				w.Verdict = "deviates"
			}
			row.Windows, last = append(row.Windows, w), max(last, c.Window.Latest)
		}
		row.Marks = append(row.Marks, p.beside(k)...)
		d.Rows, d.To = append(d.Rows, row), max(d.To, last)
	}
	d.To += d.To / 20
	return d
}

// beside are the marks of the pod's Services and of its successor, beside a death.
func (p Page) beside(k observe.Death) (all []drawing.Mark) {
	mark := func(at time.Duration, says string) {
		all = append(all, drawing.Mark{At: at, Kind: drawing.Change, Description: says})
	}
	for _, f := range p.Facts {
		switch f := f.(type) {
		case observe.Departure:
			if f.UID != k.UID || f.Requested == nil {
				continue
			}
			for _, s := range f.Services {
				if s.Left != nil {
					mark(s.Stayed.Probably, "Service "+s.Name+" shows the pod as not ready, "+margin(s.Stayed.Error()))
				}
			}
		case observe.Successor:
			if f.Of.UID == k.UID && f.Container == "" {
				mark(f.After.Probably, f.Pod.Name+" is ready in its place, "+margin(f.After.Error()))
			}
		}
	}
	return all
}
