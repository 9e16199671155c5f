package kubelet

import (
	"slices"

	"golang.org/x/mod/semver"

	"github.com/podclock/podclock/harness/kubelet/mutation"
)

// Versions returns the versions that podclock's documents cover, the newest first. The first is that of the node image.
func Versions() []string { return []string{"v1.37.2", "v1.36.3", "v1.35.4", "v1.34.4", "v1.23.1"} }

// VirtualVersions returns the versions of the virtual lane that podclock's documents cover, the newest first.
func VirtualVersions() []string { return []string{"v1.37.2", "v1.36.3", "v1.35.4", "v1.34.4"} }

// Patches returns the newest known patch of each branch, the newest branch first. Kubelets up to 1.22 need CRI v1alpha2
// (pkg/kubelet/cri/remote), which containerd 2 does not serve.
func Patches() []string {
	return []string{
		"v1.37.2", "v1.36.4", "v1.35.8", "v1.34.10", "v1.33.13", "v1.32.13", "v1.31.14", "v1.30.14", "v1.29.15",
		"v1.28.15", "v1.27.16", "v1.26.15", "v1.25.16", "v1.24.17", "v1.23.17",
	}
}

// VirtualPatches returns the part of [Patches] that has a virtual node.
func VirtualPatches() []string {
	return slices.DeleteFunc(Patches(), func(p string) bool { return !InVirtualLane(p) })
}

// Known returns the releases of all these lists, the newest first.
func Known() []string {
	known := slices.Concat(Versions(), Patches())
	slices.SortFunc(known, func(a, b string) int { return semver.Compare(b, a) })
	return slices.Compact(known)
}

// InVirtualLane reports whether a release can have a virtual node.
func InVirtualLane(version string) bool { return semver.Compare(version, oldestVirtual) >= 0 }

// NewestPatch returns the newest known patch of a version's branch, or "".
func NewestPatch(version string) string {
	for _, patch := range Patches() {
		if semver.MajorMinor(patch) == semver.MajorMinor(version) {
			return patch
		}
	}
	return ""
}

// oldestVirtual is the oldest branch that the virtual node's code compiles with.
const oldestVirtual = "v1.30.0"

// release returns the release that a version means: itself, or the newest known patch of a branch such as v1.36. It
// returns "" for any other version, and for one of an unknown branch.
func release(version string) string {
	patch := NewestPatch(version)
	switch {
	case patch == "" || version == semver.MajorMinor(version):
		return patch
	case isRelease(version) && version == semver.Canonical(version) && semver.Prerelease(version) == "":
		return version
	default:
		return ""
	}
}

// Args returns the arguments that the subject's kubelet needs beside those of the newest kubeadm and kind. A kubelet
// 1.23 accepts the rest, and skips unknown fields of its configuration with a warning
// (pkg/kubelet/kubeletconfig/util/codec DecodeKubeletConfiguration).
func (s Subject) Args() []string {
	var args []string
	// A pre-release of 1.27 has the flags of 1.27, but compares as older. So only the minor version counts.
	minor := semver.MajorMinor(s.Version) + ".0"
	for _, need := range []struct {
		kubelets mutation.Range
		arg      string
	}{
		// Before 1.24 the default runtime was Docker. 1.27 removed the flag.
		{mutation.Range{Before: "v1.24.0"}, "--container-runtime=remote"},
		// Since 1.27 the endpoint is a field of the configuration file. kubeadm writes it, and containerd's socket
		// is its default.
		{mutation.Range{Before: "v1.27.0"}, "--container-runtime-endpoint=unix:///run/containerd/containerd.sock"},
	} {
		if need.kubelets.Contains(minor) {
			args = append(args, need.arg)
		}
	}
	runtime, _ := FindRuntime(s.Runtime)
	return append(args, runtime.args...)
}
