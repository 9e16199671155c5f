package session

import (
	"runtime"
	"strings"

	"github.com/podclock/podclock/harness/host"
	"github.com/podclock/podclock/harness/host/engine"
	"github.com/podclock/podclock/harness/host/program"
	"github.com/podclock/podclock/harness/measure/run"
)

// Environment describes this host and this program.
func Environment(settings map[string]string) run.Environment {
	p := program.Read()
	return run.Environment{
		Podclock: p.Name(), Go: p.Go, CPUs: runtime.NumCPU(), Kernel: host.Kernel(), Settings: settings,
	}
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
