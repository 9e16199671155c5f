//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

// TestPause gives pause children to inherit, as a pod with a shared process namespace does. A shell starts
// them and then becomes pause. Once they are reaped, pause handles signals, so the test stops it.
func TestPause(t *testing.T) {
	pause := filepath.Join(t.TempDir(), "pause")
	if out, err := exec.Command("go", "build", "-o", pause, ".").CombinedOutput(); err != nil {
		t.Fatalf("building pause: %v: %s", err, out)
	}
	for _, signal := range []os.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(signal.String(), func(t *testing.T) {
			g := NewWithT(t)
			cmd := exec.Command("sh", "-c", "sleep 0.3 & sleep 0.4 & exec "+pause)
			g.Expect(cmd.Start()).To(Succeed())
			defer func() { _ = cmd.Process.Kill() }()

			children := func() (string, error) { // the result includes dead children that were not reaped
				content, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", cmd.Process.Pid))
				return string(content), err
			}
			g.Eventually(children, time.Second, 5*time.Millisecond).ShouldNot(BeEmpty())
			g.Eventually(children, 5*time.Second, 20*time.Millisecond).
				Should(BeEmpty(), "a dead child is left unreaped")

			g.Expect(cmd.Process.Signal(signal)).To(Succeed())
			exited := make(chan error, 1)
			go func() { exited <- cmd.Wait() }()
			g.Eventually(exited, 5*time.Second).Should(Receive(BeNil()), "pause ends by itself, with code 0")
		})
	}
}
