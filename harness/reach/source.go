package reach

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/podclock/podclock/harness/kubelets/builder"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Sources returns a function that finds the folder of a package's source.
func Sources(ctx context.Context, version string) func(pkg string) (string, error) {
	folders := map[string]string{}
	return func(pkg string) (string, error) {
		module, below := formula.Kubernetes+"@"+version, strings.TrimPrefix(pkg, formula.Kubernetes+"/")
		if below == pkg { // a staging module, such as k8s.io/client-go
			parts := strings.SplitN(pkg, "/", 3)
			if len(parts) < 3 {
				return "", fmt.Errorf("%s is no package of Kubernetes", pkg)
			}
			module, below = parts[0]+"/"+parts[1]+"@v0."+strings.TrimPrefix(version, "v1."), parts[2]
		}
		if folders[module] == "" {
			folder, err := builder.Download(ctx, module)
			if err != nil {
				return "", err
			}
			folders[module] = folder
		}
		return filepath.Join(folders[module], filepath.FromSlash(below)), nil
	}
}
