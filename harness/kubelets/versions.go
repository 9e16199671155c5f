package kubelets

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/podclock/podclock/harness/kubelets/mutation"
	"github.com/podclock/podclock/harness/rules/formula"
)

// VirtualVersions returns the versions of the virtual lane that podclock's documents cover, the newest first.
func VirtualVersions() []string { return []string{"v1.37.2", "v1.36.3", "v1.35.4", "v1.34.4"} }

// VirtualPatches returns the part of [formula.Patches] that has a virtual node.
func VirtualPatches() []string {
	return slices.DeleteFunc(formula.Patches(), func(p string) bool { return !InVirtualLane(p) })
}

// InVirtualLane reports whether a release can have a virtual node.
func InVirtualLane(version string) bool {
	return semver.Compare(semver.MajorMinor(version), oldestVirtual) >= 0
}

// oldestVirtual is the oldest branch that the virtual node's code compiles with.
const oldestVirtual = "v1.30"

// release returns the release that a version means: itself, or the newest known patch of a branch such as v1.36. It
// returns "" for any other version, and for one of an unknown branch. A pre-release is one of Kubernetes' own, also of
// the branch after the newest known one.
func release(version string) string {
	patch, branch := formula.NewestPatch(version), semver.MajorMinor(version)
	own := isRelease(version) && version == semver.Canonical(version) && version == formula.Release(version)
	switch early := semver.Prerelease(version) != ""; {
	case version == branch:
		return patch
	case own && (patch != "" || early && branch == after(semver.MajorMinor(formula.Patches()[0]))):
		return version
	default:
		return ""
	}
}

// after returns the minor release after another, such as v1.38.
func after(branch string) string {
	major, minor, _ := strings.Cut(branch, ".")
	number, _ := strconv.Atoi(minor)
	return major + "." + strconv.Itoa(number+1)
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
	if s.Gates != "" {
		args = append(args, "--feature-gates="+strings.ReplaceAll(s.Gates[1:], "+", ","))
	}
	runtime, _ := FindRuntime(s.Runtime)
	return append(args, runtime.args...)
}
