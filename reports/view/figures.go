package view

import (
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
)

// MostOverLongest is how many times the longest trial a run may last: all trials run at once, so that one decides.
const MostOverLongest = 1.15

// Figures are a run's numbers.
type Figures struct {
	// Trials and Subjects are what was selected, Outcomes the pairs of the two.
	Trials   int `json:"trials"`
	Subjects int `json:"subjects"`
	Outcomes int `json:"outcomes"`
	// Claims is how many claims were judged on all subjects together.
	Claims int `json:"claims"`
	// TwoSided is how many of them have a window that a value can miss on both sides: a time or a count with a
	// lower end above zero, or what is read and has no lowest value.
	TwoSided int `json:"twoSided"`
	// Repeated is how many outcomes took more than one attempt.
	Repeated int `json:"repeated"`
	// Virtual is what the virtual lane cost, nil where nothing ran in it; Lanes how far the lanes agree,
	// nil where no version and mutation is in both. What follows is about the node lane.
	Virtual *VirtualFigures `json:"virtual,omitempty"`
	Lanes   *Agreement      `json:"lanes,omitempty"`
	// Sum is how long all trials would have taken one after another, repeated attempts included, of which
	// there are Attempts.
	Sum      time.Duration `json:"sum"`
	Attempts int           `json:"attempts,omitempty"`
	// Wall is the time from the ready cluster to the report, 0 when one of the two never came.
	Wall time.Duration `json:"wall"`
	// Longest is the longest attempt that was conclusive, of the trial LongestTrial on LongestSubject; 0 when none was.
	Longest        time.Duration `json:"longest"`
	LongestTrial   string        `json:"longestTrial,omitempty"`
	LongestSubject string        `json:"longestSubject,omitempty"`
	// Ratio is Wall over Longest, 0 when one of them is.
	Ratio float64 `json:"ratio"`
}

// Figures counts and sums up the run.
func FiguresOf(r run.Run) Figures {
	f := Figures{Outcomes: len(r.Outcomes)}
	trials, subjects := map[string]bool{}, map[string]bool{}
	for _, o := range r.Outcomes {
		trials[o.Trial], subjects[o.Subject] = true, true
		if len(o.Attempts) > 1 {
			f.Repeated++
		}
		for _, claim := range FindingsOf(o) {
			f.Claims++
			if twoSided(claim) {
				f.TwoSided++
			}
		}
	}
	f.Trials, f.Subjects = len(trials), len(subjects)
	if !r.Ready.IsZero() && !r.Reported.IsZero() {
		f.Wall = r.Reported.Sub(r.Ready)
	}
	f.Virtual, f.Lanes = virtualFigures(r), AgreementOf(r)
	nodes := r.In(run.NodeLane)
	for _, o := range nodes.Outcomes {
		for _, a := range o.Attempts {
			f.Attempts++
			f.Sum += a.Took
		}
	}
	if o, took := nodes.Longest(); o != nil {
		f.Longest, f.LongestTrial, f.LongestSubject = took, o.Trial, o.Subject
		f.Ratio = f.Wall.Seconds() / f.Longest.Seconds()
	}
	return f
}

func twoSided(f trial.Finding) bool {
	switch f.Implemented.Unit {
	case formula.Nanoseconds, formula.Count:
		return f.Implemented.Earliest > 0
	}
	return true
}

// size says in words how much was run.
func (f Figures) size() string {
	return fmt.Sprintf("%s on %s, %s (%d with two-sided windows)",
		run.Plural(f.Trials, "trial"), run.Plural(f.Subjects, "subject"), run.Plural(f.Claims, "claim"), f.TwoSided)
}

// pace says in words how long it took: one line, for a run that came to its report.
func (f Figures) pace() string {
	s := fmt.Sprintf("Cluster ready to report: %s. Longest trial: %s (%s on %s). Ratio: %.2f, ",
		FormatDuration(f.Wall), FormatDuration(f.Longest), f.LongestTrial, f.LongestSubject, f.Ratio)
	if f.Ratio > MostOverLongest {
		s += "more than the"
	} else {
		s += "at most"
	}
	return s + fmt.Sprintf(" %.2f expected. Node lane: %s.", MostOverLongest, faster(f.Wall, f.Sum, "", f.Attempts))
}
