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

const versionsRoutine = `
## Supporting the next release

Every alpha, beta and candidate that the module proxy has is a subject, also of the branch after the newest known one. If it
needs a newer Go than the installed one, the go command downloads that version for its builds.

Before the release, with v1.38.0-beta.0 as the example:

| step | command | files | what it shows |
|---|---|---|---|
| compile | ''podclock run --lane=virtual --subjects=v1.38.0-beta.0 --focus=termination/grace-1'' | harness/virtual/_node, harness/kubelets/builder/order.go for another Go | the lines of the virtual node that do not compile; two for v1.38.0-beta.0 |
| read | ''podclock drift v1.37.2 v1.38.0-beta.0'' | harness/rules/formula: ''changes.go'' gets a ''Change'' with ''Since: "v1.38.0-beta.0"'' | the functions that differ, each with its formulas |
| play | ''podclock run --lane=virtual --subjects=v1.38.0-beta.0 --profile=full'' | | deviations; a verdict is *extrapolated* until the release is read |

After it, with v1.38.0 as the example:

| step | files or command |
|---|---|
| name the release | ''Versions'' and ''Patches'' (releases.go), ''NewestKnown'' (kubelet.go), ''everyBranch'' (change.go), ''VirtualVersions'' (harness/kubelets/versions.go) |
| pin its modules | harness/virtual/kubernetes/v1.38.0, images/node/kubernetes; the node image's former pins go to images/kubelet |
| anchor the mutations | ''go test ./harness/kubelets/...'' names each mutation that does not match the new source |
| test the virtual node | ''go test -run='^TestVirtualNode$' ./harness/kubelets/builder -virtual=v1.38.0'' |
| write the documents | ''make versions-md catalogue-md changes-md'' |
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
	b.WriteString(strings.ReplaceAll(versionsRoutine, "''", "`"))
	return b.String()
}
