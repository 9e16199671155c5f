package drift

import (
	"bytes"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/host/screen"
	"github.com/podclock/podclock/harness/kubelets/drift"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/reports/render/markdown"
	"github.com/podclock/podclock/reports/render/terminal"
	"github.com/podclock/podclock/reports/view/difference"
)

var report = drift.Report{
	Old: "v1.36.3", New: "./kubernetes", Compared: 163, Drifted: []string{"probes/first-probe", "probes/no-kill"},
	Elsewhere: []string{"termination/exit-code"},
	Changed: []drift.Function{{
		Name: "pkg/kubelet/prober/worker.go doProbe", Formulas: []string{"probes/first-probe", "probes/no-kill"},
		Diff: "--- v1.36.3\n+++ ./kubernetes\n@@ -1 +1 @@\n-a\n+b\n",
	}},
	Gone: []drift.Gone{{
		Name: "pkg/kubelet/kubelet.go Run", Tree: "./kubernetes", Why: "the file does not declare it",
		Formulas: []string{"kubelet/exits"},
	}},
}

func TestOnScreen(t *testing.T) {
	g := NewWithT(t)
	var b bytes.Buffer
	g.Expect(terminal.Report(&b, difference.Drift(report).Report(), screen.Screen{Width: 80})).To(Succeed())
	g.Expect(b.String()).To(Equal(`
./kubernetes has no pkg/kubelet/kubelet.go Run: the file does not declare it.
  kubelet/exits

pkg/kubelet/prober/worker.go doProbe
  probes/first-probe, probes/no-kill
--- v1.36.3
+++ ./kubernetes
@@ -1 +1 @@
-a
+b

These formulas were read only in other projects, which are not compared:
  termination/exit-code

2 of 163 formulas were read in functions that changed between v1.36.3 and
  ./kubernetes; one function is gone.
`))
}

func TestMarkdown(t *testing.T) {
	g := NewWithT(t)
	var b bytes.Buffer
	g.Expect(markdown.Report(&b, difference.Drift(report).Report())).To(Succeed())
	g.Expect(b.String()).To(HavePrefix("# 2 of 163 formulas were read in functions that changed between v1.36.3 and " +
		"./kubernetes; one function is gone.\n"))
	g.Expect(b.String()).To(ContainSubstring("\n## pkg/kubelet/prober/worker.go doProbe\n\n" +
		"- probes/first-probe, probes/no-kill\n\n```diff\n--- v1.36.3\n"))
}

func TestExitCodes(t *testing.T) {
	g := NewWithT(t)
	g.Expect(exitCode(report)).To(Equal(1))
	g.Expect(exitCode(drift.Report{Changed: report.Changed})).To(Equal(3))
	g.Expect(exitCode(drift.Report{})).To(Equal(0))
}

func TestBadInput(t *testing.T) {
	for _, args := range [][]string{{"./nowhere", "v1.37.2"}, {"v1.10.0", "."}} {
		c := Command()
		var out bytes.Buffer
		c.SetArgs(args)
		c.SetOut(&out)
		c.SetErr(&out)
		c.SilenceUsage, c.SilenceErrors = true, true
		err := c.ExecuteContext(t.Context())
		g := NewWithT(t)
		g.Expect(err).To(MatchError(HavePrefix(args[0] + ": ")))
		g.Expect(shell.ExitCode(err, &out)).To(Equal(2))
	}
}
