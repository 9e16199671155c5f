package view

import (
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/run"
)

// VirtualLimits is what nobody may read out of a virtual verdict.
const VirtualLimits = "The virtual lane runs the kubelet's own code under virtual time, on models of all that is around it: " +
	"its verdicts say nothing of a container runtime, a kernel or an API server."

// laneNotes are what a reader of the verdicts must know of the lanes, nothing for a run of the node lane only.
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

// VirtualFigures are what the virtual lane cost.
type VirtualFigures struct {
	// Attempts is how often a trial was run.
	Attempts int `json:"attempts"`
	// Wall is the time from the first attempt's begin to the last one's end, Sum that of all attempts one
	// after another: several go on at a time.
	Wall time.Duration `json:"wall"`
	Sum  time.Duration `json:"sum"`
	// Virtual is the virtual time that all of them took one after another, each from its pod's creation on.
	Virtual time.Duration `json:"virtual"`
	// Ratio is Virtual over Wall.
	Ratio float64 `json:"ratio"`
	// Longest is the virtual time of the longest attempt that was conclusive: less than that no node lane
	// could take, though it runs all at once.
	Longest time.Duration `json:"longest,omitempty"`
	// Claims is how many claims were judged, Modelled how many of them are rules of what the virtual lane
	// has a model of.
	Claims   int `json:"claims"`
	Modelled int `json:"modelled"`
}

// virtualFigures sums up the virtual lane, nil where nothing ran in it.
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

// pace says in words how fast the virtual lane was, and beside what. That it is faster than one trial after
// another says little: no lane runs them so.
func (f VirtualFigures) pace() string {
	s := "Virtual lane: " + faster(f.Wall, f.Virtual, " of virtual time", f.Attempts) + "."
	if f.Longest > 0 && f.Wall > 0 {
		s += fmt.Sprintf(
			" A node lane, which runs all at once, takes at least as long as the longest of them, %s: %s times as long.",
			FormatDuration(f.Longest),
			factor(f.Longest.Seconds()/f.Wall.Seconds()),
		)
	}
	return s
}

// faster compares, in the same words for both lanes, what a lane took with the sum of what its runs took,
// each from its pod's creation on. That sum is in the lane's own time.
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

// factor writes a ratio with two digits at least.
func factor(ratio float64) string {
	if ratio < 10 {
		return fmt.Sprintf("%.1f", ratio)
	}
	return fmt.Sprintf("%.0f", ratio)
}
