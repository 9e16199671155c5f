package kubelet

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// exchangedTree makes folder look like original, except for some files (slash-separated paths inside it),
// which have other contents. Only the folders on the way to those files are made; everything beside the way
// is a symbolic link. So a mutant costs some hundred links instead of a copy of the whole module, and the
// file that the compiler reads is really the mutated one: an overlay would not do, go build refuses those
// that concern the module cache.
func exchangedTree(folder, original string, files map[string][]byte) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("making the exchanged source: %w", err)
	}
	entries, err := os.ReadDir(original)
	if err != nil {
		return fmt.Errorf("reading the source to exchange files of: %w", err)
	}
	onTheWay := byFirstStep(files)
	for _, e := range entries {
		from, to := filepath.Join(original, e.Name()), filepath.Join(folder, e.Name())
		below, exchanged := onTheWay[e.Name()]
		delete(onTheWay, e.Name())
		content, whole := below[""]
		switch {
		case !exchanged:
			err = os.Symlink(from, to)
		case whole:
			err = os.WriteFile(to, content, 0o644)
		default:
			err = exchangedTree(to, from, below)
		}
		if err != nil {
			return fmt.Errorf("making the exchanged source: %w", err)
		}
	}
	for missing := range onTheWay {
		return fmt.Errorf("making the exchanged source: %s has no %s", original, missing)
	}
	return nil
}

// byFirstStep groups files by the first step of their paths. The rest of the path of one that is there is empty.
func byFirstStep(files map[string][]byte) map[string]map[string][]byte {
	groups := map[string]map[string][]byte{}
	for path, content := range files {
		first, rest, _ := strings.Cut(path, "/")
		if groups[first] == nil {
			groups[first] = map[string][]byte{}
		}
		groups[first][rest] = content
	}
	return groups
}
