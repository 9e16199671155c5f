package tree

import (
	"fmt"
)

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
