package kubelet

import (
	"golang.org/x/mod/semver"

	"github.com/podclock/podclock/harness/kubelet/mutation"
)

// Versions returns the versions that a subject can have, the newest first. The first is that of the node image.
func Versions() []string { return []string{"v1.37.2", "v1.36.3", "v1.35.4", "v1.34.4", "v1.23.1"} }

// VirtualVersions returns the versions that have a virtual node, the newest first.
func VirtualVersions() []string { return []string{"v1.37.2", "v1.36.3", "v1.35.4", "v1.34.4"} }

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
	return args
}
