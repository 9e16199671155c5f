package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	runs "github.com/podclock/podclock/harness/measure/run"
)

// offered returns the completions of a command line without their descriptions.
func offered(t *testing.T, args ...string) []string {
	t.Helper()
	lines := strings.Split(call(t.Context(), append([]string{"__complete"}, args...)...).out, "\n")
	var words []string
	for _, line := range lines {
		if strings.HasPrefix(line, ":") {
			return words // the directive ends the list
		}
		word, _, _ := strings.Cut(line, "\t")
		words = append(words, word)
	}
	t.Fatalf("no directive ends the completions of %q: %q", args, lines)
	return nil
}

func TestCompletionOfWhatIsKnown(t *testing.T) {
	for name, tt := range map[string]struct {
		args []string
		want any
	}{
		"commands": {[]string{"sub"}, ConsistOf("subjects")},
		"versions": {[]string{"run", "--subjects", ""},
			ContainElements("v1.37.2", "v1.36.5", "v1.36.3", "v1.23.17", "v1.23.1", "virtual:v1.36.5")},
		"the next of a list": {[]string{"run", "--subjects", "v1.37.2,virtual:v1.35"},
			ConsistOf("v1.37.2,virtual:v1.35.8", "v1.37.2,virtual:v1.35.4")},
		"none twice": {[]string{"run", "--subjects", "v1.37.2,v1.37"}, BeEmpty()},
		"a version's mutations": {[]string{"run", "--subjects", "v1.37.2+resultrun-o"},
			ConsistOf("v1.37.2+resultrun-one")},
		"only those it has": {[]string{"run", "--subjects", "v1.23.1+hook-not-sub"}, BeEmpty()},
		"a trial": {[]string{"run", "--focus", "termination/hook-h"},
			ContainElement("termination/hook-hangs")},
		"a trial's listing": {[]string{"catalogue", "termination/hook-hang"},
			ContainElement("termination/hook-hangs")},
		"labels": {[]string{"run", "--label-filter", "crash"}, ConsistOf("crash-loop")},
		"lanes":  {[]string{"mutants", "--lane", ""}, ConsistOf("node", "virtual", "both")},
		"mutants": {[]string{"mutants", "--mutants", "resultrun-one,no-minimum"},
			ConsistOf("resultrun-one,no-minimum-grace")},
		"disturbances":      {[]string{"disturb", "--disturbances", "cpu,ku"}, ConsistOf("cpu,kubelet")},
		"formats":           {[]string{"judge", "out", "-o", ""}, ConsistOf("text", "json", "yaml", "markdown")},
		"no file for a run": {[]string{"run", ""}, BeEmpty()},
		"the formats":       {[]string{"report", "out", "--format", "html,ju"}, ConsistOf("html,junit")},
		"subjects to fuzz":  {[]string{"fuzz", "--subjects", "virtual:v1.37"}, ConsistOf("virtual:v1.37.2")},
		"subjects to build": {[]string{"build", "virtual:v1.37"}, ConsistOf("virtual:v1.37.2")},
	} {
		t.Run(name, func(t *testing.T) { NewWithT(t).Expect(offered(t, tt.args...)).To(tt.want.(OmegaMatcher)) })
	}
}

func TestCompletionOfRuns(t *testing.T) {
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	for _, id := range []string{"20260302-095800", "20260303-095800"} {
		g.Expect(os.MkdirAll(filepath.Join("out", id), 0o755)).To(Succeed())
		g.Expect(runs.Save(filepath.Join("out", id), runs.Run{ID: id}, nil)).To(Succeed())
	}
	g.Expect(os.MkdirAll("out/no-run", 0o755)).To(Succeed())
	g.Expect(offered(t, "judge", "out/2026")).To(Equal([]string{"out/20260302-095800", "out/20260303-095800"}))
	g.Expect(offered(t, "divergences", "out/20260303")).To(Equal([]string{"out/20260303-095800"}))
}

// TestCompletionScripts leaves the scripts themselves to cobra.
func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		got := call(t.Context(), "completion", shell)
		NewWithT(t).Expect(got.out).To(ContainSubstring("__complete"), shell)
	}
}
