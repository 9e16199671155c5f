package diff

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/spf13/cobra"

	runs "github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/virtual/trace"
	"github.com/podclock/podclock/harness/virtual/wire"
	"github.com/podclock/podclock/reports/cli/shell"
)

// saved saves a run with one trace of each subject, whose only call comes at a time.
func saved(t *testing.T, dir string, at int64, subjects ...string) string {
	t.Helper()
	g := NewWithT(t)
	out, id, err := runs.NewFolder(dir, "", time.Unix(1_700_000_000, 0))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(runs.Save(out, runs.Run{ID: id}, nil)).To(Succeed())
	w, err := trace.Create(out)
	g.Expect(err).NotTo(HaveOccurred())
	for i, s := range subjects {
		w.Add(trace.New("area/name", s, 1, trace.Origin{}, []trace.Entry{
			{At: at + int64(i), Kind: wire.KindCRI, What: "StopContainer"},
		}))
	}
	g.Expect(w.Close()).To(Succeed())
	return out
}

func ran(args ...string) (code int, out, log string) {
	var o, l bytes.Buffer
	c := Command(nil, cobra.NoFileCompletions)
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(args)
	c.SetOut(&o)
	c.SetErr(&l)
	code = shell.ExitCode(c.Execute(), &l)
	return code, o.String(), l.String()
}

func TestExitCodes(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	one, two := saved(t, dir, 1, "a"), saved(t, dir, 5, "a")
	both := saved(t, dir, 1, "a", "b")

	code, out, _ := ran(one, one)
	g.Expect(code).To(Equal(runs.ExitConforms))
	g.Expect(out).To(HaveSuffix("nothing changed in 1 trace.\n"))

	code, out, _ = ran(one, two)
	g.Expect(code).To(Equal(runs.ExitChanged))
	g.Expect(out).To(ContainSubstring("1 trial: moved call StopContainer\n  +4ns (1 trace)\n"))
	g.Expect(strings.Join(strings.Fields(out), " ")).
		To(HaveSuffix("From a in " + one + " to a in " + two + ": 1 change, 1 of 1 trace differ."))

	code, out, _ = ran(both, "--subjects=a,b", "-o", "json")
	g.Expect(code).To(Equal(runs.ExitChanged))
	g.Expect(out).To(ContainSubstring(`"change": "moved"`))

	code, out, _ = ran(one, both, "--subjects=a", "-o", "markdown")
	g.Expect(code).To(Equal(runs.ExitConforms))
	g.Expect(out).To(HavePrefix("# From a in "))
}

func TestBadInput(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	both := saved(t, dir, 1, "a", "b")
	without, _, err := runs.NewFolder(dir, "", time.Unix(1_700_000_000, 0))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(runs.Save(without, runs.Run{ID: filepath.Base(without)}, nil)).To(Succeed())
	for message, args := range map[string][]string{
		"nothing to compare with: name another run":     {both},
		"two subjects can be compared, BEFORE,AFTER":    {both, "--subjects=a,b,c"},
		"it has traces of a, b: choose with --subjects": {both, both},
		"it has traces of a, b: choose with":            {both, "--subjects=a,c"},
		"no traces: only runs in the virtual lane have": {both, without, "--subjects=a"},
		"no such file or directory":                     {filepath.Join(dir, "nowhere"), both},
	} {
		code, _, log := ran(args...)
		g.Expect(code).To(Equal(runs.ExitUnjudged), message)
		g.Expect(log).To(ContainSubstring(message))
	}
}
