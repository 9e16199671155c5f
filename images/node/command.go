package node

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

const stopTime = 5 * time.Second

// command ends with ctx or this process, together with its children.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C",
		"PATH="+os.Getenv("PATH")+":/usr/local/sbin:/usr/sbin:/sbin") // su leaves root without them
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = stopTime
	return cmd
}

// isolate gives a command its own mount and process namespaces, so its mounts and processes end with it.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr.Unshareflags = syscall.CLONE_NEWNS
	cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWPID
	// The first process of a namespace ignores SIGTERM. Its end ends all others in the namespace.
	cmd.Cancel = func() error { return cmd.Process.Kill() }
}

func tail(out []byte) string {
	const most = 1500
	text := strings.TrimSpace(string(out))
	if cut := len(text) - most; cut > 0 {
		return "…" + text[cut:]
	}
	return text
}

func present(ctx context.Context, engine, ref string) bool {
	return command(ctx, engine, "image", "inspect", ref).Run() == nil
}
