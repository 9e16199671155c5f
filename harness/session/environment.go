package session

import (
	"cmp"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/podclock/podclock/harness/engine"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/images"
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

// built is the revision that a program without its source was built from. The linker sets it.
var built string

func revision(root string) string { return cmp.Or(images.Revision(root), built, "unknown") }

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
