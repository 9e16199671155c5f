package formula

import (
	"slices"

	"golang.org/x/mod/semver"
)

// Versions returns the versions that podclock's documents cover, the newest first. The first is that of the node image.
func Versions() []string { return []string{"v1.37.2", "v1.36.3", "v1.35.4", "v1.34.4", "v1.23.1"} }

// Patches returns the newest known patch of each branch, the newest branch first. Kubelets up to 1.22 need CRI v1alpha2
// (pkg/kubelet/cri/remote), which containerd 2 does not serve.
func Patches() []string {
	return []string{
		"v1.37.2", "v1.36.5", "v1.35.8", "v1.34.12", "v1.33.13", "v1.32.13", "v1.31.14", "v1.30.14", "v1.29.15",
		"v1.28.15", "v1.27.16", "v1.26.15", "v1.25.16", "v1.24.17", "v1.23.17",
	}
}

// Known returns the releases of all these lists, the newest first.
func Known() []string {
	known := slices.Concat(Versions(), Patches())
	slices.SortFunc(known, func(a, b string) int { return semver.Compare(b, a) })
	return slices.Compact(known)
}

// NewestPatch returns the newest known patch of a version's branch, or "".
func NewestPatch(version string) string {
	for _, patch := range Patches() {
		if semver.MajorMinor(patch) == semver.MajorMinor(version) {
			return patch
		}
	}
	return ""
}
