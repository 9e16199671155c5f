package series

import (
	"fmt"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/view"
)

// IDs of the sections that pages arrange in their own way: the runs; the unexplained moves; the trials whose verdict
// changed; those that deviate or are inconclusive in the newest run.
const (
	RunsSection     = "runs"
	MovesSection    = "moves"
	UnsteadySection = "unsteady"
	OpenSection     = "open"
)

func movesSection(moves []Move, subjects int) view.Section {
	p := view.Section{
		ID: MovesSection, Title: "Moved beyond chance", Note: howFar,
		Header: []string{"claim", "before", "after", "moved", "computed", "rest", "by chance", "drawn from"},
	}
	for _, m := range moves {
		if m.AsPredicted {
			continue
		}
		before, after := m.Unit.Format(m.Before.Value), m.Unit.Format(m.After.Value)
		p.AddRow(on(m.Trial+": "+m.Claim, m.Subjects, subjects), view.Number(before), view.Number(after),
			m.amount(m.By()), m.amount(m.Predicted), m.amount(m.Rest()), m.byChance(), m.source())
	}
	return p
}

// on adds the subjects to a name if there are several pairs.
func on(name string, subjects SubjectPair, pairs int) string {
	if pairs > 1 {
		return name + " on " + subjects.String()
	}
	return name
}

// amount returns a difference with its sign, or a dash if it is 0 or the unit has no differences, as an exit code.
func (m Move) amount(by int64) view.Number {
	if by == 0 || !m.hasDifferences() {
		return "-"
	}
	return signed(m.Unit, by)
}

func (m Move) hasDifferences() bool {
	return m.Unit == formula.Nanoseconds || m.Unit == formula.Count || m.Unit == formula.Seconds
}

func signed(u formula.Unit, v int64) view.Number {
	if v < 0 {
		return view.Number("-" + u.Format(-v))
	}
	return view.Number("+" + u.Format(v))
}

func (m Move) byChance() view.Number {
	if !m.hasDifferences() {
		return "-"
	}
	return view.Number(m.Unit.Format(m.Scatter))
}

// source is what the scatter is drawn from.
func (m Move) source() any {
	if m.Earlier == 0 {
		return "its window"
	}
	return view.Number(run.Plural(m.Earlier, "earlier value"))
}

func shiftsSection(shifts []Shift, subjects int) view.Section {
	p := view.Section{
		ID: "shifts", Title: "Formulas whose claims moved together",
		Header: []string{"formula", "median", "of windows of", "later", "sooner", "by chance"}, Note: howTogether,
	}
	for _, s := range shifts {
		p.AddRow(on(s.Formula, s.Subjects, subjects), signed(formula.Nanoseconds, s.Median),
			view.Number(formula.Nanoseconds.Format(s.Width)), view.Number(run.Plural(s.Later, "trial")),
			view.Number(run.Plural(s.Sooner, "trial")), view.Number(fmt.Sprintf("%.1g", s.Chance)))
	}
	return p
}
