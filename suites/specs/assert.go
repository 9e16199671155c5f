package specs

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	gomega "github.com/onsi/gomega/types"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/render/junit"
	"github.com/podclock/podclock/reports/view"
)

// assert ends a spec by its trial's outcome. The measured numbers become report entries. A claim that only the
// documentation contradicts is a report entry, not a failure. fails reports whether an inconclusive trial fails the
// run.
func assert(o trial.Outcome, fails func() bool) {
	for _, e := range junit.Entries(o) {
		AddReportEntry(e.Name, e.GetRawValue(), e.Visibility)
	}
	switch o.Verdict {
	case trial.Unsupported:
		Skip("unsupported: " + view.ReasonOf(o))
	case trial.Inconclusive:
		if fails() {
			Fail("inconclusive: " + view.ReasonOf(o))
		}
		Skip("inconclusive: " + view.ReasonOf(o))
	}
	var misses []string
	claims := NewGomega(func(message string, _ ...int) { misses = append(misses, message) })
	for _, f := range view.FindingsOf(o) {
		switch f.Verdict {
		case trial.Inconclusive, trial.Unsupported: // the evidence allows no assertion
			continue
		case trial.Divergent:
			AddReportEntry("divergent", view.Explain(f), ReportEntryVisibilityFailureOrVerbose)
		}
		claims.Expect(f).To(BeWithin(f.Implemented))
	}
	if len(misses) > 0 {
		Fail(strings.Join(misses, "\n\n"))
	}
	Expect(o.Verdict).To(Or(Equal(trial.Conforms), Equal(trial.Divergent)), "the judge's verdict on the trial")
}

// BeWithin succeeds if the measured value of a [trial.Finding] lies in a window, such as the one that the kubelet's
// code computes. A value that never came does not. The failure message has the value, the window with its terms, the
// formula, and the known mistake that the value fits.
func BeWithin(w formula.Window) gomega.GomegaMatcher { return within{w} }

type within struct{ window formula.Window }

func (w within) Match(actual any) (bool, error) {
	f, ok := actual.(trial.Finding)
	if !ok {
		return false, fmt.Errorf("BeWithin expects a trial.Finding, not %T", actual)
	}
	return f.Measured != nil && w.window.Contains(f.Measured.Value), nil
}

func (w within) FailureMessage(actual any) string { return view.Explain(actual.(trial.Finding)) }

func (w within) NegatedFailureMessage(actual any) string {
	f := actual.(trial.Finding)
	return fmt.Sprintf("%s: measured %s, which is within %s", f.Claim, view.FormatMeasured(f), w.window)
}
