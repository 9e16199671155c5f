package engine

import (
	"fmt"
	"os"
	"strings"

	"github.com/podclock/podclock/harness/engine/capset"
)

// Host is what a cluster must know of this host before it boots nodes on it.
type Host struct {
	// CgroupV1 is true where containers are accounted by the old control group hierarchy. The kubelet of 1.35 and
	// later refuses to start there unless failCgroupV1 is false.
	CgroupV1 bool
	// ReducedCapabilities names the capabilities that no process here can get, as CAP_SYS_RESOURCE. Empty on
	// ordinary hosts.
	ReducedCapabilities []string
}

// InspectHost reads the traits of this host from /proc. It changes nothing.
func InspectHost() (Host, error) {
	missing, err := capset.MissingHere()
	if err != nil {
		return Host{}, err
	}
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return Host{}, fmt.Errorf("finding this host's control group version: %w", err)
	}
	return Host{CgroupV1: cgroupV1(string(mounts)), ReducedCapabilities: missing}, nil
}

// cgroupV1 reads the text of /proc/self/mounts. As in runc, version 2 is what has a cgroup2 file system right at
// /sys/fs/cgroup; a hybrid host, with cgroup2 below it, still accounts by version 1.
func cgroupV1(mounts string) bool {
	v1 := true
	for line := range strings.Lines(mounts) {
		fields := strings.Fields(line)
		if len(fields) >= 3 && fields[1] == "/sys/fs/cgroup" {
			v1 = fields[2] != "cgroup2" // the last mount on a place hides those before it
		}
	}
	return v1
}
