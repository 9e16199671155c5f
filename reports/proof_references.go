package reports

import (
	"fmt"
	"regexp"
	"slices"
)

// reference is how the sources name a report or a change: kubernetes#115817, kubernetes PR 62853, website#43259.
var reference = regexp.MustCompile(`\b(kubernetes|website|enhancements)(#| PR )(\d+)\b`)

// reported are the reports and changes that a text names, each as its repository and number, which GitHub
// gives out once for both.
func reported(s string) (all []string) {
	for _, parts := range reference.FindAllStringSubmatch(s, -1) {
		all = append(all, parts[1]+"#"+parts[3])
	}
	return all
}

// shareReport says whether two texts name the same report, each of which may name several.
func shareReport(a, b string) bool {
	of := reported(b)
	return slices.ContainsFunc(reported(a), func(one string) bool { return slices.Contains(of, one) })
}

// linked makes links of the references in a text.
func linked(s string) string {
	return reference.ReplaceAllStringFunc(s, func(one string) string {
		parts := reference.FindStringSubmatch(one)
		kind := "issues" // which GitHub leads on from where it is a pull request
		if parts[2] != "#" {
			kind = "pull"
		}
		return fmt.Sprintf("[%s](https://github.com/kubernetes/%s/%s/%s)", one, parts[1], kind, parts[3])
	})
}

// firstNumber is the number of a text's first reference, by which bugs are ordered: the oldest first.
func firstNumber(s string) int {
	n := 0
	if parts := reference.FindStringSubmatch(s); parts != nil {
		_, _ = fmt.Sscan(parts[3], &n)
	}
	return n
}
