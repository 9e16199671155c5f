package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"
)

// files are the files of the tree or of its revision.
type files interface {
	read(name string) ([]byte, error)
	// list returns the names of a folder's entries.
	list(folder string) ([]string, error)
}

type workTree string

func (w workTree) read(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(string(w), filepath.FromSlash(name)))
}

func (w workTree) list(folder string) (names []string, err error) {
	entries, err := os.ReadDir(filepath.Join(string(w), filepath.FromSlash(folder)))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

const (
	module  = "k8s.io/kubernetes"
	staging = "staging/src/k8s.io"
)

// check returns what a tree lacks.
func check(f files) error {
	text, err := f.read("go.mod")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("it has no go.mod")
	case err != nil:
		return fmt.Errorf("reading its go.mod: %w", err)
	}
	if found := modfile.ModulePath(text); found != module {
		return fmt.Errorf("its go.mod is that of module %s instead of %s", found, module)
	}
	if _, err := f.read(staging + "/component-base/go.mod"); err != nil {
		return fmt.Errorf("it has no modules in %s, as the published module %s", staging, module)
	}
	return nil
}
