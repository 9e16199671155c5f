package mutationtest

import (
	"regexp"
	"slices"
)

// IssuePattern matches the name of a report or a change in the sources: kubernetes#115817, kubernetes PR 62853,
// website#43259.
var IssuePattern = regexp.MustCompile(`\b(kubernetes|website|enhancements)(#| PR )(\d+)\b`)

// reported returns the reports and changes that a text names, each as its repository and number. GitHub numbers
// both in one sequence.
func reported(s string) (all []string) {
	for _, parts := range IssuePattern.FindAllStringSubmatch(s, -1) {
		all = append(all, parts[1]+"#"+parts[3])
	}
	return all
}

// shareReport reports whether two texts name the same report.
func shareReport(a, b string) bool {
	of := reported(b)
	return slices.ContainsFunc(reported(a), func(one string) bool { return slices.Contains(of, one) })
}
