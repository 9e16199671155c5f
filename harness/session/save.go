package session

import (
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/podclock/podclock/harness/engine"
	"github.com/podclock/podclock/harness/run"
	"github.com/podclock/podclock/reports/folder"
)

// save writes the run's files into its folder and points out/latest at it.
func (s *Session) save() error {
	if err := folder.Write(s.dir, s.run); err != nil {
		return err
	}
	return run.Latest(s.config.Out, s.dir)
}

// environment is what this host says of itself.
func environment(c Config) run.Environment {
	e := run.Environment{
		Podclock: revision(c),
		Go:       runtime.Version(),
		CPUs:     runtime.NumCPU(),
		Settings: c.settings(),
	}
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		e.Kernel = unix.ByteSliceToString(name.Release[:])
	}
	return e
}

// revision is the checkout's commit, "unknown" outside of git.
func revision(c Config) string {
	out, err := exec.Command("git", "-C", c.root, "describe", "--always", "--dirty").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// adaptations says in words what of this host is not ordinary.
func adaptations(h engine.Host) []string {
	var list []string
	if h.CgroupV1 {
		list = append(list, "cgroup v1: failCgroupV1 is false")
	}
	if len(h.ReducedCapabilities) > 0 {
		list = append(
			list,
			"no process has "+strings.Join(h.ReducedCapabilities,
				", ")+": the engine's runtime and the nodes' containerd do without",
		)
	}
	return list
}
