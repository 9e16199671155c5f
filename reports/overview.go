package reports

import (
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/formula"
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

// Column is one subject of an overview.
type Column struct {
	Subject
	// Title is its name, marked where the formulas are applied outside the releases whose sources were read.
	Title    string
	Virtual  bool
	Outcomes []Outcome
}

// Count is how many outcomes of the subject have a verdict.
func (c Column) Count(v trial.Verdict) int { return Run{Outcomes: c.Outcomes}.Count(v) }

// Area is the trials of one area.
type Area struct {
	Name string
	Rows []Row
}

// Row is one trial on all subjects.
type Row struct {
	Trial, About string
	// Outcomes are in the order of the overview's subjects, nil where the trial was not selected for one.
	Outcomes []*Outcome
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
	return capital(e.As)
}

// DeviatingTrial is the deviating claims of one outcome.
type DeviatingTrial struct {
	Where
	// Claims say which claim measured what; one line each.
	Claims []string
}

// Verdicts are the five, the best first: the order in which reports count them.
func Verdicts() []trial.Verdict { return append([]trial.Verdict(nil), verdicts...) }

// Why says in one line why an outcome has its verdict; empty for one that conforms.
func Why(o Outcome) string { return reason(o) }

// OfModel says whether a claim speaks of what a subject's lane has only a model of.
func (s Subject) OfModel(f trial.Finding) bool { return s.model(f) != "" }

// Overview arranges the run. What it takes from beyond the run is how a divergence is reproduced (see
// DivergencesOptions).
func (r Run) Overview(o DivergencesOptions) Overview {
	f := r.Figures()
	v := Overview{Verdict: r.verdict(), Notes: r.overviewNotes(f)}
	if f.Outcomes > 0 {
		v.Size = f.size() + profile(r) + "."
	}
	m := r.matrix()
	for _, b := range m.subjects {
		v.Subjects = append(v.Subjects, Column{b.subject, b.title(), b.subject.lane() == VirtualLane, b.outcomes})
	}
	for _, a := range m.areas {
		v.Areas = append(v.Areas, m.area(a))
	}
	v.Deviations = r.explanations()
	v.Inconclusive, v.Unsupported = r.reasonsOf(trial.Inconclusive), r.reasonsOf(trial.Unsupported)
	v.Divergences = r.divergencesOn(m.subjects, o)
	return v
}

// verdict is the run's in one sentence: why it has its exit code. Where some of it was judged and something
// kept the harness from the rest, it says so.
func (r Run) verdict() string {
	reason := capital(r.ExitReason())
	if len(r.Problems) == 0 || !slices.ContainsFunc(r.Outcomes, func(o Outcome) bool { return conclusive(o.Verdict) }) {
		return reason
	}
	open := "the harness could not judge everything: " + r.Problems[0]
	if r.ExitCode() == ExitDeviates {
		return strings.TrimSuffix(reason, ".") + "; and " + open
	}
	return capital(open)
}

// overviewNotes are what a reader must know of the whole run.
func (r Run) overviewNotes(f Figures) []string {
	var notes []string
	if f.Wall > 0 && f.Longest > 0 {
		notes = append(notes, f.pace())
	}
	if f.Virtual != nil {
		notes = append(notes, f.Virtual.pace())
	}
	if f.Repeated > 0 {
		notes = append(notes, plural(f.Repeated, "trial")+" ran more than once, because an attempt was inconclusive.")
	}
	if r.extrapolated() {
		notes = append(notes, extrapolation)
	}
	return append(notes, r.laneNotes()...)
}

// area is one of the matrix with its rows.
func (m matrix) area(a matrixArea) Area {
	area := Area{Name: a.name}
	notable := m.notable(a)
	for _, row := range a.rows {
		shown := Row{Trial: row.trial, Notable: notable(row)}
		for _, b := range m.subjects {
			o, selected := row.on[b.subject.Name]
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
func (g group) explanation(r Run) Explanation {
	var e Explanation
	if g.diagnosis != nil {
		e.As = asIf(*g.diagnosis)
	}
	seen := map[string]bool{}
	for _, claims := range g.outcomes() {
		o := claims[0].outcome
		on := DeviatingTrial{Where: where(o)}
		for _, c := range claims {
			on.Claims = append(on.Claims, c.finding.Claim+r.subject(o.Subject).model(c.finding)+": "+c.finding.Why)
			if should := c.finding.Says + " (" + c.finding.Formula + ", " + c.finding.Source + ")"; !seen[should] {
				seen[should] = true
				e.Should = append(e.Should, should)
			}
		}
		e.On = append(e.On, on)
	}
	return e
}

func where(o Outcome) Where { return Where{o.Trial, o.Subject, len(o.Attempts)} }

// reasonsOf are the outcomes of a verdict by their reasons, in the order in which they are met.
func (r Run) reasonsOf(v trial.Verdict) []Reason {
	var all []Reason
	index := map[string]int{}
	for _, b := range r.blocks() {
		for _, o := range b.outcomes {
			if o.Verdict != v {
				continue
			}
			why := reason(o)
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
func (r Run) divergencesOn(columns []block, o DivergencesOptions) []Divergence {
	var subjects []string
	for _, b := range columns {
		subjects = append(subjects, b.subject.Name)
	}
	var all []Divergence
	for _, d := range divergences(r) {
		shown := Divergence{
			Formula: d.formula,
			Says:    d.says,
			Source:  d.source,
			Promise: d.promise,
			Page:    d.page,
			Gap:     d.gap(),
			Issues:  d.references(),
			Unknown: d.unknown(),
		}
		shown.Seen, shown.Kept, shown.Unmeasured = d.sightings(subjects)
		for _, row := range d.rows {
			claim := DivergingClaim{Trial: row.trial, Claim: row.claim, Documented: promisedSpan(row)}
			for _, s := range subjects {
				f, found := row.on[s]
				measured := strings.Trim(promisedCell(row, s), "*")
				claim.On = append(claim.On, Promised{measured, found && f.Verdict == trial.Divergent})
			}
			shown.Claims = append(shown.Claims, claim)
		}
		if o.Catalogue != nil {
			settings := o.Settings
			if settings == nil {
				settings = func(string) string { return "" }
			}
			shown.Reproduce = reproduce(d.shortest(o.Catalogue), subjects, settings)
		}
		all = append(all, shown)
	}
	return all
}

// NoIssue says whether a text stands for an issue that nobody seems to have written.
func NoIssue(text string) bool { return text == formula.NoIssueKnown }
