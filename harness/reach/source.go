package reach

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/podclock/podclock/harness/kubelets/builder"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Sources returns a function that reads the source of a file by its name in a [Map], such as
// k8s.io/kubernetes/pkg/kubelet/kubelet.go.
func Sources(ctx context.Context, version string) func(file string) ([]byte, error) {
	folders := map[string]string{}
	return func(file string) ([]byte, error) {
		module, below := formula.Kubernetes+"@"+version, strings.TrimPrefix(file, formula.Kubernetes+"/")
		if below == file { // a staging module, such as k8s.io/client-go
			parts := strings.SplitN(file, "/", 3)
			if len(parts) < 3 {
				return nil, fmt.Errorf("%s is no file of Kubernetes", file)
			}
			module, below = parts[0]+"/"+parts[1]+"@v0."+strings.TrimPrefix(version, "v1."), parts[2]
		}
		if folders[module] == "" {
			folder, err := builder.Download(ctx, module)
			if err != nil {
				return nil, err
			}
			folders[module] = folder
		}
		text, err := os.ReadFile(filepath.Join(folders[module], filepath.FromSlash(below)))
		if err != nil {
			return nil, fmt.Errorf("reading the source of Kubernetes: %w", err)
		}
		return text, nil
	}
}
