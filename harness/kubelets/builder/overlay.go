package builder

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/podclock/podclock/harness/kubelets"
)

// overlay writes the edited files of Go's own source to a folder, and returns the file for the flag -overlay. The go
// command refuses one of the module cache, which contains a downloaded Go. So the recipe gets a link to that.
func (r *recipe) overlay(ctx context.Context, work string) (string, error) {
	if r.goroot != "" {
		link := filepath.Join(work, "go")
		if err := os.Symlink(r.goroot, link); err != nil {
			return "", fmt.Errorf("linking the source of Go: %w", err)
		}
		r.goroot = link
	}
	root, err := kubelets.Output(r.goCommand(ctx, work, "env", "GOROOT"))
	if err != nil {
		return "", fmt.Errorf("finding the source of Go: %w", err)
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src")
	files := map[string]string{runtimeFile: string(r.virtual[runtimeHook])}
	for _, e := range order() {
		text, ok := files[e.file]
		if !ok {
			original, err := os.ReadFile(filepath.Join(source, filepath.FromSlash(e.file)))
			if err != nil {
				return "", fmt.Errorf("reading the source of Go: %w", err)
			}
			text = string(original)
		}
		if n := strings.Count(text, e.now); n != 1 {
			const format = "%s of %s has the code %q %d times, not once: virtual nodes need Go 1.26, " +
				"or an edit for this version (harness/kubelets/builder/order.go)"
			return "", fmt.Errorf(format, e.file, r.toolchain, e.now, n)
		}
		files[e.file] = strings.Replace(text, e.now, e.other, 1)
	}
	folder := filepath.Join(work, "goroot")
	replace := map[string]string{}
	for file, text := range files {
		to := filepath.Join(folder, filepath.FromSlash(file))
		err := os.MkdirAll(filepath.Dir(to), 0o755)
		if err == nil {
			err = os.WriteFile(to, []byte(text), 0o644)
		}
		if err != nil {
			return "", fmt.Errorf("writing the edited source of Go: %w", err)
		}
		replace[filepath.Join(source, filepath.FromSlash(file))] = to
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	path := filepath.Join(folder, "overlay.json")
	if err == nil {
		err = os.WriteFile(path, list, 0o644)
	}
	if err != nil {
		return "", fmt.Errorf("writing the edited source of Go: %w", err)
	}
	return path, nil
}
