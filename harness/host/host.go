// Package host asks the operating system of this host what Go's library does not: locks of files, free space, the
// kernel's release, and processes. Its functions are the same on each system.
package host

import (
	"errors"
	"fmt"
	"runtime"
)

// ErrLocked is the error of a lock that another process has.
var ErrLocked = errors.New("another process has the lock")

// NeedLinux returns an error in one line if this host has no Linux. what is a whole sentence's subject and verb, such
// as "the virtual lane runs".
func NeedLinux(what, instead string) error {
	if runtime.GOOS == "linux" {
		return nil
	}
	return fmt.Errorf("%s on Linux only, and this is %s; %s", what, runtime.GOOS, instead)
}
