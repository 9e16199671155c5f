// Package tree finds source trees of Kubernetes: a work tree with its uncommitted changes, or a revision of its git
// repository. It reads a tree's commit and version, and puts a revision's files into podclock's cache. It never writes
// to the user's files or repository.
//
// The package knows no kubelets, and compiles nothing.
package tree

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
