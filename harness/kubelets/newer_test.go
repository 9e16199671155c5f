package kubelets_test

import (
	"flag"
	"os/exec"
	"strings"
	"testing"

	"github.com/onsi/gomega"
	"golang.org/x/mod/semver"

	"github.com/podclock/podclock/harness/rules/formula"
)

var newer = flag.Bool("newer", false, "ask the module proxy for releases that podclock does not know")

// TestNoNewerRelease fails if the module proxy has a newer patch of a known branch, or a newer branch. Each night asks.
func TestNoNewerRelease(t *testing.T) {
	if !*newer {
		t.Skip("-newer asks the module proxy")
	}
	list := exec.CommandContext(t.Context(), "go", "list", "-m", "-versions", "k8s.io/kubernetes")
	list.Dir = t.TempDir()
	out, err := list.Output()
	gomega.NewWithT(t).Expect(err).NotTo(gomega.HaveOccurred())
	newest := map[string]string{}
	for _, v := range strings.Fields(string(out))[1:] {
		if semver.Prerelease(v) == "" && semver.Compare(v, newest[semver.MajorMinor(v)]) > 0 {
			newest[semver.MajorMinor(v)] = v
		}
	}
	oldest := formula.Patches()[len(formula.Patches())-1]
	for branch, v := range newest {
		if known := formula.NewestPatch(branch); semver.Compare(v, known) > 0 && semver.Compare(v, oldest) > 0 {
			t.Errorf("%s is released, and podclock knows %q as the newest of %s: see docs/versions.md, \"Supporting "+
				"the next release\"", v, known, branch)
		}
	}
}
