package difference

import (
	"strings"

	"github.com/podclock/podclock/harness/kubelets/drift"
	"github.com/podclock/podclock/reports/view"
)

// Drift has the formulas whose functions changed between two sources of Kubernetes.
type Drift drift.Report

// Report is the drift in words: each function that is gone or changed, with its formulas and its difference.
func (r Drift) Report() view.Report {
	report := view.Report{Title: drift.Report(r).Summary()}
	add := func(title string, formulas []string, diff string) {
		report.Sections = append(report.Sections, view.Section{
			Title: title, Lines: view.LinesOf(strings.Join(formulas, ", ")),
			Block: view.Block{Language: "diff", Text: diff},
		})
	}
	for _, g := range r.Gone {
		add(g.String(), g.Formulas, "")
	}
	for _, f := range r.Changed {
		add(f.Name, f.Formulas, f.Diff)
	}
	if len(r.Elsewhere) > 0 {
		add(drift.ElsewhereNote, r.Elsewhere, "")
	}
	return report
}
