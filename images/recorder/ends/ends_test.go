//go:build linux

package ends

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/podclock/podclock/harness/observe/wire"
)

func id(n int) string { return fmt.Sprintf("%064x", n) }

const uid = "4d704130-4e69-4686-b4cd-0123456789ab"

func TestCgroups(t *testing.T) {
	g := NewWithT(t)
	p := procfs(t.TempDir())
	for cgroup, want := range map[string]string{
		"11:memory:/kubelet/kubepods/besteffort/pod" + uid + "/" + id(7):                                                    id(7),
		"0::/../../pod" + uid + "/" + id(7):                                                                                 id(7),
		"0::/kubepods.slice/kubepods-pod" + strings.ReplaceAll(uid, "-", "_") + ".slice/cri-containerd-" + id(7) + ".scope": id(7),
		"0::/kubepods.slice/kubepods-pod" + strings.ReplaceAll(uid, "-", "_") + ".slice/crio-" + id(7) + ".scope/container": id(7),
		"0::/kubepods/burstable/pod0123456789abcdef0123456789abcdef/" + id(7):                                               id(7),
		"0::/kubepods.slice/kubepods-pod" + strings.ReplaceAll(uid, "-", "_") + ".slice/crio-conmon-" + id(7) + ".scope":    "",
		"0::/docker/" + id(7) + "/system.slice/kubelet.service":                                                             "",
		"0::/": "",
	} {
		g.Expect(os.MkdirAll(filepath.Join(string(p), "1"), 0o700)).To(Succeed())
		g.Expect(os.WriteFile(filepath.Join(string(p), "1", "cgroup"), []byte("12:cpu:/\n"+cgroup+"\n"),
			0o600)).To(Succeed())
		g.Expect(p.containerOf(1)).To(Equal(want), cgroup)
	}
}

// start starts a process, and shows it below a folder as one of a container. Its last process ID is its own in its
// PID namespace; 0 means that it has none.
func start(t *testing.T, proc, cgroup string, own int) *exec.Cmd {
	t.Helper()
	g := NewWithT(t)
	cmd := exec.Command("sleep", "100")
	g.Expect(cmd.Start()).To(Succeed())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	pids := strconv.Itoa(cmd.Process.Pid)
	if own > 0 {
		pids += "\t" + strconv.Itoa(own)
	}
	folder := filepath.Join(proc, strconv.Itoa(cmd.Process.Pid))
	g.Expect(os.MkdirAll(folder, 0o700)).To(Succeed())
	g.Expect(os.WriteFile(filepath.Join(folder, "status"), []byte("Name:\tsleep\nNSpid:\t"+pids+"\n"),
		0o600)).To(Succeed())
	g.Expect(os.WriteFile(filepath.Join(folder, "cgroup"), []byte("0::"+cgroup+"\n"), 0o600)).To(Succeed())
	return cmd
}

// Each container's end is reported once, by its first process.
func TestEnds(t *testing.T) {
	g := NewWithT(t)
	proc := t.TempDir()
	in := func(n int) string { return "/kubepods/pod" + uid + "/" + id(n) }
	child, first := start(t, proc, in(1), 7), start(t, proc, in(1), 1)
	shared := start(t, proc, in(2), 0)
	start(t, proc, "/system.slice/sshd.service", 0)

	lines, watched := run(t, proc)
	g.Eventually(watched, 10*time.Second).Should(Equal(2))
	g.Expect(child.Process.Kill()).To(Succeed())
	killed := map[string]time.Time{}
	for of, cmd := range map[string]*exec.Cmd{id(1): first, id(2): shared} {
		killed[of] = time.Now()
		g.Expect(cmd.Process.Kill()).To(Succeed())
	}
	found := map[string]wire.Line{}
	for len(found) < 2 {
		l := next(g, lines)
		g.Expect(found).NotTo(HaveKey(l.Container))
		found[l.Container] = l
	}
	for of, l := range found {
		g.Expect(l.Time()).To(BeTemporally("~", killed[of], time.Second))
	}
	g.Expect(watched()).To(BeZero())
}

// While no new process ID is assigned, most looks are left out, but not all.
func TestLooks(t *testing.T) {
	g := NewWithT(t)
	proc := t.TempDir()
	newest := func(pid int) {
		text := fmt.Sprintf("0.50 0.40 0.30 1/200 %d\n", pid)
		g.Expect(os.WriteFile(filepath.Join(proc, "loadavg"), []byte(text), 0o600)).To(Succeed())
	}
	w, err := New(proc)
	g.Expect(err).NotTo(HaveOccurred())
	for n, c := range []struct {
		pid, looks int
	}{{pid: 5, looks: 1}, {pid: 6, looks: 1}, {pid: 6, looks: mostSkipped + 1}} {
		start(t, proc, "/kubepods/pod"+uid+"/"+id(n), 1)
		newest(c.pid)
		for range c.looks {
			g.Expect(w.count()).To(Equal(n))
			g.Expect(w.look()).To(Succeed())
		}
		g.Expect(w.count()).To(Equal(n + 1))
	}
}

// However busy the node is, an end lies in the range of its line.
func TestEndsLieInTheirRange(t *testing.T) {
	g := NewWithT(t)
	proc := t.TempDir()
	const ends = 40
	cmds := map[string]*exec.Cmd{}
	for n := range ends {
		cmds[id(n)] = start(t, proc, "/kubepods/pod"+uid+"/"+id(n), 1)
	}
	lines, watched := run(t, proc)
	g.Eventually(watched, 10*time.Second).Should(Equal(ends))
	var done atomic.Bool
	t.Cleanup(func() { done.Store(true) })
	for range 4 * runtime.NumCPU() {
		go func() {
			for !done.Load() {
			}
		}()
	}
	for of, cmd := range cmds {
		began := time.Now()
		g.Expect(cmd.Process.Kill()).To(Succeed())
		_ = cmd.Wait() // it was killed
		ended := time.Now()
		l := next(g, lines)
		g.Expect(l.Container).To(Equal(of))
		g.Expect(l.Time()).To(BeTemporally(">", began))
		g.Expect(l.Time().Add(-time.Duration(l.Late))).To(BeTemporally("<", ended))
	}
}

// run runs a watcher until the end of the test. It returns its lines, and the number of processes that it watches.
func run(t *testing.T, proc string) (lines <-chan wire.Line, watched func() int) {
	g := NewWithT(t)
	w, err := New(proc)
	g.Expect(err).NotTo(HaveOccurred())
	read, write := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx, "e", write) }()
	t.Cleanup(func() {
		cancel()
		g.Expect(<-done).To(Succeed())
	})
	all := make(chan wire.Line, 100)
	go func() {
		for s := bufio.NewScanner(read); s.Scan(); {
			var l wire.Line
			_ = json.Unmarshal(s.Bytes(), &l)
			all <- l
		}
	}()
	return all, w.count
}

// next returns the next end of a watcher.
func next(g *WithT, lines <-chan wire.Line) wire.Line {
	for {
		var l wire.Line
		g.Eventually(lines, 10*time.Second).Should(Receive(&l))
		g.Expect(l.Epoch).To(Equal("e"))
		if l.Container != "" {
			return l
		}
	}
}
