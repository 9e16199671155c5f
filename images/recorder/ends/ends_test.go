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
	"strconv"
	"strings"
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
		g.Expect(os.WriteFile(filepath.Join(string(p), "1", "cgroup"), []byte("12:cpu:/\n"+cgroup+"\n"), 0o600)).To(Succeed())
		g.Expect(p.containerOf(1)).To(Equal(want), cgroup)
	}
}

// process starts a process, and shows it below a folder as one of a container. Its last process ID is its own in its
// PID namespace; 0 means that it has none.
func process(t *testing.T, proc, cgroup string, own int) *exec.Cmd {
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
	g.Expect(os.WriteFile(filepath.Join(folder, "status"), []byte("Name:\tsleep\nNSpid:\t"+pids+"\n"), 0o600)).To(Succeed())
	g.Expect(os.WriteFile(filepath.Join(folder, "cgroup"), []byte("0::"+cgroup+"\n"), 0o600)).To(Succeed())
	return cmd
}

// Each container's end is reported once, by its first process.
func TestEnds(t *testing.T) {
	g := NewWithT(t)
	proc := t.TempDir()
	in := func(n int) string { return "/kubepods/pod" + uid + "/" + id(n) }
	child, first := process(t, proc, in(1), 7), process(t, proc, in(1), 1)
	shared := process(t, proc, in(2), 0)
	process(t, proc, "/system.slice/sshd.service", 0)

	w, err := New(proc)
	g.Expect(err).NotTo(HaveOccurred())
	read, write := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx, "e", write) }()
	lines := make(chan wire.Line, 100)
	go func() {
		for s := bufio.NewScanner(read); s.Scan(); {
			var l wire.Line
			_ = json.Unmarshal(s.Bytes(), &l)
			lines <- l
		}
	}()
	g.Eventually(w.count, 10*time.Second).Should(Equal(2))
	killed := map[string]time.Time{}
	for cmd, of := range map[*exec.Cmd]string{child: "", first: id(1), shared: id(2)} {
		killed[of] = time.Now()
		g.Expect(cmd.Process.Kill()).To(Succeed())
	}
	found := map[string]wire.Line{}
	g.Eventually(func() int {
		select {
		case l := <-lines:
			g.Expect(l.Epoch).To(Equal("e"))
			if l.Container != "" {
				g.Expect(found).NotTo(HaveKey(l.Container))
				found[l.Container] = l
			}
		default:
		}
		return len(found)
	}, 5*time.Second).Should(Equal(2))
	for of, l := range found {
		g.Expect(l.Time()).To(BeTemporally("~", killed[of], time.Second))
	}
	g.Expect(w.count()).To(BeZero())
	cancel()
	g.Expect(<-done).To(Succeed())
}
