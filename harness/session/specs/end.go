package specs

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"

	"github.com/podclock/podclock/harness/trial"
)

// end turns a verdict into a spec's end: what was not judged is skipped, never passed.
func end(o trial.Outcome) {
	AddReportEntry("verdict", string(o.Verdict), ReportEntryVisibilityFailureOrVerbose)
	switch o.Verdict {
	case trial.Conforms, trial.Divergent:
	case trial.Deviates:
		Fail(explain(o))
	default:
		Skip(string(o.Verdict) + ": " + explain(o))
	}
}

// explain says why an outcome is what it is.
func explain(o trial.Outcome) string {
	var lines []string
	if o.Why != "" {
		lines = append(lines, o.Why)
	}
	if last := o.Last(); last != nil {
		for _, f := range last.Result.Findings {
			if f.Verdict == o.Verdict {
				lines = append(lines, f.Claim+": "+f.Why)
				if f.Diagnosis != nil {
					lines = append(lines, fmt.Sprintf("as if %s (%s)", f.Diagnosis.Name, f.Diagnosis.Reference))
				}
			}
		}
	}
	return strings.Join(lines, "\n")
}
