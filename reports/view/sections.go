package view

import (
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/podclock/podclock/harness/measure/run"
)

// Limits are how much of a list a report shows. Zero means no limit.
type Limits struct {
	// Trials limits the deviating trials of one explanation that have their claims listed. Claims limits the
	// claims of each.
	Trials, Claims int
	// NoClaims leaves out the claims of deviating trials, because they were printed before.
	NoClaims bool
	// Lines limits the lines of a list. Names limits the trials that a line names.
	Lines, Names int
	// Reason limits the columns of a reason. A longer one ends with a hint to the file Whole.
	Reason int
	Whole  string
}

// Brief returns the limits of a report that fits a screen.
func Brief() Limits {
	return Limits{Trials: 4, Claims: 3, Lines: 20, Names: mostNames, Reason: 600, Whole: run.MarkdownFile}
}

// Sections returns everything that is not as expected, most urgent first: problems, deviations, disagreements
// of the lanes, inconclusive outcomes, divergences, unsupported outcomes, and what of a manifest was not played.
func (v Overview) Sections(l Limits) []Section {
	var all []Section
	add := func(p Section) {
		if len(p.Lines) > 0 {
			all = append(all, l.cut(p))
		}
	}
	add(Section{ID: "problems", Title: "Problems", Lines: LinesOf(v.Run.Problems...)})
	for _, e := range first(v.Deviations, l.Lines) {
		add(l.deviations(e))
	}
	if rest := len(v.Deviations) - len(first(v.Deviations, l.Lines)); rest > 0 {
		more := run.Plural(rest, "more explanation") + ", all of them in " + l.Whole
		add(Section{ID: "more-deviations", Title: "More deviations", Lines: LinesOf(more)})
	}
	if a := v.Figures.Lanes; a != nil {
		title := "The lanes disagree: the same code, judged differently on a node and under virtual time"
		add(Section{ID: "lanes", Title: title, Lines: LinesOf(a.Disagreements...)})
		if l == (Limits{}) {
			add(Section{ID: "one-lane", Title: "Judged in one lane only", Lines: LinesOf(a.OneSided...)})
		} else {
			add(Section{ID: "one-lane", Title: "Deviates in one lane, and is not judged in the other",
				Lines: LinesOf(a.deviationsInOneLane()...)})
		}
	}
	add(l.reasons("inconclusive", "Inconclusive: the evidence does not allow a judgement", v.Inconclusive))
	add(Section{ID: "divergences", Title: "Divergences: the code does what it always did, the documentation differs",
		Lines: LinesOf(v.Divergences...)})
	add(l.reasons("unsupported", "Unsupported: the trial cannot run on this subject", v.Unsupported))
	if v.Run.Promises != nil {
		add(Unplayed(*v.Run.Promises))
	}
	return all
}

// Counts is the number of verdicts of each kind on every subject.
func (v Overview) Counts() Section {
	p := Section{ID: "counts", Title: "Verdicts", Header: []string{"subject"}}
	for _, verdict := range Verdicts() {
		p.Header = append(p.Header, string(verdict))
	}
	for _, c := range v.Subjects {
		row := []any{c.Title()}
		for _, verdict := range Verdicts() {
			row = append(row, c.Count(verdict))
		}
		p.AddRow(row...)
	}
	return p
}

// deviations returns the claims that one known wrong behaviour explains.
func (l Limits) deviations(e Explanation) Section {
	p := Section{ID: "deviations", Title: "Deviations: " + strings.ToLower(e.Title()[:1]) + e.Title()[1:]}
	shown := first(e.On, l.Trials)
	for _, t := range shown {
		line := Line{Text: t.String(), Link: t.File}
		if l.NoClaims {
			t.Claims = nil
		}
		for _, c := range first(t.Claims, l.Claims) {
			text := l.snip(c.Text)
			if c.Computes != "" {
				text += "; the code computes: " + c.Computes
			}
			line.More = append(line.More, text)
		}
		if rest := len(t.Claims) - len(first(t.Claims, l.Claims)); rest > 0 {
			line.More = append(line.More, "and "+run.Plural(rest, "more claim"))
		}
		p.Lines = append(p.Lines, line)
	}
	if rest := e.On[len(shown):]; len(rest) > 0 {
		var names []string
		for _, t := range rest {
			names = append(names, t.String())
		}
		p.AddLine("and " + run.Plural(len(rest), "more trial") + ": " + l.listed(names))
	}
	for _, should := range e.Should {
		p.AddLine("Should be: " + should.String())
	}
	for _, functions := range e.LookAt {
		p.AddLine("Look at, for " + functions)
	}
	return p
}

// reasons lists outcomes by reason.
func (l Limits) reasons(id, title string, all []Reason) Section {
	p := Section{ID: id, Title: title}
	for _, r := range first(all, l.Lines) {
		var names []string
		for _, on := range r.On {
			name := on.String()
			if on.Attempts > 1 {
				name += " (" + run.Plural(on.Attempts, "attempt") + ")"
			}
			names = append(names, name)
		}
		p.AddLine(run.Plural(len(r.On), "trial")+": "+r.Why, l.listed(names))
	}
	p.Rest = len(all) - len(p.Lines)
	return p
}

// cut removes lines beyond the limit and shortens the others.
func (l Limits) cut(p Section) Section {
	lines := first(p.Lines, l.Lines)
	p.Rest += len(p.Lines) - len(lines)
	p.Title, p.Lines = l.snip(p.Title), slices.Clone(lines)
	for i := range p.Lines {
		p.Lines[i].Text = l.snip(p.Lines[i].Text)
	}
	return p
}

// snip shortens a text, which can quote a whole log.
func (l Limits) snip(s string) string {
	if l.Reason == 0 || len(s) <= l.Reason {
		return s
	}
	if longest := 8 * l.Reason; len(s) > longest {
		s = s[:longest] // measuring a wide text is slow
	} else if text.StringWidth(s) <= l.Reason {
		return s
	}
	return text.Snip(s, l.Reason, "…") + " (all of it in " + l.Whole + ")"
}

func (l Limits) listed(names []string) string {
	if l.Names == 0 {
		return strings.Join(names, ", ")
	}
	return Listed(names)
}

// first returns the first n of a list, all of it if n is 0.
func first[T any](all []T, n int) []T {
	if n == 0 || n > len(all) {
		return all
	}
	return all[:n]
}
