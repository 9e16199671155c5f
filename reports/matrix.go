package reports

import (
	"fmt"
	"slices"

	"github.com/podclock/podclock/harness/trial"
)

// matrix is the verdicts of a run: trials by area, and what each subject made of them.
type matrix struct {
	subjects []block
	areas    []matrixArea
}

type matrixArea struct {
	name string
	rows []matrixRow
}

// matrixRow is one trial. A subject that it was not selected for has none of its outcomes.
type matrixRow struct {
	trial string
	on    map[string]Outcome
}

// matrix arranges the outcomes of a run. Trials keep the order in which they are first met.
func (r Run) matrix() matrix {
	var m matrix
	areas, rows := map[string]int{}, map[string]*matrixRow{}
	order := map[string][]string{}
	for _, b := range r.blocks() {
		if len(b.outcomes) == 0 {
			continue
		}
		m.subjects = append(m.subjects, b)
		for _, o := range b.outcomes {
			name := area(o)
			if _, known := areas[name]; !known {
				areas[name] = len(m.areas)
				m.areas = append(m.areas, matrixArea{name: name})
			}
			if rows[o.Trial] == nil {
				rows[o.Trial] = &matrixRow{trial: o.Trial, on: map[string]Outcome{}}
				order[name] = append(order[name], o.Trial)
			}
			rows[o.Trial].on[o.Subject] = o
		}
	}
	for i := range m.areas {
		for _, id := range order[m.areas[i].name] {
			m.areas[i].rows = append(m.areas[i].rows, *rows[id])
		}
	}
	return m
}

// verdicts are those of one trial on all subjects, in their order.
func (m matrix) verdicts(row matrixRow) []trial.Verdict {
	all := make([]trial.Verdict, len(m.subjects))
	for i, b := range m.subjects {
		all[i] = notSelected
		if o, selected := row.on[b.subject.Name]; selected {
			all[i] = o.Verdict
		}
	}
	return all
}

// notSelected stands where a trial was not asked for on a subject.
const notSelected trial.Verdict = "-"

// dull says that nobody needs to look at a trial: it was judged on every subject and is as it should be.
func dull(verdicts []trial.Verdict) bool {
	return !slices.ContainsFunc(
		verdicts,
		func(v trial.Verdict) bool { return v == trial.Deviates || v == trial.Inconclusive },
	)
}

// same says that all subjects agree.
func same(verdicts []trial.Verdict) bool {
	return !slices.ContainsFunc(verdicts, func(v trial.Verdict) bool { return v != verdicts[0] })
}

// mostOfAKind is how many trials of an area on which the subjects differ alike are named.
const mostOfAKind = 3

// compact is the matrix of a terminal: the trials that need a look, and those on which the subjects differ,
// one by one, and of each area how many others there are with which verdicts.
func (p *page) compact(m matrix) {
	header := []string{"trial"}
	for _, b := range m.subjects {
		header = append(header, b.title())
	}
	var groups [][][]string
	for _, a := range m.areas {
		groups = append(groups, p.compactArea(m, a))
	}
	if grid := p.grid(header, groups); grid != "" {
		p.write(grid)
		p.line("")
	}
}

func (p *page) compactArea(m matrix, a matrixArea) [][]string {
	notable := m.notable(a)
	alike, told := map[string]int{}, map[string]bool{}
	for _, row := range a.rows {
		alike[fmt.Sprint(m.verdicts(row))]++
	}
	var named, counted [][]string
	for _, row := range a.rows {
		all := m.verdicts(row)
		kind := fmt.Sprint(all)
		switch {
		case notable(row):
			named = append(named, p.cells(row.trial, all))
		case !told[kind]:
			counted = append(counted, p.cells(a.name+": "+plural(alike[kind], "trial"), all))
			told[kind] = true
		}
	}
	return append(named, counted...)
}

// notable says which trials of an area need a look: those that were not judged on every subject or deviate,
// and those on which the subjects differ as only a few others do.
func (m matrix) notable(a matrixArea) func(matrixRow) bool {
	alike := map[string]int{}
	for _, row := range a.rows {
		alike[fmt.Sprint(m.verdicts(row))]++
	}
	return func(row matrixRow) bool {
		all := m.verdicts(row)
		return !dull(all) || !same(all) && alike[fmt.Sprint(all)] <= mostOfAKind
	}
}

func (p *page) cells(name string, all []trial.Verdict) []string {
	cells := []string{name}
	for _, v := range all {
		cells = append(cells, p.verdict(v))
	}
	return cells
}
