package builder

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/podclock/podclock/harness/kubelets"
)

// featuresFile is where Kubernetes names its feature gates.
const featuresFile = "pkg/features/kube_features.go"

// definedGate finds a feature gate there. The line of an example is commented out.
var definedGate = regexp.MustCompile(`(?m)^\s*\w+ +featuregate\.Feature = "(\w+)"`)

// checkGates returns an error if the source of a subject does not have one of its feature gates. A binary of the user's
// own and a revision of a source tree are not looked at: such a kubelet refuses the gate when it starts.
func checkGates(ctx context.Context, s kubelets.Subject) error {
	if s.Gates == "" || s.Own() || s.Tree.Revision != "" {
		return nil
	}
	folder := s.Tree.Path
	if !s.FromTree() {
		var err error
		if folder, err = Download(ctx, "k8s.io/kubernetes@"+s.Version); err != nil {
			return err
		}
	}
	source, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(featuresFile)))
	if err != nil {
		return fmt.Errorf("reading the feature gates of subject %s: %w", s, err)
	}
	var known []string
	for _, found := range definedGate.FindAllSubmatch(source, -1) {
		known = append(known, string(found[1]))
	}
	for _, gate := range slices.Sorted(maps.Keys(s.FeatureGates())) {
		if slices.Contains(known, gate) {
			continue
		}
		const format = "subject %s: there is no feature gate %s in %s of %s: %s"
		return fmt.Errorf(format, s, gate, featuresFile, s.Version, similar(gate, known))
	}
	return nil
}

// similar names the gates that begin like another, or where all are if none does.
func similar(gate string, known []string) string {
	const enough = 4 // letters
	begin := strings.ToLower(gate[:min(enough, len(gate))])
	alike := slices.DeleteFunc(slices.Clone(known), func(k string) bool {
		return !strings.HasPrefix(strings.ToLower(k), begin)
	})
	if len(alike) == 0 {
		return "write one of that file"
	}
	slices.Sort(alike)
	return "write " + strings.Join(alike, " or ")
}
