package listing

import (
	"fmt"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/podclock/podclock/harness/rules/formula"
)

const versionsIntroduction = `# Versions

"make versions-md" writes this page from changes.go in harness/rules/formula. Formulas ask for these changes, not for versions.
A cell says in which patches of a minor release a change is on by default: "all", "2+" from patch 2 on, "0–2" in these,
"–" in none. A feature gate that the kubelet reports decides instead.

The sources of each branch were read: its first patch, the patch in the column's head, and those between where the two
differ. A change whose cell is "?" was not read there. A newer patch or minor release is judged like the newest one that
was read, and its verdicts are marked *extrapolated*.

`

// Changes returns the text of docs/versions.md: which patches of each minor release have each change.
func Changes() string {
	var b strings.Builder
	b.WriteString(versionsIntroduction)
	b.WriteString("| a kubelet with the change | reference | gate |")
	for _, newest := range formula.Minors() {
		fmt.Fprintf(&b, " %s |", strings.TrimPrefix(newest, "v"))
	}
	b.WriteString("\n" + strings.Repeat("|---", len(formula.Minors())+3) + "|\n")
	for _, c := range formula.Changes {
		gate := c.Gate
		if c.Unless != "" {
			gate = "not " + c.Unless
		}
		fmt.Fprintf(&b, "| %s | %s | %s |", cell(c.Name), c.Reference, gate)
		for _, newest := range formula.Minors() {
			in := c.InMinor(semver.MajorMinor(newest))
			if (formula.Kubelet{Version: newest}).Extrapolates(c) {
				in = "?"
			}
			fmt.Fprintf(&b, " %s |", in)
		}
		b.WriteString("\n")
	}
	return b.String()
}
