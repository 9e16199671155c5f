//go:build unix

package host

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// Lock takes the lock of a file, or returns [ErrLocked] at once. Closing the file frees it, as does this process's end.
func Lock(file *os.File) error {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrLocked
		case !errors.Is(err, unix.EINTR):
			return err
		}
	}
}

// Free returns the bytes that this user can write to the file system of a folder.
func Free(folder string) (uint64, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(folder, &fs); err != nil {
		return 0, fmt.Errorf("reading the free space in %s: %w", folder, err)
	}
	return fs.Bavail * uint64(fs.Bsize), nil
}

// Kernel returns the kernel's release, or "".
func Kernel() string {
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return ""
	}
	return unix.ByteSliceToString(name.Release[:])
}

// Gone reports whether no process has this number.
func Gone(pid int) bool { return errors.Is(unix.Kill(pid, 0), unix.ESRCH) }

// Detach lets a command outlive this process and its terminal.
func Detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
