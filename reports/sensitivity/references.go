package sensitivity

import (
	"fmt"

	"github.com/podclock/podclock/harness/detection"
)

// Linked makes links of the references in a text.
func Linked(s string) string {
	return detection.IssuePattern.ReplaceAllStringFunc(s, func(one string) string {
		return fmt.Sprintf("[%s](%s)", one, URL(one))
	})
}

// URL returns the address of a reference such as "kubernetes#115817", empty if the text is anything else.
func URL(reference string) string {
	parts := detection.IssuePattern.FindStringSubmatch(reference)
	if parts == nil || parts[0] != reference {
		return ""
	}
	kind := "issues" // GitHub redirects if it is a pull request
	if parts[2] != "#" {
		kind = "pull"
	}
	return fmt.Sprintf("https://github.com/kubernetes/%s/%s/%s", parts[1], kind, parts[3])
}

// FirstNumber is the number of a text's first reference, by which bugs are ordered: the oldest first.
func FirstNumber(s string) int {
	n := 0
	if parts := detection.IssuePattern.FindStringSubmatch(s); parts != nil {
		_, _ = fmt.Sscan(parts[3], &n)
	}
	return n
}
