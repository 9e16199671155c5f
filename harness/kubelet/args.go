package kubelet

import "golang.org/x/mod/semver"

// Args are what a kubelet needs on its command line besides what the newest kubeadm and kind give it:
// nothing, for one that is as new as they are. What else they give it, one of 1.23 takes: it has the flags
// --node-ip, --node-labels, --provider-id and --runtime-cgroups, and it skips fields of the configuration
// file that it does not know, with a warning (pkg/kubelet/kubeletconfig/util/codec
// DecodeKubeletConfiguration).
func (s Subject) Args() []string {
	var args []string
	// Only the minor version counts: a pre-release of 1.27 is built from the source of 1.27, though it
	// compares as older.
	minor := semver.MajorMinor(s.Version) + ".0"
	for _, need := range []struct {
		kubelets Range
		arg      string
	}{
		// Until 1.24 the runtime was Docker unless told otherwise. The flag is gone since 1.27.
		{Range{Before: "v1.24.0"}, "--container-runtime=remote"},
		// Since 1.27 this is a field of the configuration file, which kubeadm writes, and containerd's
		// socket is its default.
		{Range{Before: "v1.27.0"}, "--container-runtime-endpoint=unix:///run/containerd/containerd.sock"},
	} {
		if need.kubelets.Contains(minor) {
			args = append(args, need.arg)
		}
	}
	return args
}
