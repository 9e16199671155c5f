package node

import (
	"os/exec"
	"syscall"
)

// endTogether ends a command's children with it, and all of them with this process.
func endTogether(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}

// isolate gives a command its own mount and process namespaces, so its mounts and processes end with it, and another
// root unless that is empty.
func isolate(cmd *exec.Cmd, root string) {
	cmd.SysProcAttr.Chroot = root
	cmd.SysProcAttr.Unshareflags = syscall.CLONE_NEWNS
	cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWPID
	// The first process of a namespace ignores SIGTERM. Its end ends all others in the namespace.
	cmd.Cancel = func() error { return cmd.Process.Kill() }
}
