// Package tree finds source trees of Kubernetes: a work tree with its uncommitted changes, or a revision of its git
// repository. It reads a tree's commit and version, and puts a revision's files into podclock's cache. It never writes
// to the user's files or repository.
//
// The package knows no kubelets, and compiles nothing.
package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// Tree is a source tree of Kubernetes. The zero value is none.
type Tree struct {
	// Path is the folder as the user wrote it.
	Path string
	// Revision is what git should find, as the user wrote it. Empty: the work tree as it is.
	Revision string
	// Version is the version of the source, such as "v1.36.3+0123456789abcd-dirty", or empty if nothing names it.
	Version string
	// Commit is the whole hash of the commit, or empty for a folder without git.
	Commit string
	// Dirty reports that the work tree differs from the commit, also by new files.
	Dirty bool
	// LeavesOut reports that the work tree has uncommitted changes, which the revision does not have.
	LeavesOut bool
	// Guess says where the version is from and why, or why there is none. Empty: git found the tag.
	Guess string
}

const revisionMark = "@"

// Cut splits the name of a tree into its folder and its revision. found reports whether there is such a folder.
func Cut(name string) (folder, revision string, found bool) {
	for end := len(name); end > 0; end = strings.LastIndex(name[:end], revisionMark) {
		if info, err := os.Stat(name[:end]); err == nil && info.IsDir() {
			return name[:end], strings.TrimPrefix(name[end:], revisionMark), true
		}
	}
	return "", "", false
}

// String returns the tree's name, which [Cut] reads.
func (t Tree) String() string {
	if t.Revision == "" {
		return t.Path
	}
	return t.Path + revisionMark + t.Revision
}

// Open reads a tree. Its error says in one line why the folder is none, or why git does not find the revision. newest
// returns the newest known patch of a branch, for a tree that contains no more than its branch.
func Open(path, revision string, newest func(branch string) string) (Tree, error) {
	t := Tree{Path: path, Revision: revision}
	folder, err := t.folder()
	if err != nil {
		return Tree{}, err
	}
	r, absent := findRepository(folder)
	f := files(workTree(folder))
	if revision != "" {
		if absent != nil {
			return Tree{}, fmt.Errorf("%w, so it has no revision %q: write %s alone", absent, revision, path)
		}
		if t.Commit, err = r.commit(revision); err != nil {
			return Tree{}, err
		}
		f = committed{r, t.Commit}
	}
	if err := check(f); err != nil {
		return Tree{}, fmt.Errorf("%q is a folder, but no source tree of Kubernetes: %w; write the root of a "+
			"checkout of kubernetes/kubernetes, or the path of a kubelet binary", t.String(), err)
	}
	switch {
	case revision != "":
		t.LeavesOut, _ = r.dirty() // a bare repository has no work tree
	case absent == nil:
		if t.Commit, absent = r.head(); absent == nil {
			t.Dirty, absent = r.dirty()
		}
	}
	t.findVersion(r, f, newest, absent)
	return t, nil
}

// folder returns the absolute path of the tree without symbolic links.
func (t Tree) folder() (string, error) {
	folder, err := filepath.Abs(t.Path)
	if err == nil {
		folder, err = filepath.EvalSymlinks(folder)
	}
	if err != nil {
		return "", fmt.Errorf("finding %q: %w", t.Path, err)
	}
	return folder, nil
}

// Identity returns what two names of one tree have in common: the folder, and the commit of a revision.
func (t Tree) Identity() (string, error) {
	folder, err := t.folder()
	if err != nil || t.Revision == "" {
		return folder, err
	}
	return folder + revisionMark + t.Commit, nil
}

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
