package kubelets

import (
	"fmt"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/podclock/podclock/harness/kubelets/tree"
	"github.com/podclock/podclock/harness/rules/formula"
)

// parseTree returns the subject of a source tree in the node lane. An empty version accepts all.
func parseTree(wanted, folder, revision string) (Subject, error) {
	t, err := tree.Open(folder, revision, formula.NewestPatch)
	if err == nil && wanted != "" {
		t, err = t.With(wanted)
	}
	if err == nil && t.Version == "" {
		const format = "the version of %s is unknown: %s; fetch the tags, or write the version before the path, such " +
			"as %s@%[1]s"
		err = fmt.Errorf(format, t.String(), t.Guess, formula.Patches()[0])
	}
	if err != nil {
		return Subject{}, err
	}
	s := Subject{Version: t.Version, Tree: t}
	return s, s.checkTree()
}

// checkTree returns an error if a source tree is too old or too new. The minor release after the newest known one is
// accepted: it is developed while that one is the newest.
func (s Subject) checkTree() error {
	known := formula.Patches()
	if s.Virtual {
		known = VirtualPatches()
	}
	oldest, newest := semver.MajorMinor(known[len(known)-1]), semver.MajorMinor(known[0])
	branch := semver.MajorMinor(s.Version)
	what := "podclock"
	if s.Virtual {
		what = "a virtual node"
	}
	switch {
	case semver.Compare(branch, oldest) < 0:
		const format = "%q is the source of %s, and the oldest that %s knows is %s: check out a newer revision"
		return fmt.Errorf(format, s.Tree.String(), s.Version, what, oldest)
	case semver.Compare(branch, after(newest)) > 0:
		const format = "%q is the source of %s, and the newest that %s knows is %s, beside trees of %s: use a newer " +
			"podclock"
		return fmt.Errorf(format, s.Tree.String(), s.Version, what, newest, after(newest))
	}
	return nil
}

// Nearest returns the branches whose code fits a source tree, the nearest first: its own, or the newest known one if
// its own is newer. A pre-release may still have the code of the branch before.
func (s Subject) Nearest() []string {
	own, known := semver.MajorMinor(s.Version), formula.Patches()
	if s.Virtual {
		known = VirtualPatches()
	}
	for i, release := range known {
		branch := semver.MajorMinor(release)
		switch order := semver.Compare(branch, own); {
		case order > 0:
			continue
		case order < 0 || semver.Prerelease(s.Version) == "" || i+1 == len(known):
			return []string{branch}
		case strings.HasPrefix(semver.Prerelease(s.Version), "-alpha"):
			return []string{semver.MajorMinor(known[i+1]), branch}
		default:
			return []string{branch, semver.MajorMinor(known[i+1])}
		}
	}
	return nil
}
