package listing

import (
	"fmt"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/podclock/podclock/harness/rules/formula"
)

const versionsIntroduction = `# Versions

"make versions-md" writes this page from changes.go in harness/rules/formula. Formulas ask for these changes, not for
versions. A cell says in which patches of a minor release a change is on by default: "all", "2+" from patch 2 on, "0–2"
in these, "–" in none. A feature gate that the kubelet reports decides instead.

The sources of each branch were read: its first patch, the patch in the column's head, and those between where the two
differ. A change whose cell is "?" was not read there. A newer patch or minor release is judged like the newest one that
was read, and its verdicts are marked *extrapolated*.

`

const versionsRoutine = `
## Supporting the next release

Every alpha, beta and candidate that the module proxy has is a subject, also of the branch after the newest known
one. If it needs a newer Go than the installed one, the go command downloads that version for its builds.

Before the release, for v1.38.0-beta.0:

1. ''podclock run --lane=virtual --subjects=v1.38.0-beta.0 --focus=termination/grace-1'' compiles the virtual node.
   Lines of harness/virtual/_node that do not compile are in the error: here two. An edit of Go's source that does
   not apply is in harness/kubelets/builder/order.go: here none. The build compiles everything, because Go is
   another one.
2. ''podclock drift v1.37.2 v1.38.0-beta.0'' lists the functions that differ, each with its formulas, in 3 s. Read
   each one. A formula that no longer holds asks for a ''Change'' in harness/rules/formula/changes.go, ''Since:
   "v1.38.0-beta.0"''.
3. ''podclock run --lane=virtual --subjects=v1.38.0-beta.0 --profile=full'' plays the catalogue in 2 min 16 s. Each
   deviation becomes a ''Change'' or a report in docs/upstream: here six, of three changes.
4. ''podclock run --subjects=v1.38.0-beta.0'' plays the quick trials on a real node, under the control plane of that
   release: its kubelet, API server, controller manager and scheduler compile first, for minutes. If the module
   proxy lacks one of their modules, the run says so, and keeps the control plane of v1.37.2.

After the release, for v1.38.0:

1. Name it in ''Versions'' and ''Patches'' (harness/rules/formula/releases.go), ''NewestKnown'' (kubelet.go),
   ''everyBranch'' (change.go) and ''VirtualVersions'' (harness/kubelets/versions.go).
2. Pin its modules in harness/virtual/kubernetes/v1.38.0 and images/node/kubernetes. The former pins of the node
   image move to images/kubelet.
3. ''go test ./harness/kubelets/...'' names each mutation that does not match the new source.
4. ''go test -run=TestVirtualNode ./harness/kubelets/builder -virtual=v1.38.0'' runs the virtual node's own tests.
5. ''make versions-md catalogue-md changes-md'' writes the documents.
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
