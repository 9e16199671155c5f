package tree

import "fmt"

// Base returns the revision that the tree's changes are counted from: the newest tag of a release that its commit
// contains, and so their merge base. A tree without a repository has none.
func (t Tree) Base() (revision string, found bool, err error) {
	if t.Commit == "" {
		return "", false, nil
	}
	folder, err := t.folder()
	if err != nil {
		return "", false, err
	}
	r, err := findRepository(folder)
	if err != nil {
		return "", false, err
	}
	tag, err := r.git("describe", "--tags", "--match=v1.*", "--abbrev=0", t.Commit)
	if err == nil {
		return tag, true, nil
	}
	remedy := "fetch the tags (git fetch --tags)"
	if r.shallow() {
		remedy = "the clone is shallow, so fetch the rest (git fetch --unshallow --tags)"
	}
	return "", false, fmt.Errorf("%q has no merge base with a release: %s, or name a base with --against",
		t.Path, remedy)
}
