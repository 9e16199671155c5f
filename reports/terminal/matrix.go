package terminal

import (
	"fmt"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/view"
)

// compact is the matrix of a terminal: the trials that need a look, and those on which the subjects differ,
// one by one, and of each area how many others there are with which verdicts.
func (p *page) compact(m view.Matrix) {
	header := []string{"trial"}
	for _, b := range m.Subjects {
		header = append(header, b.Title())
	}
	var groups [][][]string
	for _, a := range m.Areas {
		groups = append(groups, p.compactArea(m, a))
	}
	if grid := p.grid(header, groups); grid != "" {
		p.write(grid)
		p.line("")
	}
}

func (p *page) compactArea(m view.Matrix, a view.MatrixArea) [][]string {
	notable := m.Notable(a)
	alike, told := map[string]int{}, map[string]bool{}
	for _, row := range a.Rows {
		alike[fmt.Sprint(m.Verdicts(row))]++
	}
	var named, counted [][]string
	for _, row := range a.Rows {
		all := m.Verdicts(row)
		kind := fmt.Sprint(all)
		switch {
		case notable(row):
			named = append(named, p.cells(row.Trial, all))
		case !told[kind]:
			counted = append(counted, p.cells(a.Name+": "+run.Plural(alike[kind], "trial"), all))
			told[kind] = true
		}
	}
	return append(named, counted...)
}

func (p *page) cells(name string, all []trial.Verdict) []string {
	cells := []string{name}
	for _, v := range all {
		cells = append(cells, p.verdict(v))
	}
	return cells
}
