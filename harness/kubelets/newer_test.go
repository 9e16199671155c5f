package kubelets_test

import (
	"flag"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/onsi/gomega"
	"golang.org/x/mod/semver"

	"github.com/podclock/podclock/harness/rules/formula"
)

var newer = flag.Bool("newer", false, "ask the module proxy for releases that podclock does not know")

// patchesAhead is how many patches after the newest known one are asked for. One of them may be missing: a release can
// be skipped.
const patchesAhead = 3

// TestNoNewerRelease fails if the module proxy has a newer patch of a known branch, or a newer branch. Each night asks.
// A proxy's list may leave out versions that it serves, so the next ones are also asked for by name.
func TestNoNewerRelease(t *testing.T) {
	if !*newer {
		t.Skip("-newer asks the module proxy")
	}
	list := func(args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-m"}, args...)...)
		cmd.Dir = t.TempDir()
		out, err := cmd.Output()
		return string(out), err
	}
	out, err := list("-versions", "k8s.io/kubernetes")
	gomega.NewWithT(t).Expect(err).NotTo(gomega.HaveOccurred())
	released := strings.Fields(out)[1:]
	for _, known := range formula.Patches() {
		var patch int
		_, err := fmt.Sscanf(strings.TrimPrefix(known, semver.MajorMinor(known)), ".%d", &patch)
		gomega.NewWithT(t).Expect(err).NotTo(gomega.HaveOccurred())
		for i := range patchesAhead {
			next := fmt.Sprintf("%s.%d", semver.MajorMinor(known), patch+1+i)
			if _, err := list("k8s.io/kubernetes@" + next); err == nil {
				released = append(released, next)
			}
		}
	}
	newest := map[string]string{}
	for _, v := range released {
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
