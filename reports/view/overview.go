// Package view arranges a run for its readers: sentences, tables and numbers in the order of a report. It is
// the only view model. It knows no renderer and no output format.
package view

import (
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
)

// Overview is a run arranged for a page: what its reader wants to know first stands first. All of it is in
// the run already; here it is in words and in order.
type Overview struct {
	// Verdict is the run's in one sentence.
	Verdict string
	// Size is how much was run; Notes are what a reader of the verdicts must know beside them: what ran how
	// fast, what the lanes can't tell, extrapolation.
	Size  string
	Notes []string
	// Subjects are those that have outcomes, in the run's order: the columns of the matrix.
	Subjects []Column
	Areas    []Area
	// Deviations are deviating claims by what explains them, those last that nothing known explains.
	Deviations []Explanation
	// Inconclusive and Unsupported are the outcomes of these verdicts by their reasons.
	Inconclusive, Unsupported []Reason
	Divergences               []Divergence
}

// Area is the trials of one area.
type Area struct {
	Name string
	Rows []Row
}

// Row is one trial on all subjects.
type Row struct {
	Trial, About string
	// Outcomes are in the order of the overview's subjects, nil where the trial was not selected for one.
	Outcomes []*run.Outcome
	// Notable says that the row needs a look: a subject deviates or was not judged, or the subjects differ
	// as only a few rows of the area do.
	Notable bool
}

// Where is a trial on a subject, and how many attempts it took.
type Where struct {
	Trial, Subject string
	Attempts       int
}

// Reason is why some outcomes have their verdict.
type Reason struct {
	Why string
	On  []Where
}

// Explanation is a wrong behaviour that would have measured what deviates.
type Explanation struct {
	// As says it in words with its reference; empty where nothing known explains the deviations.
	As string
	On []DeviatingTrial
	// Should are the formulas that the claims break, in words with their sources.
	Should []string
}

// Title is what explains the deviations, as a sentence.
func (e Explanation) Title() string {
	if e.As == "" {
		return "No known wrong behaviour fits"
	}
	return Capital(e.As)
}

// DeviatingTrial is the deviating claims of one outcome.
type DeviatingTrial struct {
	Where
	// Claims say which claim measured what; one line each.
	Claims []string
}

// OfModel says whether a claim speaks of what a subject's lane has only a model of.
func OfModel(s run.Subject, f trial.Finding) bool { return Model(s, f) != "" }

// Overview arranges the run. What it takes from beyond the run is how a divergence is reproduced (see
// DivergencesOptions).
func OverviewOf(r run.Run, o DivergencesOptions) Overview {
	f := FiguresOf(r)
	v := Overview{Verdict: Verdict(r), Notes: overviewNotes(r, f)}
	if f.Outcomes > 0 {
		v.Size = f.Size() + Profile(r) + "."
	}
	m := MatrixOf(r)
	for _, b := range m.Subjects {
		v.Subjects = append(v.Subjects, b)
	}
	for _, a := range m.Areas {
		v.Areas = append(v.Areas, m.area(a))
	}
	v.Deviations = Explanations(r)
	v.Inconclusive, v.Unsupported = ReasonsOf(r, trial.Inconclusive), ReasonsOf(r, trial.Unsupported)
	v.Divergences = divergencesOn(r, m.Subjects, o)
	return v
}

// Verdict is the run's in one sentence: why it has its exit code. Where some of it was judged and something
// kept the harness from the rest, it says so.
func Verdict(r run.Run) string {
	reason := Capital(ExitReason(r))
	if len(r.Problems) == 0 || !slices.ContainsFunc(r.Outcomes, func(o run.Outcome) bool { return run.Conclusive(o.Verdict) }) {
		return reason
	}
	open := "the harness could not judge everything: " + r.Problems[0]
	if r.ExitCode() == run.ExitDeviates {
		return strings.TrimSuffix(reason, ".") + "; and " + open
	}
	return Capital(open)
}

// overviewNotes are what a reader must know of the whole run.
func overviewNotes(r run.Run, f Figures) []string {
	var notes []string
	if f.Wall > 0 && f.Longest > 0 {
		notes = append(notes, f.Pace())
	}
	if f.Virtual != nil {
		notes = append(notes, f.Virtual.Pace())
	}
	if f.Repeated > 0 {
		notes = append(notes, run.Plural(f.Repeated, "trial")+" ran more than once, because an attempt was inconclusive.")
	}
	if Extrapolated(r) {
		notes = append(notes, Extrapolation)
	}
	return append(notes, LaneNotes(r)...)
}

// area is one of the matrix with its rows.
func (m Matrix) area(a MatrixArea) Area {
	area := Area{Name: a.Name}
	notable := m.Notable(a)
	for _, row := range a.Rows {
		shown := Row{Trial: row.Trial, Notable: notable(row)}
		for _, b := range m.Subjects {
			o, selected := row.On[b.Subject.Name]
			if !selected {
				shown.Outcomes = append(shown.Outcomes, nil)
				continue
			}
			shown.About = o.About
			shown.Outcomes = append(shown.Outcomes, &o)
		}
		area.Rows = append(area.Rows, shown)
	}
	return area
}

// explanation is a group of deviations in words.
func (g DeviationGroup) explanation(r run.Run) Explanation {
	var e Explanation
	if g.Diagnosis != nil {
		e.As = AsIf(*g.Diagnosis)
	}
	seen := map[string]bool{}
	for _, claims := range g.Outcomes() {
		o := claims[0].Outcome
		on := DeviatingTrial{Where: where(o)}
		for _, c := range claims {
			on.Claims = append(on.Claims, c.Finding.Claim+Model(r.Subject(o.Subject), c.Finding)+": "+c.Finding.Why)
			if should := c.Finding.Says + " (" + c.Finding.Formula + ", " + c.Finding.Source + ")"; !seen[should] {
				seen[should] = true
				e.Should = append(e.Should, should)
			}
		}
		e.On = append(e.On, on)
	}
	return e
}

func where(o run.Outcome) Where { return Where{o.Trial, o.Subject, len(o.Attempts)} }

// ReasonsOf are the outcomes of a verdict by their reasons, in the order in which they are met.
func ReasonsOf(r run.Run, v trial.Verdict) []Reason {
	var all []Reason
	index := map[string]int{}
	for _, b := range ColumnsOf(r) {
		for _, o := range b.Outcomes {
			if o.Verdict != v {
				continue
			}
			why := ReasonOf(o)
			i, known := index[why]
			if !known {
				i = len(all)
				index[why] = i
				all = append(all, Reason{Why: why})
			}
			all[i].On = append(all[i].On, where(o))
		}
	}
	return all
}

// Divergence is one place where documentation and code part, in words.
type Divergence struct {
	Formula, Says, Source string
	// Promise is what the documentation at Page says, in podclock's words.
	Promise, Page string
	// Gap is how far what was measured lies from what is documented.
	Gap string
	// Issues are where it is discussed; Unknown says that there is none for it, or not for all of its claims.
	Issues  []string
	Unknown bool
	// Seen, Kept and Unmeasured are the subjects that broke the promise, kept it, and had nothing to show.
	Seen, Kept, Unmeasured []string
	Claims                 []DivergingClaim
	// Reproduce is the command that shows it again, empty where the catalogue is not at hand.
	Reproduce string
}

// DivergingClaim is one claim that shows a divergence.
type DivergingClaim struct {
	Trial, Claim, Documented string
	// On are what was measured, in the order of the overview's subjects.
	On []Promised
}

// Promised is what was measured of a promise on a subject, a dash where nothing was.
type Promised struct {
	Measured string
	Broken   bool
}

// divergencesOn are those of the run, with the columns of some subjects.
func divergencesOn(r run.Run, columns []Column, o DivergencesOptions) []Divergence {
	var subjects []string
	for _, b := range columns {
		subjects = append(subjects, b.Subject.Name)
	}
	var all []Divergence
	for _, d := range DivergingIn(r) {
		shown := Divergence{
			Formula: d.Formula,
			Says:    d.Says,
			Source:  d.Source,
			Promise: d.Promise,
			Page:    d.Page,
			Gap:     d.Gap(),
			Issues:  d.References(),
			Unknown: d.Unknown(),
		}
		shown.Seen, shown.Kept, shown.Unmeasured = d.Sightings(subjects)
		for _, row := range d.Rows {
			claim := DivergingClaim{Trial: row.Trial, Claim: row.Claim, Documented: PromisedSpan(row)}
			for _, s := range subjects {
				f, found := row.On[s]
				measured := strings.Trim(PromisedCell(row, s), "*")
				claim.On = append(claim.On, Promised{measured, found && f.Verdict == trial.Divergent})
			}
			shown.Claims = append(shown.Claims, claim)
		}
		if o.Catalogue != nil {
			settings := o.Settings
			if settings == nil {
				settings = func(string) string { return "" }
			}
			shown.Reproduce = Reproduce(d.Shortest(o.Catalogue), subjects, settings)
		}
		all = append(all, shown)
	}
	return all
}

// NoIssue says whether a text stands for an issue that nobody seems to have written.
func NoIssue(text string) bool { return text == formula.NoIssueKnown }
