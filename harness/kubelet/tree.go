package kubelet

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// mutatedTree makes folder look like original, except for one file (a slash-separated path inside it), which has other content.
// Only the folders on the way to that file are made; everything beside the way is a symbolic link. So a mutant costs some
// hundred links instead of a copy of the whole module, and the file that the compiler reads is really the mutated one: an
// overlay would not do, go build refuses those that concern the module cache.
func mutatedTree(folder, original, file string, content []byte) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("making the mutated source: %w", err)
	}
	entries, err := os.ReadDir(original)
	if err != nil {
		return fmt.Errorf("reading the source to mutate: %w", err)
	}
	onTheWay, rest, deeper := strings.Cut(file, "/")
	found := false
	for _, e := range entries {
		from, to := filepath.Join(original, e.Name()), filepath.Join(folder, e.Name())
		switch {
		case e.Name() != onTheWay:
			err = os.Symlink(from, to)
		case deeper:
			found = true
			err = mutatedTree(to, from, rest, content)
		default:
			found = true
			err = os.WriteFile(to, content, 0o644)
		}
		if err != nil {
			return fmt.Errorf("making the mutated source: %w", err)
		}
	}
	if !found {
		return fmt.Errorf("making the mutated source: %s has no %s", original, onTheWay)
	}
	return nil
}
