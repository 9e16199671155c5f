package try

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/spf13/cobra"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/measure/run"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/session"
	"github.com/podclock/podclock/harness/virtual/trace"
	"github.com/podclock/podclock/reports/view/difference"
)

func call(of func(Needs) *cobra.Command, args ...string) error {
	command := of(Needs{Selection: func(*cobra.Command, *session.Config) {}})
	command.SetArgs(args)
	command.SetOut(io.Discard)
	command.SetErr(io.Discard)
	command.SilenceUsage, command.SilenceErrors = true, true
	return command.Execute()
}

// Bad input gets one line before anything is built.
func TestBadInput(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("empty", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		of   func(Needs) *cobra.Command
		args []string
		says string
	}{
		"a folder that is no tree": {Command, []string{"./empty"}, "no source tree of Kubernetes: it has no go.mod"},
		"no folder":                {Command, []string{"./nowhere"}, "a binary can't run in virtual time"},
		"a release without a base": {Command, []string{"v1.37.2"}, `"v1.37.2" is no source tree`},
		"two trees":                {Command, []string{"v1.37.2,v1.36.3"}, "is no source tree"},
		"an unknown base": {
			Command, []string{"v1.37.2", "--against=v1.99"}, `there is no virtual node "v1.99"`,
		},
		"few seeds":   {Changes, []string{"v1.36.3", "v1.37.2", "--seeds=3"}, "--seeds=3: it must be at least 8"},
		"one release": {Changes, []string{"v1.37.2"}, "v1.37.2 alone has no neighbour"},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(call(c.of, c.args...)).To(MatchError(ContainSubstring(c.says)))
		})
	}
	code := call(Command, "./empty", "--bisect")
	NewWithT(t).Expect(code).To(MatchError(ContainSubstring("125")), "git bisect skips it")
}

func TestFailOn(t *testing.T) {
	outcome := func(subject string, verdict trial.Verdict) run.Outcome {
		result := trial.Result{Verdict: verdict}
		return run.Outcome{Trial: "t", Subject: subject, Verdict: verdict, Attempts: []run.Attempt{{Result: result}}}
	}
	side := func(subject, does string) trace.Side {
		entries := []trace.Entry{{Kind: "cri", What: does}}
		return trace.Side{Name: subject, Traces: []trace.Trace{{Trial: "t", Subject: subject, Entries: entries}}}
	}
	for name, c := range map[string]struct {
		before, after              trial.Verdict
		changed, verdict, deviates int
	}{
		"only a trace": {trial.Conforms, trial.Conforms, run.ExitChanged, run.ExitConforms, run.ExitConforms},
		"a verdict":    {trial.Divergent, trial.Conforms, run.ExitChanged, run.ExitChanged, run.ExitConforms},
		"a deviation":  {trial.Conforms, trial.Deviates, run.ExitDeviates, run.ExitDeviates, run.ExitDeviates},
	} {
		t.Run(name, func(t *testing.T) {
			r := run.Run{Outcomes: []run.Outcome{outcome("base", c.before), outcome("tree", c.after)}}
			a := difference.Of(r, side("base", "StopContainer"), side("tree", "StartContainer"))
			codes := map[string]int{failChanged: c.changed, failVerdict: c.verdict, failDeviates: c.deviates}
			for on, code := range codes {
				NewWithT(t).Expect(options{failOn: &on}.code(a)).To(Equal(code), on)
			}
		})
	}
}

// The base of a tree is the newest release that its commit contains.
func TestBase(t *testing.T) {
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	folder := filepath.Join("kubernetes", "staging", "src", "k8s.io", "component-base")
	g.Expect(os.MkdirAll(folder, 0o755)).To(Succeed())
	for file, text := range map[string]string{
		"kubernetes/go.mod": "module k8s.io/kubernetes\n", filepath.Join(folder, "go.mod"): "module x\n",
	} {
		g.Expect(os.WriteFile(file, []byte(text), 0o644)).To(Succeed())
	}
	git := func(args ...string) {
		command := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@x"}, args...)...)
		command.Dir = "kubernetes"
		out, err := command.CombinedOutput()
		g.Expect(err).NotTo(HaveOccurred(), string(out))
	}
	base := func(against string) string {
		subjects, err := kubelets.ParseSubjects(run.VirtualLane, "./kubernetes")
		g.Expect(err).NotTo(HaveOccurred())
		found, err := options{against: against}.base(subjects[0])
		g.Expect(err).NotTo(HaveOccurred())
		return found
	}
	git("init", "--quiet")
	git("add", ".")
	git("commit", "--quiet", "--message=release")
	git("tag", "v1.36.3")
	git("commit", "--quiet", "--allow-empty", "--message=change")
	g.Expect(base("")).To(Equal("v1.36.3"), "the release itself")
	g.Expect(base("HEAD~1")).To(Equal("./kubernetes@HEAD~1"))
	g.Expect(base("./kubernetes@HEAD")).To(Equal("./kubernetes@HEAD"))
	git("tag", "v1.36.4-podclock")
	g.Expect(base("")).To(Equal("./kubernetes@v1.36.4-podclock"), "a tag that is no release podclock builds")

	g.Expect(os.RemoveAll("kubernetes/.git")).To(Succeed())
	g.Expect(os.Mkdir("kubernetes/CHANGELOG", 0o755)).To(Succeed())
	g.Expect(os.WriteFile("kubernetes/CHANGELOG/CHANGELOG-1.36.md", []byte("# v1.36.3\n"), 0o644)).To(Succeed())
	g.Expect(base("")).To(Equal("v1.36.3"), "the tree's own version, without git")
}
