//go:build !kubelet1_31

package kubelet

// These versions know no failCgroupV1, and refuse "none" without cgroups.
func init() {
	delete(base, "failCgroupV1")
	base["enforceNodeAllocatable"] = []string{}
}
