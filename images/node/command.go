package node

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// stopTime is how long a program may take to stop after an interrupt before it is killed.
const stopTime = 5 * time.Second

// command is a program that ends with ctx, together with all that it started, and at once if this process is killed.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C",
		"PATH="+os.Getenv("PATH")+":/usr/local/sbin:/usr/sbin:/sbin") // su leaves root without them
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = stopTime
	return cmd
}

// isolate gives a command mount and process namespaces of its own. What it mounts and starts is gone when
// it ends, however it ends: so removing its folder afterwards can never reach into something that was
// mounted there.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr.Unshareflags = syscall.CLONE_NEWNS
	cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWPID
	// The first process of a namespace ignores SIGTERM, and its end is the end of all others there.
	cmd.Cancel = func() error { return cmd.Process.Kill() }
}

// tail is the end of a program's output, where the reason of its failure stands.
func tail(out []byte) string {
	const most = 1500
	text := strings.TrimSpace(string(out))
	if cut := len(text) - most; cut > 0 {
		return "…" + text[cut:]
	}
	return text
}
