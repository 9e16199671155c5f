package view

import (
	"fmt"
	"slices"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
)

// Matrix is the verdicts of a run: trials by area, and what each subject made of them.
type Matrix struct {
	Subjects []Column
	Areas    []MatrixArea
}

type MatrixArea struct {
	Name string
	Rows []MatrixRow
}

// MatrixRow is one trial. A subject that it was not selected for has none of its outcomes.
type MatrixRow struct {
	Trial string
	On    map[string]run.Outcome
}

// MatrixOf arranges the outcomes of a run. Trials keep the order in which they are first met.
func MatrixOf(r run.Run) Matrix {
	var m Matrix
	areas, rows := map[string]int{}, map[string]*MatrixRow{}
	order := map[string][]string{}
	for _, b := range ColumnsOf(r) {
		if len(b.Outcomes) == 0 {
			continue
		}
		m.Subjects = append(m.Subjects, b)
		for _, o := range b.Outcomes {
			name := AreaOf(o)
			if _, known := areas[name]; !known {
				areas[name] = len(m.Areas)
				m.Areas = append(m.Areas, MatrixArea{Name: name})
			}
			if rows[o.Trial] == nil {
				rows[o.Trial] = &MatrixRow{Trial: o.Trial, On: map[string]run.Outcome{}}
				order[name] = append(order[name], o.Trial)
			}
			rows[o.Trial].On[o.Subject] = o
		}
	}
	for i := range m.Areas {
		for _, id := range order[m.Areas[i].Name] {
			m.Areas[i].Rows = append(m.Areas[i].Rows, *rows[id])
		}
	}
	return m
}

// Verdicts are those of one trial on all subjects, in their order.
func (m Matrix) Verdicts(row MatrixRow) []trial.Verdict {
	all := make([]trial.Verdict, len(m.Subjects))
	for i, b := range m.Subjects {
		all[i] = NotSelected
		if o, selected := row.On[b.Subject.Name]; selected {
			all[i] = o.Verdict
		}
	}
	return all
}

// NotSelected stands where a trial was not asked for on a subject.
const NotSelected trial.Verdict = "-"

// dull says that nobody needs to look at a trial: it was judged on every subject and is as it should be.
func dull(verdicts []trial.Verdict) bool {
	return !slices.ContainsFunc(
		verdicts,
		func(v trial.Verdict) bool { return v == trial.Deviates || v == trial.Inconclusive },
	)
}

// sameVerdicts says that all subjects agree.
func sameVerdicts(verdicts []trial.Verdict) bool {
	return !slices.ContainsFunc(verdicts, func(v trial.Verdict) bool { return v != verdicts[0] })
}

// mostOfAKind is how many trials of an area on which the subjects differ alike are named.
const mostOfAKind = 3

// Notable says which trials of an area need a look: those that were not judged on every subject or deviate,
// and those on which the subjects differ as only a few others do.
func (m Matrix) Notable(a MatrixArea) func(MatrixRow) bool {
	alike := map[string]int{}
	for _, row := range a.Rows {
		alike[fmt.Sprint(m.Verdicts(row))]++
	}
	return func(row MatrixRow) bool {
		all := m.Verdicts(row)
		return !dull(all) || !sameVerdicts(all) && alike[fmt.Sprint(all)] <= mostOfAKind
	}
}
