package html

import (
	"cmp"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/view"
)

// backOffChart has the restarts of one container of a trial, predicted and measured on every subject.
type backOffChart struct {
	Trial     string `json:"trial"`
	Container string `json:"container,omitempty"`
	About     string `json:"about"`
	Formula   string `json:"formula"`
	Steps     []step `json:"steps"`
}

type step struct {
	// Restart counts from 1.
	Restart int `json:"restart"`
	// On are in the order of the subjects, nil if there is no such claim.
	On []*tread `json:"on"`
}

// tread is one restart on one subject: the nanoseconds from the death to the next start.
type tread struct {
	Verdict     trial.Verdict `json:"verdict"`
	Measured    *int64        `json:"measured,omitempty"`
	Implemented [2]int64      `json:"implemented"`
	Documented  *[2]int64     `json:"documented,omitempty"`
}

// fewestSteps is the least number of restarts.
const fewestSteps = 3

func (s backOffChart) Name() string {
	if s.Container == "" {
		return s.Trial
	}
	return s.Trial + ", " + s.Container
}

// backOffCharts returns the back-off charts of a run. Containers that end by themselves come first, then those with the
// most subjects, then the longest.
func backOffCharts(v view.Overview) []backOffChart {
	var all []backOffChart
	for _, a := range v.Areas {
		for _, row := range a.Rows {
			all = append(all, backOffChartsOf(row)...)
		}
	}
	all = slices.DeleteFunc(all, func(s backOffChart) bool { return len(s.Steps) < fewestSteps })
	rank := func(s backOffChart) int {
		if s.Formula == formula.RestartDelay.ID {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b backOffChart) int {
		return cmp.Or(rank(a)-rank(b), b.subjects()-a.subjects(), len(b.Steps)-len(a.Steps))
	})
	return all
}

func (s backOffChart) subjects() int {
	n := 0
	for _, t := range s.Steps[0].On {
		if t != nil {
			n++
		}
	}
	return n
}

func backOffChartsOf(row view.Row) []backOffChart {
	var all []backOffChart
	for column, o := range row.Outcomes {
		if o == nil || o.Last() == nil {
			continue
		}
		for _, f := range o.Last().Result.Findings {
			container, number, is := f.Restart()
			if !is || !strings.HasPrefix(f.Formula, "restarts/") {
				continue
			}
			if container == trial.Main {
				container = "" // which the name and the page omit
			}
			i := slices.IndexFunc(all, func(s backOffChart) bool { return s.Container == container })
			if i < 0 {
				i = len(all)
				all = append(all,
					backOffChart{Trial: row.Trial, Container: container, About: row.About, Formula: f.Formula})
			}
			*all[i].at(number, len(row.Outcomes), column) = treadOf(f)
		}
	}
	for _, s := range all {
		slices.SortFunc(s.Steps, func(a, b step) int { return a.Restart - b.Restart })
	}
	return all
}

func (s *backOffChart) at(restart, columns, column int) **tread {
	i := slices.IndexFunc(s.Steps, func(s step) bool { return s.Restart == restart })
	if i < 0 {
		i = len(s.Steps)
		s.Steps = append(s.Steps, step{Restart: restart, On: make([]*tread, columns)})
	}
	return &s.Steps[i].On[column]
}

func treadOf(f trial.Finding) *tread {
	t := &tread{Verdict: f.Verdict, Implemented: [2]int64{f.Implemented.Earliest, f.Implemented.Latest}}
	if f.Measured != nil {
		t.Measured = &f.Measured.Value
	}
	if f.Documented != nil {
		t.Documented = &[2]int64{f.Documented.Earliest, f.Documented.Latest}
	}
	return t
}
