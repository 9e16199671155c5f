package formula

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"
)

// everyBranch is the newest patch of each minor release whose sources were read for every change, or its newest
// pre-release. The first patch was read as well and, where the two differ, those between them until the change was
// found.
const everyBranch = "v1.22.17 v1.23.17 v1.24.17 v1.25.16 v1.26.15 v1.27.16 v1.28.15 v1.29.15 v1.30.14 v1.31.14 " +
	"v1.32.13 v1.33.13 v1.34.12 v1.35.8 v1.36.5 v1.37.2 v1.38.0-beta.0"

// Change is one change of Kubernetes that a formula or a trial depends on. Formulas depend on changes instead of
// versions.
type Change struct {
	// Name is what a kubelet with the change does.
	Name string
	// Reference is the pull request, issue or KEP.
	Reference string
	// Since lists the releases that brought the change, on by default, and Until those that removed it. Both are
	// separated by spaces. A first patch ("v1.25.0"), or a pre-release of one, holds for all later releases, another
	// patch, a backport, for later patches of its minor release only.
	Since, Until string
	// Read lists the newest patch of each minor release in whose sources the change was read, empty for everyBranch.
	Read string
	// Gate is the feature gate that decides, if the kubelet reports it.
	Gate string
	// Unless is the feature gate that switches the change off.
	Unless string
	// OnlyOn and NotOn are the beginnings of the names of the only runtime with the change, and of the one without it.
	OnlyOn, NotOn string
}

// In reports whether a release has the change by default.
func (c Change) In(version string) bool {
	since, until := latest(c.Since, version), latest(c.Until, version)
	return since != "" && (until == "" || semver.Compare(since, until) > 0)
}

// latest returns the newest of some releases that holds for a version, or "". Betas and candidates come after the code
// freeze, so they count as the release, unless a change names a pre-release.
func latest(releases, version string) (found string) {
	for r := range strings.FieldsSeq(releases) {
		at := version
		if semver.Prerelease(r) == "" && frozen.MatchString(version) {
			at, _, _ = strings.Cut(version, "-")
		}
		backport := !strings.HasSuffix(strings.TrimSuffix(r, semver.Prerelease(r)), ".0")
		if backport && semver.MajorMinor(r) != semver.MajorMinor(version) || semver.Compare(at, r) < 0 {
			continue
		}
		if found == "" || semver.Compare(r, found) > 0 {
			found = r
		}
	}
	return found
}

var frozen = regexp.MustCompile(`-(beta|rc)\.`)

// InMinor says in which patches of a minor release ("v1.24") the change is on by default: "all", "–" for none, or
// ranges such as "2+" and "0–2". Patches newer than the newest read one are like it.
func (c Change) InMinor(minor string) string {
	var ranges []string
	newest, _, _ := strings.Cut(sameMinor(everyBranch, minor), "-")
	last, err := strconv.Atoi(strings.TrimPrefix(newest, minor+"."))
	if err != nil {
		return "?"
	}
	for from := 0; from <= last; from++ {
		to := from
		for to <= last && c.In(fmt.Sprintf("%s.%d", minor, to)) {
			to++
		}
		switch {
		case to == from:
			continue
		case to <= last:
			ranges = append(ranges, fmt.Sprintf("%d–%d", from, to-1))
		case from == 0:
			ranges = append(ranges, "all")
		default:
			ranges = append(ranges, fmt.Sprintf("%d+", from))
		}
		from = to
	}
	return cmp.Or(strings.Join(ranges, ", "), "–")
}

// Minors returns the minor releases whose sources were read, each with its newest read patch ("v1.24.17").
func Minors() []string { return strings.Fields(everyBranch) }

// sameMinor returns the one of some releases that has a version's minor release, or "".
func sameMinor(releases, version string) string {
	for r := range strings.FieldsSeq(releases) {
		if semver.MajorMinor(r) == semver.MajorMinor(version) {
			return r
		}
	}
	return ""
}

// releases names the releases that brought the change and those that removed it.
func (c Change) releases() string {
	named := cmp.Or(strings.ReplaceAll(c.Since, " ", ", "), "no release")
	if c.Until != "" {
		named += ", removed in " + strings.ReplaceAll(c.Until, " ", ", ")
	}
	return named
}
