package builder

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/kubelets/tree"
)

func TestFeatureGatesAreThoseOfTheSource(t *testing.T) {
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	g.Expect(os.MkdirAll("kubernetes/pkg/features", 0o755)).To(Succeed())
	g.Expect(os.WriteFile(filepath.Join("kubernetes", filepath.FromSlash(featuresFile)), []byte(`
const (
	// MyFeature featuregate.Feature = "MyFeature"
	EventedPLEG featuregate.Feature = "EventedPLEG"
)
`), 0o644)).To(Succeed())
	check := func(gates string) error {
		return Check(t.Context(), kubelets.Subject{
			Version: "v1.37.2", Tree: tree.Tree{Path: "./kubernetes"}, Gates: gates,
		})
	}
	g.Expect(check("+EventedPLEG=true")).To(Succeed())
	g.Expect(check("")).To(Succeed())
	g.Expect(check("+EventedPleg=true")).To(MatchError(ContainSubstring(
		"there is no feature gate EventedPleg in pkg/features/kube_features.go of v1.37.2: write EventedPLEG")))
	g.Expect(check("+MyFeature=true")).To(MatchError(ContainSubstring("write one of that file")))
}
