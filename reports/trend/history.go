package trend

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/html"
	"github.com/podclock/podclock/reports/series"
	"github.com/podclock/podclock/reports/view"
)

//go:embed script/history.js
var historyScript string

// explorer is the part of a history's page in which every trial can be looked at.
type explorer struct {
	Subjects []string
	Runs     int
	Trials   []row
}

// row is one trial on one subject. Its claims are drawn when it is opened.
type row struct {
	// N is its place in the page's data.
	N              int
	Trial, Subject string
	Latest         trial.Verdict
	Strip          []segment
	Changes, Again int
	Flakes, Rate   string
	// Shows are the words by which it can be chosen: unsteady, open. Words are what the search finds it by
	// beside what is seen: its claims and their formulas.
	Shows, Words string
}

// segment is a trial's runs in a row that came to the same verdict, or in which it was not run.
type segment struct {
	Verdict trial.Verdict
	Runs    int
	Says    string
}

// History writes many runs as one page: the runs, what was not always the same, what moved in the newest
// one, and every trial's verdicts and values over time in their windows. The same history gives the same
// bytes.
func History(w io.Writer, h series.History) error {
	library, libraryStyle := html.Assets()
	report := h.Report()
	p := contents{
		Eyebrow: "History",
		Title:   capital(report.Title),
		Good:    true,
		Style: template.CSS(
			libraryStyle,
		),
		Script:   template.JS(library + "\n" + pageScript + "\n" + historyScript),
		Explorer: explore(h),
	}
	for _, passage := range report.Passages {
		switch one := (part{Passage: passage}); passage.ID {
		case series.UnsteadyPassage: // which the explorer shows
		case series.OpenPassage:
			p.First = append(p.First, one)
		case series.RunsPassage:
			one.DrawnTitle = "verdicts"
			for i := range passage.Rows {
				one.Drawn = append(one.Drawn, drawRun(h.Runs[len(h.Runs)-1-i]))
			}
			p.Parts = append(p.Parts, one)
		default:
			p.Parts = append(p.Parts, one)
		}
	}
	if n := len(h.Runs); n > 0 {
		first, last := h.Runs[0], h.Runs[n-1]
		p.Eyebrow = fmt.Sprintf(
			"%s from %s to %s",
			run.Plural(n, "run"),
			first.Started.UTC().Format("2 January 2006"),
			last.Started.UTC().Format("2 January 2006"),
		)
		p.Size, p.Good = fmt.Sprintf(
			"Exit code of the newest run: %d, %s",
			last.ExitCode,
			last.Reason,
		), last.ExitCode == run.ExitConforms
	}
	var err error
	if p.Data, err = encode(h); err != nil {
		return fmt.Errorf("writing the history as a page: %w", err)
	}
	return p.write(w, "the history")
}

// drawRun draws how many verdicts of each kind a run came to.
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

// explore arranges the trials: those that need a look first, otherwise as the newest run has them.
func explore(h series.History) *explorer {
	e := &explorer{Runs: len(h.Runs)}
	for n, t := range h.Trials {
		if !slices.Contains(e.Subjects, t.Subject) {
			e.Subjects = append(e.Subjects, t.Subject)
		}
		r := row{N: n, Trial: t.Trial, Subject: t.Subject, Strip: segments(h, t), Changes: t.Changes, Again: t.Again}
		var shows []string
		if !t.Steady() {
			shows = append(shows, "unsteady")
		}
		if t.Flakes > 0 {
			r.Flakes, r.Rate = fmt.Sprint(t.Flakes), fmt.Sprintf("%.1f %%", 100*t.FlakeRate)
		}
		if last := t.Runs[len(t.Runs)-1]; last.Run == len(h.Runs)-1 {
			r.Latest = last.Verdict
			if last.Verdict == trial.Deviates || last.Verdict == trial.Inconclusive {
				shows = append(shows, "open")
			}
		}
		r.Shows = strings.Join(shows, " ")
		var words []string
		for _, claim := range t.Claims {
			words = append(words, claim.Claim, claim.Formula)
		}
		r.Words = strings.Join(words, " ")
		e.Trials = append(e.Trials, r)
	}
	slices.SortStableFunc(e.Trials, func(x, y row) int { return y.weight() - x.weight() })
	return e
}

// weight is how much a trial needs a look.
func (r row) weight() int {
	switch {
	case strings.Contains(r.Shows, "open"):
		return 2
	case r.Shows != "":
		return 1
	}
	return 0
}

// segments are a trial's verdicts over all runs.
func segments(h series.History, t series.TrialHistory) []segment {
	verdicts := make([]trial.Verdict, len(h.Runs))
	for _, r := range t.Runs {
		verdicts[r.Run] = r.Verdict
	}
	var all []segment
	for from := 0; from < len(verdicts); {
		to := from
		for to < len(verdicts) && verdicts[to] == verdicts[from] {
			to++
		}
		s := segment{Verdict: verdicts[from], Runs: to - from, Says: string(verdicts[from])}
		if s.Verdict == "" {
			s.Says = "not run"
		}
		s.Says += fmt.Sprintf(" in %s, %s", run.Plural(s.Runs, "run"), h.Runs[from].ID)
		if s.Runs > 1 {
			s.Says += " to " + h.Runs[to-1].ID
		}
		all = append(all, s)
		from = to
	}
	return all
}
