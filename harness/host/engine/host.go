package engine

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/podclock/podclock/harness/host/engine/capset"
)

// Host is what a cluster must adapt to on this host.
type Host struct {
	// CgroupV1: the host accounts with cgroup v1. Kubelets since 1.35 start on it only with failCgroupV1 false.
	CgroupV1 bool
	// ReducedCapabilities are the capabilities that no process here can get, such as CAP_SYS_RESOURCE.
	ReducedCapabilities []string
}

// InspectHost reads the properties of this host from /proc. On other systems the engine's host is a virtual machine of
// its own, which lacks nothing.
func InspectHost() (Host, error) {
	if runtime.GOOS != "linux" {
		return Host{}, nil
	}
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

// cgroupV1 reads /proc/self/mounts. As in runc, version 2 means that /sys/fs/cgroup itself is a cgroup2 file system.
func cgroupV1(mounts string) bool {
	v1 := true
	for line := range strings.Lines(mounts) {
		fields := strings.Fields(line)
		if len(fields) >= 3 && fields[1] == "/sys/fs/cgroup" {
			v1 = fields[2] != "cgroup2" // the last mount on a folder hides those before it
		}
	}
	return v1
}

// MemAvailable returns the kernel's estimate of bytes that can be used without swapping.
func MemAvailable() (int, error) {
	const file = "/proc/meminfo"
	f, err := os.Open(file)
	if err != nil {
		return 0, fmt.Errorf("find out how much memory is available: %w", err)
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if rest, found := strings.CutPrefix(lines.Text(), "MemAvailable:"); found {
			kibibytes := 0
			if _, err := fmt.Sscanf(rest, "%d kB", &kibibytes); err != nil {
				return 0, fmt.Errorf("read MemAvailable of %s: %w", file, err)
			}
			return kibibytes << 10, nil
		}
	}
	return 0, fmt.Errorf("%s has no MemAvailable", file)
}
