package trend

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/reports/view/series"
)

// explorer is the table of all trials in the page of a history.
type explorer struct {
	Subjects []string
	Runs     int
	Trials   []row
}

type row struct {
	N              int
	Trial, Subject string
	Latest         trial.Verdict
	Strip          []segment
	Changes, Again int
	Flakes, Rate   string
	// Unsteady and Open are the filters that match.
	Unsteady, Open bool
	// Words are the hidden words of the search: claims and formulas.
	Words string
}

// segment is consecutive runs with the same verdict, or without the trial.
type segment struct {
	Verdict     trial.Verdict
	Runs        int
	Description string
}

// explore sorts the trials: those that need a look first.
func explore(h series.History) *explorer {
	e := &explorer{Runs: len(h.Runs)}
	for n, t := range h.Trials {
		if !slices.Contains(e.Subjects, t.Subject) {
			e.Subjects = append(e.Subjects, t.Subject)
		}
		r := row{N: n, Trial: t.Trial, Subject: t.Subject, Strip: segments(h, t), Changes: t.Changes, Again: t.Again,
			Unsteady: !t.Steady()}
		if t.Flakes > 0 {
			r.Flakes, r.Rate = fmt.Sprint(t.Flakes), fmt.Sprintf("%.1f %%", 100*t.FlakeRate)
		}
		if last := t.Runs[len(t.Runs)-1]; last.Run == len(h.Runs)-1 {
			r.Latest = last.Verdict
			r.Open = last.Verdict == trial.Deviates || last.Verdict == trial.Inconclusive
		}
		var words []string
		for _, claim := range t.Claims {
			words = append(words, claim.Claim, claim.Formula)
		}
		r.Words = strings.Join(words, " ")
		e.Trials = append(e.Trials, r)
	}
	slices.SortStableFunc(e.Trials, func(x, y row) int { return y.weight() - x.weight() })
	return e
}

func (r row) weight() int {
	switch {
	case r.Open:
		return 2
	case r.Unsteady:
		return 1
	}
	return 0
}

// segments returns the verdicts of a trial over all runs.
func segments(h series.History, t series.TrialHistory) []segment {
	verdicts := make([]trial.Verdict, len(h.Runs))
	for _, r := range t.Runs {
		verdicts[r.Run] = r.Verdict
	}
	var all []segment
	for from := 0; from < len(verdicts); {
		to := from
		for to < len(verdicts) && verdicts[to] == verdicts[from] {
			to++
		}
		s := segment{Verdict: verdicts[from], Runs: to - from, Description: cmp.Or(string(verdicts[from]), "not run")}
		s.Description += fmt.Sprintf(" in %s, %s", run.Plural(s.Runs, "run"), h.Runs[from].ID)
		if s.Runs > 1 {
			s.Description += " to " + h.Runs[to-1].ID
		}
		all = append(all, s)
		from = to
	}
	return all
}
