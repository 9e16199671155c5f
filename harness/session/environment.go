package session

import (
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/podclock/podclock/harness/engine"
	"github.com/podclock/podclock/harness/run"
)

// Environment describes this host and the checkout at root.
func Environment(root string, settings map[string]string) run.Environment {
	e := run.Environment{
		Podclock: revision(root), Go: runtime.Version(), CPUs: runtime.NumCPU(), Settings: settings,
	}
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		e.Kernel = unix.ByteSliceToString(name.Release[:])
	}
	return e
}

func revision(root string) string {
	out, err := exec.Command("git", "-C", root, "describe", "--always", "--dirty").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

func adaptations(h engine.Host) []string {
	var list []string
	if h.CgroupV1 {
		list = append(list, "cgroup v1: failCgroupV1 is false")
	}
	if len(h.ReducedCapabilities) > 0 {
		list = append(list, "no process has "+strings.Join(h.ReducedCapabilities, ", ")+
			": the engine's runtime and the nodes' containerd do without")
	}
	return list
}
