// Package mutants arranges a mutation report for its readers, as package view does for a run. It knows
// no renderer and runs nothing.
package mutants

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/mutants/mutationtest"
	"github.com/podclock/podclock/reports/view"
)

// open are the results of a mutant that was not killed.
var open = []mutationtest.Status{mutationtest.Survived, mutationtest.Undecided, mutationtest.Failed}

// Brief returns what fits a screen: the results of each lane, what was not killed, and what is wrong.
func Brief(p mutationtest.Report) []view.Section {
	all := []view.Section{
		{ID: "reach", Title: "Mutation testing", Lines: view.LinesOf(append(reach(p), problems(p.Problems)...)...)},
	}
	for _, l := range p.Lanes {
		all = append(all,
			view.Section{ID: string(l.Lane), Title: lane(l, p.Version), Lines: view.LinesOf(headline(l)...)},
			notKilled(l, false), same(l), misclassified(l), alarms(l))
	}
	return filled(all)
}

// Full returns everything. Beyond Brief these are the killed mutants by the area of their clearest trial,
// figures by program, the references, and what is not in a lane.
func Full(p mutationtest.Report) []view.Section {
	all := []view.Section{
		{ID: "reach", Title: "Reach", Lines: view.LinesOf(append(reach(p), problems(p.Problems)...)...)},
	}
	all = append(all, lanes(p.Lanes))
	for _, l := range p.Lanes {
		lines := append([]string{offer(l, p.Version)}, headline(l)...)
		if l.Lane == run.VirtualLane {
			lines = append(lines, view.VirtualLimits)
		}
		all = append(all, view.Section{ID: string(l.Lane), Title: lane(l, p.Version), Lines: view.LinesOf(lines...)},
			notKilled(l, true))
		all = append(all, killed(l)...)
		all = append(all, same(l), misclassified(l), unseen(l), components(l), references(l), alarms(l), leftOut(l))
	}
	return filled(all)
}

// filled returns the sections that have a table or lines.
func filled(all []view.Section) []view.Section {
	return slices.DeleteFunc(all, func(p view.Section) bool { return len(p.Rows)+len(p.Lines) == 0 })
}

// lane returns the title of a lane.
func lane(l mutationtest.LaneReport, version string) string {
	return fmt.Sprintf("The %s lane, %s", l.Lane, version)
}

// offer returns which trials a mutant could meet.
func offer(l mutationtest.LaneReport, version string) string {
	if l.Lane == run.VirtualLane {
		return fmt.Sprintf("%s were offered to every mutant of %s. A mutant meets no more once it is killed: by two "+
			"trials, or by one if no other trial measures what it breaks.", run.Plural(l.Trials, "trial"), version)
	}
	return fmt.Sprintf("%s were offered to the mutants of %s. Each mutant met those that are chosen for it.",
		run.Plural(l.Trials, "trial"), version)
}

// lanes has a row for each lane.
func lanes(all []mutationtest.LaneReport) view.Section {
	p := view.Section{ID: "lanes", Title: "Lanes", Header: []string{"lane", "mutants", "killed", "score", "differ",
		"false alarms", "reference trials not judged", "wall time", "one more mutant", "most expensive mutant"}}
	for _, l := range all {
		f := l.Figures()
		wall, each, most, differ := "not ended", "-", "-", "-"
		if f.Compared > 0 {
			differ = mutationtest.ScorePercent(f.DifferentScore)
		}
		if f.Wall > 0 {
			wall, each = FormatDuration(f.Wall), FormatDuration(f.Each)
		}
		if f.Most > 0 {
			most = f.Dearest + " " + FormatDuration(f.Most)
		}
		p.AddRow(l.Lane, f.Mutants, f.Killed, mutationtest.ScorePercent(f.Score), differ, f.FalseAlarms, f.Unjudged,
			wall,
			each, most)
	}
	return p
}

// notKilled lists what was not killed and why. details adds what each mutant breaks and what could not be
// judged.
func notKilled(l mutationtest.LaneReport, details bool) view.Section {
	p := view.Section{ID: "not-killed", Title: "Not killed"}
	for _, m := range Mutants(l, false, open...) {
		line := view.Line{Text: fmt.Sprintf("%s %s: %s", m.Name, m.Verdict, m.Why)}
		if difference := differs(m); difference != "" {
			line.More = append(line.More, difference)
		}
		if m.Fuzz != nil {
			line.More = append(line.More, fuzzed(*m.Fuzz))
		}
		if details {
			breaks := "breaks: " + m.Breaks
			if m.Formula != "" {
				breaks += " (" + m.Formula + ")"
			}
			line.More = append(line.More, breaks, "took "+FormatDuration(m.Cost()))
			for _, o := range m.Open {
				line.More = append(line.More, "not judged: "+o.Trial+": "+o.Why)
			}
		}
		p.Lines = append(p.Lines, line)
	}
	return p
}

// killed has a table of the killed mutants for each area, by the area of the clearest trial.
func killed(l mutationtest.LaneReport) []view.Section {
	var all []view.Section
	index := map[string]int{}
	for _, m := range Mutants(l, false, mutationtest.Killed) {
		c := m.Kills[0]
		area, _, _ := strings.Cut(c.Trial, "/")
		i := view.Place(index, area, &all, view.Section{
			ID: "killed-" + area, Title: "Killed by " + area, Code: []int{0}, Header: []string{"mutant", "breaks",
				"killed by", "clearest claim", "measured", "allowed", "outside", "diagnosis", "took"},
		})
		all[i].AddRow(m.Name, cmp.Or(m.Formula, "-"), By(m), c.Trial+" "+c.Claim, Measured(c), window(c), Outside(c),
			cmp.Or(Called(m), "-"), FormatDuration(m.Cost()))
	}
	if len(all) > 0 {
		all[0].Note = "Each mutant is listed by its clearest claim. A claim of the formula that the mutant breaks " +
			"comes first, then the claim that lies outside its window by the most window widths."
	}
	return all
}

// same lists the mutants of the score that have the reference's traces.
func same(l mutationtest.LaneReport) view.Section {
	p := view.Section{ID: "same", Title: "Not found by comparison"}
	for _, m := range l.Mutants {
		if m.Counts() && m.Comparison != nil && !m.Comparison.Differs() {
			p.AddLine(fmt.Sprintf("%s: %s", m.Name, differs(m)))
		}
	}
	return p
}

// misclassified lists the mutants that were killed although the catalogue of mutations says that they cannot be.
func misclassified(l mutationtest.LaneReport) view.Section {
	p := view.Section{ID: "misfiled", Title: "Killed, although the catalogue of mutations says that it cannot be"}
	for _, m := range l.Mutants {
		if m.Misclassified() {
			c := m.Kills[0]
			p.AddLine(fmt.Sprintf("%s: %s %s, %s", m.Name, c.Trial, c.Claim, By(m)))
		}
	}
	return p
}

// unseen lists the mutants that are not part of the score.
func unseen(l mutationtest.LaneReport) view.Section {
	p := view.Section{ID: "unseen", Title: "Not part of the score", Code: []int{0},
		Header: []string{"mutant", "result", "comparison", "what it breaks", "why no observer can see it"}}
	for _, m := range Mutants(l, true, open...) {
		p.AddRow(m.Name, m.Verdict, cmp.Or(differs(m), "-"), m.Breaks, m.Equivalent)
	}
	return p
}

// components has the figures of each program.
func components(l mutationtest.LaneReport) view.Section {
	p := view.Section{ID: "components", Title: "By program",
		Header: []string{"component", "mutants", "killed", "score"}}
	for _, c := range l.Figures().Components {
		p.AddRow(c.Component, c.Mutants, c.Killed, mutationtest.ScorePercent(c.Score))
	}
	return p
}

// references lists the references.
func references(l mutationtest.LaneReport) view.Section {
	p := view.Section{ID: "references", Title: "References",
		Header: []string{"reference", "trials", "claims", "divergent", "not judged", "unsupported", "false alarms"}}
	for _, r := range l.References {
		p.AddRow(r.Subject, r.Trials, r.Claims, r.Divergent, len(r.Open), r.Unsupported, len(r.FalseAlarms))
		for _, o := range r.Open {
			p.AddLine(fmt.Sprintf("not judged on %s: %s: %s", r.Subject, o.Trial, o.Why))
		}
	}
	return p
}

// alarms lists the false alarms.
func alarms(l mutationtest.LaneReport) view.Section {
	p := view.Section{ID: "false-alarms", Title: "False alarms"}
	for _, r := range l.References {
		for _, a := range r.FalseAlarms {
			p.AddLine(fmt.Sprintf("false alarm on %s: %s %s: %s, %s, %s",
				r.Subject, a.Trial, a.Claim, Measured(a), Allowed(a), Outside(a)))
		}
	}
	return p
}

// leftOut lists the mutations that the lane cannot have.
func leftOut(l mutationtest.LaneReport) view.Section {
	p := view.Section{ID: "left-out", Title: "Not in this lane"}
	for _, left := range l.LeftOut {
		p.AddLine(left.Name + ": " + left.Why)
	}
	return p
}
