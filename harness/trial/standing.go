package trial

import (
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
)

// Standing returns the claims of every trial: that its containers start, and that no report of the kubelet contradicts
// the marks. It leaves out those for which the timeline has no report.
func (t Trial) Standing(tl *timeline.Timeline) []Claim {
	all := []Claim{
		{Measure: misreports(timeline.EndShown), Formula: formula.EndsReported},
		{Measure: misreports(timeline.EndDated), Formula: formula.EndsDated},
		{Measure: misreports(timeline.ExitCodeShown), Formula: formula.ExitCodesReported},
		{Measure: misreports(timeline.FailureCounted), Formula: formula.FailuresCounted},
	}
	if !t.evicts() {
		all = append(all, Claim{
			Measure: misreports(timeline.EndLost), Formula: formula.EndsKnown,
			Needs: []formula.Change{formula.TerminalPhaseLast},
		})
	}
	all = slices.DeleteFunc(all, func(c Claim) bool { return tl.Compared[c.Measure.report()] == 0 })
	return append(t.starts(tl), all...)
}

func (t Trial) evicts() bool {
	return t.KillCause.Evicts() || slices.ContainsFunc(t.Claims, func(c Claim) bool { return c.KillCause.Evicts() })
}

// misreports counts the reports of a kind that the marks contradict.
func misreports(r timeline.Report) Measure { return Measure{counted: counted("false-" + r)} }

// report returns the kind of report that the measure counts, or "".
func (m Measure) report() timeline.Report {
	r, ok := strings.CutPrefix(string(m.counted), "false-")
	if !ok {
		return ""
	}
	return timeline.Report(r)
}

// OfReports reports whether the measure counts misreports.
func (m Measure) OfReports() bool { return m.report() != "" }

// Misreport returns the first misreport that the measure counts, or "".
func (m Measure) Misreport(t *timeline.Timeline) string {
	i := slices.IndexFunc(t.Misreports, func(wrong timeline.Misreport) bool { return wrong.Report == m.report() })
	if i < 0 {
		return ""
	}
	return t.Misreports[i].Why
}
