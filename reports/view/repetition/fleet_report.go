package repetition

import (
	"fmt"
	"strings"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/reports/view"
)

// Title is the result in one line.
func (f Fleet) Title() string {
	var deviating []string
	for _, n := range f.Nodes {
		if n.Deviates() {
			deviating = append(deviating, n.Name)
		}
	}
	verb := "deviate"
	if len(deviating) == 1 {
		verb = "deviates"
	}
	title := fmt.Sprintf("Fleet of %s: %d %s", run.Plural(f.Asked, "node"), len(deviating), verb)
	if len(deviating) > 0 {
		title += " (" + listed(deviating) + ")"
	}
	if n := f.unjudged(); n > 0 {
		title += fmt.Sprintf(", %d not judged", n)
	}
	if open := f.Asked - len(f.Nodes); open > 0 {
		title += fmt.Sprintf(", %d not reached", open)
	}
	return title
}

// mostNamed is the number of nodes that a title names.
const mostNamed = 5

func listed(names []string) string {
	if more := len(names) - mostNamed; more > 0 {
		return strings.Join(names[:mostNamed], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(names, ", ")
}

// Report is the fleet in words.
func (f Fleet) Report() view.Report {
	groups := view.Section{ID: "groups", Title: "Groups", Header: []string{"group", "nodes", "deviate", "not judged"}}
	for _, g := range f.Groups {
		groups.AddRow(g.Name, g.Nodes, g.Deviate, g.Unjudged)
	}
	deviating := view.Section{ID: "deviating", Title: "Nodes that deviate",
		Header: []string{"node", "trials", "the first trial", "reason", "wave"}}
	unjudged := view.Section{ID: "unjudged", Title: "Nodes that were not judged",
		Header: []string{"node", "why", "wave"}}
	for _, n := range f.Nodes {
		switch {
		case n.Deviates():
			deviating.AddRow(n.Name, len(n.Deviations), n.Deviations[0], n.Reasons[0], n.Wave)
		case n.Unjudged != "":
			unjudged.AddRow(n.Name, n.Unjudged, n.Wave)
		}
	}
	outliers := view.Section{ID: "outliers", Title: "Nodes unlike the others of their group",
		Note: fmt.Sprintf("Values farther from the middle half of the group than %d times its width and %s. They can "+
			"be inside their windows: no verdict depends on this.", fences,
			view.FormatValue(formula.Nanoseconds, farFrom)),
		Header: []string{"node", "claims", "the farthest", "measured", "middle half of the group"}}
	for _, o := range f.Outliers {
		value := func(v int64) string { return view.FormatValue(formula.Nanoseconds, v) }
		outliers.AddRow(o.Node, o.Claims, o.Trial+": "+o.Claim, value(o.Measured),
			value(o.Group.Q1)+" to "+value(o.Group.Q3))
	}
	problems := view.Section{ID: "problems", Title: "Problems", Lines: view.LinesOf(f.Problems...)}
	return view.Report{
		Title: f.Title(), Size: fmt.Sprintf("Exit code %d: %s", f.ExitCode, f.ExitReason()),
		Sections: view.Shown(problems, groups, deviating, unjudged, outliers),
	}
}

// ClaimsReport has the distribution of every claim over the nodes of each group.
func (f Fleet) ClaimsReport() view.Report {
	r := Rounds{Claims: f.Claims}
	for _, g := range f.Groups {
		r.Kubelets = append(r.Kubelets, roundsKubelet{Kubelet: g.Name})
	}
	return r.ClaimsReport()
}
