package tree

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// abbreviated is how many digits of the commit Kubernetes' versions have (hack/lib/version.sh).
const abbreviated = 14

// findVersion sets Version and Guess. absent is why the tree has no repository.
func (t *Tree) findVersion(r repository, f files, newest func(branch string) string, absent error) {
	why := absent
	if absent == nil {
		described, err := r.git("describe", "--tags", "--match=v*", fmt.Sprint("--abbrev=", abbreviated), t.Commit)
		version := semantic(described)
		if err == nil && semver.IsValid(version) {
			t.Version = t.marked(version)
			return
		}
		if why = errors.New("git finds no tag of a release"); r.shallow() {
			why = fmt.Errorf("%w in the shallow clone", why)
		}
	}
	version, file := written(f)
	if version == "" {
		t.Guess = fmt.Sprintf("%v, and no file in %s names a release", why, changelogs)
		return
	}
	if version == semver.MajorMinor(version) {
		version = cmp.Or(newest(version), version+".0")
	}
	t.Version = t.atCommit(version)
	t.Guess = fmt.Sprintf("version %s is from %s, because %v", version, file, why)
}

// atCommit adds the commit to a version, as Kubernetes' own versions between two releases have it.
func (t Tree) atCommit(version string) string {
	if t.Commit == "" {
		return version
	}
	return t.marked(version + "+" + t.Commit[:abbreviated])
}

// With returns the tree with a version that the user knows, or what the tree contradicts. A tag decides. Without one,
// the user's version must be of the tree's branch.
func (t Tree) With(version string) (Tree, error) {
	build := func(v string) string { return strings.TrimPrefix(semver.Build(v), "+") }
	switch {
	case t.Version == version:
		return t, nil
	case t.Version == "":
	case t.Guess == "",
		semver.MajorMinor(t.Version) != semver.MajorMinor(version),
		build(version) != "" && build(version) != build(t.Version):
		const format = "%q is the source of %s, not of %s: check that out, or write the path alone"
		return Tree{}, fmt.Errorf(format, t.String(), t.Version, version)
	}
	if t.Version = version; build(version) == "" {
		t.Version = t.atCommit(version)
	}
	t.Guess = fmt.Sprintf("version %s is what the subject's name says", t.Version)
	return t, nil
}

// marked adds the mark of uncommitted changes. Kubernetes' own version of a changed tree at a tag is v1.36.3-dirty,
// which compares as older than v1.36.3. As build metadata it compares as equal.
func (t Tree) marked(version string) string {
	switch {
	case !t.Dirty:
		return version
	case semver.Build(version) == "":
		return version + "+dirty"
	default:
		return version + "-dirty"
	}
}

var (
	sincePrerelease = regexp.MustCompile(`^(v[^-]+-[^-]+)-(\d+)-g([0-9a-f]+)$`)
	sinceRelease    = regexp.MustCompile(`^(v[^-]+)-\d+-g([0-9a-f]+)$`)
)

// semantic makes a semantic version of what git describe prints, as hack/lib/version.sh does: v1.38.0-alpha.1-23-gabc
// is v1.38.0-alpha.1.23+abc, and v1.36.3-14-gabc is v1.36.3+abc.
func semantic(described string) string {
	if m := sincePrerelease.FindStringSubmatch(described); m != nil {
		return m[1] + "." + m[2] + "+" + m[3]
	}
	if m := sinceRelease.FindStringSubmatch(described); m != nil {
		return m[1] + "+" + m[2]
	}
	return described
}

const (
	changelogs  = "CHANGELOG"
	versionFile = staging + "/component-base/version/base.go"
)

var (
	// binaryVersion is in versionFile since 1.31.
	binaryVersion = regexp.MustCompile(`(?m)DefaultKubeBinaryVersion\s*=\s*"(\d+\.\d+)"`)
	changelog     = regexp.MustCompile(`^CHANGELOG-(\d+\.\d+)\.md$`)
	released      = regexp.MustCompile(`(?m)^# (v\d+\.\d+\.\d+\S*)\s*$`)
)

// written returns the newest release that the tree's own files name, or only its branch, and the file. A changelog
// gets a release's entry soon after the release.
func written(f files) (version, file string) {
	branch := ""
	if text, err := f.read(versionFile); err == nil {
		if m := binaryVersion.FindSubmatch(text); m != nil {
			branch, file = "v"+string(m[1]), versionFile
		}
	}
	names, _ := f.list(changelogs)
	if branch == "" {
		var branches []string
		for _, name := range names {
			if m := changelog.FindStringSubmatch(name); m != nil {
				branches = append(branches, "v"+m[1])
			}
		}
		if len(branches) == 0 {
			return "", ""
		}
		branch = slices.MaxFunc(branches, semver.Compare)
	}
	name := changelogs + "/CHANGELOG-" + strings.TrimPrefix(branch, "v") + ".md"
	if text, err := f.read(name); err == nil {
		if m := released.FindSubmatch(text); m != nil {
			return string(m[1]), name
		}
	}
	return branch, file
}
