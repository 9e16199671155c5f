package view

import (
	"fmt"

	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/harness/trial"
)

// ExitReason returns the reason of the run's exit code in one sentence.
func ExitReason(r run.Run) string {
	open := r.Count(trial.Inconclusive)
	inconclusive := fmt.Sprintf("%d of %s inconclusive", open, run.Plural(len(r.Outcomes), "verdict"))
	switch r.ExitCode() {
	case run.ExitDeviates:
		return deviating(r) + " measured what the subject's code should not compute."
	case run.ExitUnjudged:
		switch {
		case len(r.Problems) > 0:
			return "the harness could not judge: " + r.Problems[0]
		case len(r.Outcomes) == 0:
			return "the harness could not judge: there was nothing to run."
		case r.Count(trial.Conforms)+r.Count(trial.Divergent) == 0:
			return "the harness could not judge: no verdict shows whether a formula holds."
		}
		return fmt.Sprintf(
			"the harness could not judge: %s, more than %.0f %%.",
			inconclusive,
			100*run.TooMuchInconclusive,
		)
	}
	if open > 0 {
		return fmt.Sprintf(
			"no trial deviates; %s, which up to %.0f %% is allowed.",
			inconclusive,
			100*run.TooMuchInconclusive,
		)
	}
	return "no trial deviates."
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
