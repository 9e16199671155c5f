package view

import (
	"fmt"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
)

// ExitReason returns the reason of the run's exit code in one sentence.
func ExitReason(r run.Run) string {
	unjudged, allowed := tooMuch(r)
	switch r.ExitCode() {
	case run.ExitDeviates:
		reason := deviating(r) + " measured what the subject's code should not compute"
		if unjudged != "" {
			reason += ", and " + unjudged
		}
		return reason + "."
	case run.ExitUnjudged:
		switch {
		case len(r.Problems) > 0:
			return "the harness could not judge: " + r.Problems[0]
		case len(r.Outcomes) == 0:
			return "the harness could not judge: there was nothing to run."
		case r.Count(trial.Conforms)+r.Count(trial.Divergent) == 0:
			return "the harness could not judge: no verdict shows whether a formula holds."
		}
		if all := r.LanesDisagree(); unjudged == "" && len(all) > 0 {
			return fmt.Sprintf("the harness could not judge: the lanes disagree on %s, so one of them is wrong: %s.",
				run.Plural(len(all), "verdict"), Listed(all))
		}
		return "the harness could not judge: " + unjudged + "."
	}
	if len(allowed) > 0 {
		return "no trial deviates; few enough are inconclusive: " + listed(allowed, "; ") + "."
	}
	return "no trial deviates."
}

// FirstLine returns the first line of a run's summary: its verdicts, and what fails it for being inconclusive.
func FirstLine(r run.Run) string {
	line := "Run " + r.ID + ", " + Tally(r.Outcomes)
	if unjudged, _ := tooMuch(r); unjudged != "" {
		line += "; " + unjudged
	}
	return line + "."
}

// tooMuch returns in words what fails the run for being inconclusive, or "", and what is inconclusive but does not. A
// problem of the run says more.
func tooMuch(r run.Run) (unjudged string, allowed []string) {
	var failing []string
	for _, u := range r.Unjudged() {
		if u.Fails {
			failing = append(failing, u.String())
		} else {
			allowed = append(allowed, u.String())
		}
	}
	if len(failing) > 0 && len(r.Problems) == 0 {
		unjudged = "too much is inconclusive: " + listed(failing, "; ")
	}
	return unjudged, allowed
}

// deviating returns the number of deviating trials, and of their subjects if there are several.
func deviating(r run.Run) string {
	trials, subjects := map[string]bool{}, map[string]bool{}
	for _, o := range r.Outcomes {
		if o.Verdict == trial.Deviates {
			trials[o.Trial], subjects[o.Subject] = true, true
		}
	}
	if len(subjects) > 1 {
		return fmt.Sprintf("%s on %s", run.Plural(len(trials), "trial"), run.Plural(len(subjects), "subject"))
	}
	return run.Plural(len(trials), "trial")
}
