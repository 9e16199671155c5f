package drift

import (
	"os"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/mod/semver"

	"github.com/podclock/podclock/harness/kubelets/builder"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Every function that a formula names is in every release, or the formulas know where it was before. The test needs the
// sources of Kubernetes. It downloads none, except those of the versions under test in CI, and skips what is missing.
func TestSourcesAreInEveryRelease(t *testing.T) {
	releases := slices.Concat(formula.Known(), formula.Minors())
	slices.SortFunc(releases, semver.Compare)
	for _, version := range slices.Compact(releases) {
		t.Run(version, func(t *testing.T) {
			g := NewWithT(t)
			needed := os.Getenv("CI") != "" && slices.Contains(formula.Versions(), version)
			source := builder.Cached
			if needed {
				source = builder.Download
			}
			tree, err := Open(t.Context(), version, formula.All(), source)
			if err != nil && !needed {
				t.Skipf("the module cache lacks the source: %v", err)
			}
			g.Expect(err).NotTo(HaveOccurred())
			r, err := Compare(tree, tree, formula.All())
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(r.Gone).To(BeEmpty(), "correct the sources, or add what the release has to former")
			g.Expect(r.Changed).To(BeEmpty())
			g.Expect(r.Compared + len(r.Elsewhere)).To(Equal(len(formula.All())))
		})
	}
}
