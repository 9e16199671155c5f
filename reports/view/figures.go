package view

import (
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// MostOverLongest limits a run's time, as a multiple of its longest trial. All trials run at once, so the
// longest one decides.
const MostOverLongest = 1.15

// Figures are a run's numbers.
type Figures struct {
	// Trials and Subjects are the selected ones. Outcomes are their pairs.
	Trials   int `json:"trials"`
	Subjects int `json:"subjects"`
	Outcomes int `json:"outcomes"`
	// Claims is how many claims were judged, on all subjects.
	Claims int `json:"claims"`
	// TwoSided is how many of them have a window that a value can miss on both sides. These are times and
	// counts with a lower end above zero, and readings without a lowest value.
	TwoSided int `json:"twoSided"`
	// Repeated is how many outcomes took more than one attempt.
	Repeated int `json:"repeated"`
	// Virtual is the cost of the virtual lane, nil if nothing ran in it. Lanes compares the lanes. It is nil if
	// no version and mutation ran in both. The following fields are about the node lane.
	Virtual *VirtualFigures `json:"virtual,omitempty"`
	Lanes   *Agreement      `json:"lanes,omitempty"`
	// Sum is the duration of all attempts added up. Attempts is their number.
	Sum      time.Duration `json:"sum"`
	Attempts int           `json:"attempts,omitempty"`
	// Wall is the time from the ready cluster to the report, 0 if either is missing.
	Wall time.Duration `json:"wall"`
	// Longest is the longest conclusive attempt, that of LongestTrial on LongestSubject. It is 0 if there is
	// none.
	Longest        time.Duration `json:"longest"`
	LongestTrial   string        `json:"longestTrial,omitempty"`
	LongestSubject string        `json:"longestSubject,omitempty"`
	// Ratio is Wall over Longest, 0 if either is 0.
	Ratio float64 `json:"ratio"`
}

// FiguresOf computes the figures of a run.
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
			if a.Took == 0 { // what was judged of the run as a whole
				continue
			}
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

// size returns in words how much was run.
func (f Figures) size() string {
	return fmt.Sprintf("%s on %s, %s (%d with two-sided windows)",
		run.Plural(f.Trials, "trial"), run.Plural(f.Subjects, "subject"), run.Plural(f.Claims, "claim"), f.TwoSided)
}

// pace returns in words how long the run took. The run must have reached its report.
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

// VirtualLimits is the scope of a virtual verdict.
const VirtualLimits = "The virtual lane runs the kubelet's own code under virtual time, on models of all that is " +
	"around it: " +
	"its verdicts say nothing of a container runtime, a kernel or an API server."

// laneNotes returns what a reader must know about the lanes. It is empty for a run of the node lane only.
func laneNotes(r run.Run, f Figures) []string {
	if !r.Uses(run.VirtualLane) {
		return nil
	}
	all := []string{VirtualLimits}
	if f.Virtual != nil {
		all[0] += " " + f.Virtual.models()
	}
	if f.Lanes != nil {
		all = append(all, f.Lanes.String())
	}
	return all
}

// VirtualFigures is the cost of the virtual lane.
type VirtualFigures struct {
	// Attempts is the number of attempts.
	Attempts int `json:"attempts"`
	// Wall is the time from the start of the first attempt to the end of the last one. Sum adds up the
	// durations of all attempts; several run at a time.
	Wall time.Duration `json:"wall"`
	Sum  time.Duration `json:"sum"`
	// Virtual adds up the virtual time of all attempts, each from the creation of its pod.
	Virtual time.Duration `json:"virtual"`
	// Ratio is Virtual over Wall.
	Ratio float64 `json:"ratio"`
	// Longest is the virtual time of the longest conclusive attempt. A node lane takes at least that long,
	// although it runs all trials at once.
	Longest time.Duration `json:"longest,omitempty"`
	// Claims is the number of judged claims. Modelled is how many of them are rules of a component that the
	// virtual lane models.
	Claims   int `json:"claims"`
	Modelled int `json:"modelled"`
}

// virtualFigures sums up the virtual lane, nil if nothing ran in it.
func virtualFigures(r run.Run) *VirtualFigures {
	var f VirtualFigures
	var first, last time.Time
	for _, o := range r.In(run.VirtualLane).Outcomes {
		for _, claim := range FindingsOf(o) {
			f.Claims++
			if modelled(claim.Of) {
				f.Modelled++
			}
		}
		for _, a := range o.Attempts {
			if a.Took == 0 { // what was judged of the run as a whole
				continue
			}
			if run.Conclusive(a.Result.Verdict) {
				f.Longest = max(f.Longest, a.Virtual)
			}
			f.Attempts++
			f.Sum += a.Took
			f.Virtual += a.Virtual
			if first.IsZero() || a.Started.Before(first) {
				first = a.Started
			}
			if end := a.Started.Add(a.Took); end.After(last) {
				last = end
			}
		}
	}
	if f.Attempts == 0 {
		return nil
	}
	if f.Wall = last.Sub(first); f.Wall > 0 {
		f.Ratio = f.Virtual.Seconds() / f.Wall.Seconds()
	}
	return &f
}

// pace returns in words how fast the virtual lane was, and compares it with a node lane. The sum of all trials
// is a weak comparison, because no lane runs them one after another.
func (f VirtualFigures) pace() string {
	s := "Virtual lane: " + faster(f.Wall, f.Virtual, " of virtual time", f.Attempts) + "."
	if f.Longest > 0 && f.Wall > 0 {
		s += fmt.Sprintf(
			" A node lane, which runs all at once, takes at least as long as the longest of them, %s: %s times "+
				"as long.",
			FormatDuration(f.Longest),
			factor(f.Longest.Seconds()/f.Wall.Seconds()),
		)
	}
	return s
}

// faster compares the time that a lane took with the sum of its runs' times. The words are the same for both
// lanes. The sum is in the lane's own time, each run from the creation of its pod.
func faster(wall, sum time.Duration, of string, runs int) string {
	s := fmt.Sprintf(
		"%s of real time for %s%s, the sum of %s one after another",
		FormatDuration(wall),
		FormatDuration(sum),
		of,
		run.Plural(runs, "run"),
	)
	if wall > 0 {
		s += fmt.Sprintf(": %s times as fast as that", factor(sum.Seconds()/wall.Seconds()))
	}
	return s
}

// factor formats a ratio with at least two digits.
func factor(ratio float64) string {
	if ratio < 10 {
		return fmt.Sprintf("%.1f", ratio)
	}
	return fmt.Sprintf("%.0f", ratio)
}

// models returns how many of the virtual lane's claims are about models.
func (f VirtualFigures) models() string {
	return fmt.Sprintf(
		"%d of its %s are about the container runtime or the API server. It has only models of them, so the lists "+
			"of claims mark them (model).", f.Modelled, run.Plural(f.Claims, "claim"),
	)
}
