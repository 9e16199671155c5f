// Package view arranges a run for its readers: sentences, tables and numbers in the order of a report. It
// knows no renderer and no output format.
package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
)

// Overview is a run in words and in the order of a report. Every renderer for people writes it.
type Overview struct {
	Run run.Run
	// Verdict is the reason of the run's exit code in one sentence.
	Verdict string
	// Size is how much was run. Notes are what a reader must know besides the verdicts: the duration, the
	// limits of the lanes, extrapolation.
	Size  string
	Notes []string
	// Subjects are the subjects with outcomes, in the run's order. They are the columns of the matrix.
	Subjects []Column
	Areas    []Area
	// Deviations are the deviating claims by explanation. Claims without one come last.
	Deviations []Explanation
	// Inconclusive and Unsupported are the outcomes with these verdicts by reason.
	Inconclusive, Unsupported []Reason
	Divergences               []Divergence
	Figures                   Figures
}

// Area is the trials of one area.
type Area struct {
	Name string
	Rows []Row
}

// Row is one trial on all subjects.
type Row struct {
	Trial, About string
	// Outcomes are in the order of the overview's subjects, nil if the trial was not selected for one.
	Outcomes []*run.Outcome
	// Notable is true if the row needs a look: a subject deviates or was not judged, or the subjects differ and
	// only a few rows of the area differ alike.
	Notable bool
}

// NotSelected takes the place of a verdict if a trial was not selected for a subject.
const NotSelected trial.Verdict = "-"

// Verdicts returns the row's verdicts in the order of the overview's subjects.
func (r Row) Verdicts() []trial.Verdict {
	all := make([]trial.Verdict, len(r.Outcomes))
	for i, o := range r.Outcomes {
		all[i] = NotSelected
		if o != nil {
			all[i] = o.Verdict
		}
	}
	return all
}

// mostOfAKind is the most rows of an area that are notable for the same difference between subjects.
const mostOfAKind = 3

// notable reports whether a row needs a look. alike is how many rows of its area have the same verdicts.
func (r Row) notable(alike int) bool {
	all := r.Verdicts()
	if slices.Contains(all, trial.Deviates) || slices.Contains(all, trial.Inconclusive) {
		return true
	}
	return alike <= mostOfAKind && slices.ContainsFunc(all, func(v trial.Verdict) bool { return v != all[0] })
}

// OverviewOf arranges the run. Without a catalogue, divergences have no command.
func OverviewOf(r run.Run, trials Catalogue) Overview {
	f := FiguresOf(r)
	v := Overview{Run: r, Figures: f, Verdict: verdict(r), Notes: notes(r, f)}
	if f.Outcomes > 0 {
		v.Size = f.size()
		if r.Profile != "" {
			v.Size += ", profile " + r.Profile
		}
		v.Size += "."
	}
	v.Subjects = ran(r)
	v.Areas = areas(v.Subjects)
	v.Deviations = explanations(r)
	v.Inconclusive, v.Unsupported = reasons(r, trial.Inconclusive), reasons(r, trial.Unsupported)
	v.Divergences = divergences(r, Names(v.Subjects), trials)
	return v
}

// verdict returns the reason of the exit code. It states if a problem prevented part of the run.
func verdict(r run.Run) string {
	reason := Capital(ExitReason(r))
	judged := slices.ContainsFunc(r.Outcomes, func(o run.Outcome) bool { return run.Conclusive(o.Verdict) })
	if len(r.Problems) == 0 || !judged {
		return reason
	}
	open := "the harness could not judge everything: " + r.Problems[0]
	if r.ExitCode() == run.ExitDeviates {
		return strings.TrimSuffix(reason, ".") + "; and " + open
	}
	return Capital(open)
}

// notes returns what a reader must know about the whole run.
func notes(r run.Run, f Figures) []string {
	var all []string
	if r.Uses(run.NodeLane) || !r.Uses(run.VirtualLane) {
		all = append(all, nodePace(r.In(run.NodeLane), f))
	}
	if f.Virtual != nil {
		all = append(all, f.Virtual.pace())
	}
	if f.Repeated > 0 {
		all = append(all, run.Plural(f.Repeated, "trial")+" ran more than once, because an attempt was inconclusive.")
	}
	if Extrapolated(r) {
		all = append(all, Extrapolation)
	}
	return append(all, laneNotes(r, f)...)
}

// nodePace returns how long the node lane took, or why this is unknown.
func nodePace(nodes run.Run, f Figures) string {
	switch {
	case nodes.Ready.IsZero():
		return "The cluster never got ready."
	case nodes.Reported.IsZero():
		return "The run ended before its report."
	case !nodes.Ran():
		return "Cluster ready to report: " + FormatDuration(f.Wall) + ". No trial ran."
	case f.Longest == 0:
		return "Cluster ready to report: " + FormatDuration(f.Wall) + ". No trial was conclusive."
	}
	return f.pace()
}

// areas groups the outcomes of some subjects by area and trial, in the order in which they first appear.
func areas(columns []Column) []Area {
	var all []Area
	area, row := map[string]int{}, map[string]int{}
	for i, c := range columns {
		for _, o := range c.Outcomes {
			a := Place(area, AreaOf(o), &all, Area{Name: AreaOf(o)})
			n := Place(row, o.Trial, &all[a].Rows,
				Row{Trial: o.Trial, About: o.About, Outcomes: make([]*run.Outcome, len(columns))})
			all[a].Rows[n].Outcomes[i] = &o
		}
	}
	for _, a := range all {
		alike := map[string]int{}
		for _, r := range a.Rows {
			alike[fmt.Sprint(r.Verdicts())]++
		}
		for i, r := range a.Rows {
			a.Rows[i].Notable = r.notable(alike[fmt.Sprint(r.Verdicts())])
		}
	}
	return all
}
