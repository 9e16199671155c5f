package series

import (
	"fmt"
	"slices"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/reports/view"
)

// MostRuns is how many runs a history has where nobody asks for another number: two months of nights.
const MostRuns = 60

// Historian takes in runs one after another, in any order, and keeps of the newest ones what a history
// shows: a run is some megabytes of marks, a thousandth part of which are its verdicts and values.
type Historian struct {
	most       int
	runs       []digest // the oldest first
	left       int
	passedOver []string
}

// digest is what stays of a run.
type digest struct {
	view.RunSummary
	trials []digestTrial
}

type digestTrial struct {
	trial, subject string
	came           TrialRun
	claims         []digestClaim
}

type digestClaim struct {
	claim, formula string
	of             formula.Component
	unit           formula.Unit
	point          Point
}

// NewHistorian keeps at most so many runs, the newest ones. It must be at least 1.
func NewHistorian(most int) *Historian { return &Historian{most: most} }

// Add takes a run in. It says whether the run was new to it; one that is added twice counts once.
func (h *Historian) Add(r run.Run) bool {
	d := digest{RunSummary: view.SummaryOf(r)}
	at, _ := slices.BinarySearchFunc(h.runs, d.RunSummary, func(x digest, y view.RunSummary) int {
		switch {
		case x.Before(y):
			return -1
		case x.Same(y):
			return 0
		}
		return 1
	})
	if at < len(h.runs) && h.runs[at].Same(d.RunSummary) {
		return false
	}
	if r.Ran() { // of a run that failed before, that all is inconclusive says nothing of a trial
		for _, b := range view.ColumnsOf(r) {
			for _, o := range b.Outcomes {
				if !o.CutShort || o.Verdict != trial.Inconclusive {
					d.trials = append(d.trials, digestOf(o))
				}
			}
		}
	}
	h.runs = slices.Insert(h.runs, at, d)
	if len(h.runs) > h.most {
		h.left += len(h.runs) - h.most
		h.runs = slices.Delete(h.runs, 0, len(h.runs)-h.most)
	}
	return true
}

// PassOver notes a saved run that could not be read.
func (h *Historian) PassOver(path string, why error) {
	h.passedOver = append(h.passedOver, fmt.Sprintf("%s: %v", path, why))
}

// LeaveOut notes runs that are older than those that are wanted and were not even read.
func (h *Historian) LeaveOut(runs int) { h.left += runs }

func digestOf(o run.Outcome) digestTrial {
	d := digestTrial{trial: o.Trial, subject: o.Subject, came: TrialRun{Verdict: o.Verdict, Attempts: len(o.Attempts)}}
	if o.Verdict == trial.Deviates || o.Verdict == trial.Inconclusive {
		d.came.Why = view.ReasonOf(o)
	}
	for _, f := range view.FindingsOf(o) {
		d.claims = append(
			d.claims,
			digestClaim{claim: f.Claim, formula: f.Formula, of: f.Of, unit: f.Implemented.Unit, point: pointOf(f)},
		)
	}
	return d
}

// History is what the runs so far say.
func (h *Historian) History() History {
	history := History{Schema: HistorySchema, Left: h.left, PassedOver: h.passedOver}
	trials := map[[2]string]int{}
	claims := map[valueKey]int{}
	// The newest run has the say in which order everything stands.
	for _, d := range slices.Backward(h.runs) {
		for _, t := range d.trials {
			key := [2]string{t.trial, t.subject}
			i, known := trials[key]
			if !known {
				i = len(history.Trials)
				trials[key] = i
				history.Trials = append(history.Trials, TrialHistory{Trial: t.trial, Subject: t.subject})
			}
			for _, c := range t.claims {
				key := valueKey{t.trial, c.claim, t.subject}
				if _, known := claims[key]; !known {
					claims[key] = len(history.Trials[i].Claims)
					history.Trials[i].Claims = append(
						history.Trials[i].Claims,
						ClaimHistory{Claim: c.claim, Formula: c.formula, Of: c.of, Unit: c.unit},
					)
				}
			}
		}
	}
	for run, d := range h.runs {
		history.Runs = append(history.Runs, d.RunSummary)
		for _, t := range d.trials {
			into := &history.Trials[trials[[2]string{t.trial, t.subject}]]
			t.came.Run = run
			into.Runs = append(into.Runs, t.came)
			for _, c := range t.claims {
				at := claims[valueKey{t.trial, c.claim, t.subject}]
				if into.Claims[at].Unit != c.unit {
					continue // an older revision measured something else by this name
				}
				c.point.Run = run
				into.Claims[at].Points = append(into.Claims[at].Points, c.point)
			}
		}
	}
	for i := range history.Trials {
		history.Trials[i].count()
	}
	return history
}
