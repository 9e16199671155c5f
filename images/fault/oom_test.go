//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
)

func TestTheKernelKillsItForItsMemory(t *testing.T) {
	t.Parallel()
	group := memoryLimit(t, 48<<20)
	r := newRig(t)
	p := r.life(victim.Run{Term: victim.Ignore, OOMAfter: 500 * time.Millisecond})
	r.g.Expect(os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte(strconv.Itoa(p.Process.Pid)), 0o600)).
		To(Succeed())
	p.exit()
	r.g.Expect(p.ProcessState.Sys().(syscall.WaitStatus).Signal()).To(Equal(syscall.SIGKILL))
	r.await(mark.Gone, 1)
	r.g.Expect(r.kinds(mark.Run)).To(Equal([]mark.Kind{mark.Connected, mark.Started, mark.Gone}))
}

// memoryLimit makes a cgroup with a memory limit. It skips the test if that is impossible, to protect the machine.
func memoryLimit(t *testing.T, bytes int) string {
	t.Helper()
	for _, version := range []struct{ root, limit string }{
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
		{"/sys/fs/cgroup", "memory.max"},
	} {
		group := filepath.Join(version.root, fmt.Sprintf("podclock-fault-test-%d", os.Getpid()))
		if os.Mkdir(group, 0o755) != nil {
			continue
		}
		t.Cleanup(func() {
			// The kernel lets a cgroup go once its last process is reaped.
			start := time.Now()
			for os.Remove(group) != nil && time.Since(start) < bound {
				time.Sleep(10 * time.Millisecond)
			}
		})
		if os.WriteFile(filepath.Join(group, version.limit), []byte(strconv.Itoa(bytes)), 0o600) == nil {
			return group
		}
	}
	t.Skip("no cgroup with a memory limit can be made here")
	return ""
}

func TestGivesUpWithoutAMemoryLimit(t *testing.T) {
	t.Parallel()
	NewWithT(
		t,
	).Expect(allocate(2 * oomStep)).
		To(MatchError(And(ContainSubstring("16 MiB"), ContainSubstring("memory limit"))))
}
