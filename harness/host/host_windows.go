package host

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// Lock takes the lock of a file, or returns [ErrLocked] at once. Closing the file frees it, as does this process's end.
func Lock(file *os.File) error {
	// The lock is of a byte far behind the content, because Windows lets nobody else read what is locked.
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}

// Free returns the bytes that this user can write to the file system of a folder.
func Free(folder string) (uint64, error) {
	free := uint64(0)
	name, err := windows.UTF16PtrFromString(folder)
	if err == nil {
		err = windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
	}
	if err != nil {
		return 0, fmt.Errorf("reading the free space in %s: %w", folder, err)
	}
	return free, nil
}

// Kernel returns the kernel's release, or "".
func Kernel() string {
	v := windows.RtlGetVersion()
	return fmt.Sprintf("%d.%d.%d", v.MajorVersion, v.MinorVersion, v.BuildNumber)
}

// Gone reports whether no process has this number.
func Gone(pid int) bool {
	process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err == nil {
		_ = windows.CloseHandle(process)
	}
	return errors.Is(err, windows.ERROR_INVALID_PARAMETER)
}

// Detach lets a command outlive this process and its terminal.
func Detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS}
}
