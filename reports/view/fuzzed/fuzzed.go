// Package fuzzed reports random scenarios: a summary for a terminal, and a report of everything as Markdown.
package fuzzed

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/podclock/podclock/harness/fuzz"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
)

// The files of a report, and the beginning of its folder's name.
const (
	MarkdownFile = "fuzz.md"
	JSONFile     = "fuzz.json"
	Prefix       = "fuzz-"
)

// Answer is the result of random scenarios on some subjects.
type Answer struct {
	// Seed is the seed of the first scenario, Scenarios the requested number for each subject.
	Seed      uint64 `json:"seed"`
	Scenarios int    `json:"scenarios"`
	// Predictions is true if the pods were predicted as well.
	Predictions bool      `json:"predictions"`
	Subjects    []Subject `json:"subjects"`
	// Problem is why there are no more subjects or scenarios, empty if all ran.
	Problem string `json:"problem,omitempty"`
}

// Subject is the result of one subject.
type Subject struct {
	Name   string      `json:"name"`
	Report fuzz.Report `json:"report"`
	// Lacks are what the scenarios did not show, one sentence each.
	Lacks []string `json:"lacks,omitempty"`
	// Predicted is what was compared with predictions, nil without predictions.
	Predicted *fuzz.Predicted `json:"predicted,omitempty"`
	// Wide are the formulas and answers whose windows are too wide. Needless are the reasons that are listed for
	// windows that are not.
	Wide     []string `json:"wide,omitempty"`
	Needless []string `json:"needless,omitempty"`
}

// ExitCode returns the program's exit code: 1 if a claim or a prediction does not hold, otherwise 2 if a scenario has
// no verdict or something was not shown.
func (a Answer) ExitCode() int {
	code := run.ExitConforms
	if a.Problem != "" || len(a.Subjects) == 0 {
		code = run.ExitUnjudged
	}
	for _, s := range a.Subjects {
		switch {
		case s.deviates():
			return run.ExitDeviates
		case len(s.Report.Violations) > 0 || len(s.Lacks) > 0:
			code = run.ExitUnjudged
		}
	}
	return code
}

func (s Subject) deviates() bool {
	for _, v := range s.Report.Violations {
		if v.Verdict == trial.Deviates {
			return true
		}
	}
	return len(s.Wide)+len(s.Needless) > 0
}

// ExitReason returns why the exit code is what it is.
func (a Answer) ExitReason() string {
	what := "a claim"
	if a.Predictions {
		what = "a claim or a prediction"
	}
	switch {
	case a.ExitCode() == run.ExitDeviates:
		return what + " does not hold"
	case a.Problem != "":
		return a.Problem
	case a.ExitCode() == run.ExitUnjudged:
		return "no claim is violated, but some scenarios have no verdict or are missing"
	case a.Predictions:
		return "every claim and every prediction holds"
	}
	return "every claim holds"
}

// title returns the result of a subject in one line.
func (s Subject) title() string {
	found := "no violation"
	switch n := len(s.Report.Violations); {
	case n == 1:
		found = "1 kind of violation"
	case n > 1:
		found = fmt.Sprintf("%d kinds of violations", n)
	}
	return fmt.Sprintf("%s: %s, %s, %s", s.Name, run.Plural(s.Report.Scenarios, "scenario"),
		run.Plural(s.Report.Claims, "claim"), found)
}

// lines returns the result of a subject in a few lines, without its violations.
func (s Subject) lines() (all []string) {
	r := s.Report
	verdicts := ""
	for _, v := range slices.Sorted(maps.Keys(r.Verdicts)) {
		verdicts += fmt.Sprintf("%d %s, ", r.Verdicts[v], v)
	}
	all = append(all, verdicts+pace(r))
	if p := s.Predicted; p != nil {
		all = append(all, fmt.Sprintf("%d steps and %d values compared with predictions", p.Steps, p.Values))
	}
	for _, kind := range r.Kinds() {
		all = append(all, fmt.Sprintf("%s: %s", run.Plural(r.Violations[kind].Times, "scenario"), kind))
	}
	for _, what := range s.Wide {
		all = append(all, "the window of "+what+" is more than twice as wide as what the kubelet's code does: make it "+
			"narrower, or list it in tooWide (harness/fuzz/predicted/precision.go)")
	}
	for _, why := range s.Needless {
		all = append(all, "no window is too wide because "+why+": remove it from tooWide "+
			"(harness/fuzz/predicted/precision.go)")
	}
	return append(all, s.Lacks...)
}

// pace returns how long the scenarios took.
func pace(r fuzz.Report) string {
	took := "in " + r.Took.Round(time.Second/10).String()
	if r.Took > 0 {
		took += fmt.Sprintf(", %.1f per second; %v of virtual time, %.0f times as long",
			float64(r.Scenarios)/r.Took.Seconds(), r.Virtual.Round(time.Second), r.Virtual.Seconds()/r.Took.Seconds())
	}
	return took
}
