package export

import (
	"bytes"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/reports/cli/shell"
	"github.com/podclock/podclock/suites"
)

func call(t *testing.T, args ...string) (code int, out, log string) {
	t.Helper()
	c := Command(suites.Catalogue, cobra.NoFileCompletions)
	var o, l bytes.Buffer
	c.SetArgs(args)
	c.SetOut(&o)
	c.SetErr(&l)
	c.SilenceUsage, c.SilenceErrors = true, true
	code = shell.ExitCode(c.ExecuteContext(t.Context()), &l)
	return code, o.String(), l.String()
}

const (
	virtual = "../../../suites/testdata/runs/1edaae43.json.gz"
	node    = "../../../suites/testdata/runs/add77af5.json.gz"
)

func TestStagesOfASavedRun(t *testing.T) {
	g := NewWithT(t)
	code, out, log := call(t, "kwok", virtual)
	g.Expect(code).To(Equal(run.ExitConforms), log)
	g.Expect(out).To(And(HavePrefix("# Measured on virtual:v1.37.2 in the run 20261128-060643.\n"),
		ContainSubstring("# restart: from a crash to the next start, besides the back-off, 11 values, "),
		ContainSubstring("name: podclock-end-1\n")))
	_, again, _ := call(t, "kwok", virtual, "--subject=virtual:v1.37.2")
	g.Expect(again).To(Equal(out))
}

func TestWhatCannotBeExported(t *testing.T) {
	two := filepath.Join(t.TempDir(), "two.json.gz")
	r, err := run.Load(node)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	r.Subjects = append(r.Subjects, run.Subject{Name: "v1.36.3"})
	NewWithT(t).Expect(run.SaveCompressed(two, r)).To(Succeed())
	for name, tt := range map[string]struct {
		args []string
		says string
	}{
		"no crash":      {[]string{"kwok", node}, "v1.37.2 has no container that crashed and started again: play more trials"},
		"two subjects":  {[]string{"kwok", two}, "choose one subject of " + two + " with --subject: v1.37.2, v1.36.3\n"},
		"no subject":    {[]string{"kwok", two, "--subject=v1"}, "with --subject: v1.37.2, v1.36.3\n"},
		"not this one":  {[]string{"kwok", node, "--subject=v1"}, "with --subject: v1.37.2\n"},
		"no run":        {[]string{"kwok", "/nowhere"}, "no saved run at /nowhere"},
		"no such tool":  {[]string{"kind"}, `unknown format "kind": export --help lists them`},
		"nothing named": {[]string{"kwok"}, "an argument is missing: call it as export kwok RUN"},
	} {
		code, out, log := call(t, tt.args...)
		NewWithT(t).Expect(code).To(Equal(run.ExitUnjudged), name)
		NewWithT(t).Expect(out).To(BeEmpty(), name)
		NewWithT(t).Expect(log).To(ContainSubstring(tt.says), name)
	}
}
