//go:build linux

package ends

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// procfs is the folder of a node's processes, /proc.
type procfs string

// inContainer matches the cgroup of a container below that of its pod, by any of the kubelet's cgroup drivers and
// runtimes (pkg/kubelet/cm/pod_container_manager_linux.go GetPodContainerName). A static pod's UID has no hyphens.
var inContainer = regexp.MustCompile(
	`(?m)/(?:[\w.-]*-)?pod[0-9a-f_-]{32,36}(?:\.slice)?/` +
		`(?:cri-containerd-|crio-|docker-)?([0-9a-f]{64})(?:\.scope|/|$)`)

// containerOf returns the ID of the container that a process belongs to, or "".
func (p procfs) containerOf(pid int) string {
	text, err := os.ReadFile(filepath.Join(string(p), strconv.Itoa(pid), "cgroup"))
	if err != nil {
		return ""
	}
	if found := inContainer.FindSubmatch(text); found != nil {
		return string(found[1])
	}
	return ""
}

// first reports whether a process is the first of its own PID namespace. known is false if it shares this program's.
func (p procfs) first(pid int) (first, known bool) {
	text, err := os.ReadFile(filepath.Join(string(p), strconv.Itoa(pid), "status"))
	if err != nil {
		return false, true
	}
	for line := range strings.Lines(string(text)) {
		if pids, is := strings.CutPrefix(line, "NSpid:"); is {
			all := strings.Fields(pids)
			return len(all) > 1 && all[len(all)-1] == "1", len(all) > 1
		}
	}
	return false, false
}

// newest returns the process ID that was assigned last in this program's PID namespace and those below it, or "".
func (p procfs) newest() string {
	text, err := os.ReadFile(filepath.Join(string(p), "loadavg"))
	if err != nil {
		return ""
	}
	return string(text[bytes.LastIndexByte(text, ' ')+1:])
}

// pids lists the processes.
func (p procfs) pids() ([]int, error) {
	folder, err := os.Open(string(p))
	if err != nil {
		return nil, err
	}
	defer func() { _ = folder.Close() }()
	names, err := folder.Readdirnames(-1)
	all := make([]int, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			all = append(all, pid)
		}
	}
	return all, err
}
