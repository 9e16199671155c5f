package sensitivity

import (
	"fmt"

	"github.com/podclock/podclock/harness/detection"
)

// Linked makes links of the references in a text.
func Linked(s string) string {
	return detection.IssuePattern.ReplaceAllStringFunc(s, func(one string) string {
		parts := detection.IssuePattern.FindStringSubmatch(one)
		kind := "issues" // which GitHub leads on from where it is a pull request
		if parts[2] != "#" {
			kind = "pull"
		}
		return fmt.Sprintf("[%s](https://github.com/kubernetes/%s/%s/%s)", one, parts[1], kind, parts[3])
	})
}

// FirstNumber is the number of a text's first reference, by which bugs are ordered: the oldest first.
func FirstNumber(s string) int {
	n := 0
	if parts := detection.IssuePattern.FindStringSubmatch(s); parts != nil {
		_, _ = fmt.Sscan(parts[3], &n)
	}
	return n
}
