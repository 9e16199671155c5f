package mutants

import (
	"fmt"

	"github.com/podclock/podclock/harness/mutants/mutationtest"
)

// URL returns the address of a reference such as "kubernetes#115817", empty if the text is anything else.
func URL(reference string) string {
	parts := mutationtest.IssuePattern.FindStringSubmatch(reference)
	if parts == nil || parts[0] != reference {
		return ""
	}
	kind := "issues" // GitHub redirects if it is a pull request
	if parts[2] != "#" {
		kind = "pull"
	}
	return fmt.Sprintf("https://github.com/kubernetes/%s/%s/%s", parts[1], kind, parts[3])
}
