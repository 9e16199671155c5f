package builder

import (
	"bytes"
	"fmt"
	"regexp"

	"github.com/podclock/podclock/harness/kubelets/mutation"
)

// versionFile declares the version that programs report.
const (
	versionModule = "k8s.io/component-base"
	versionFile   = "version/base.go"
)

var packageClause = regexp.MustCompile(`(?m)^package version$`)

// reportChosen makes a program report the chosen mutation as its version's build metadata. A program with one mutation
// has the same version compiled in.
func reportChosen(source []byte) ([]byte, error) {
	if !packageClause.Match(source) || !bytes.Contains(source, []byte("gitVersion")) {
		return nil, fmt.Errorf("%s does not declare gitVersion", versionFile)
	}
	imported := packageClause.ReplaceAll(source, []byte(`package version; import osOfChosen "os"`))
	return fmt.Appendf(imported, `
var _ = func() bool {
	if chosen := osOfChosen.Getenv(%q); chosen != "" {
		gitVersion += "+" + chosen
	}
	return true
}()
`, mutation.Variable), nil
}
