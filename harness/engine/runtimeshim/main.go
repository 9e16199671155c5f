// Command runtimeshim is an OCI runtime that takes out of a container's description what this host cannot give, then
// becomes runc.
//
// A container engine asks for every capability when a container is privileged, and for resource limits and
// out-of-memory scores of its own. On a host whose capability bounding set is reduced the kernel refuses,
// and no node starts. Package harness/engine registers this program with a container engine that it started
// on such a host, and nowhere else.
//
// It must never add to a container's description, nor change one on a host with nothing missing.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/podclock/podclock/harness/engine/capset"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "podclock runtime shim: %v\n", err)
		os.Exit(1)
	}
}

// run never returns when all went well: the process is runc from then on, with the same ID, so its parent waits for the
// right one.
func run(args []string) error {
	missing, err := capset.MissingHere()
	if err != nil {
		return err
	}
	if edit, found := descriptionOf(args); found && len(missing) > 0 {
		if err := edit.without(missing); err != nil {
			return err
		}
	}
	runc, err := exec.LookPath("runc")
	if err != nil {
		return fmt.Errorf("finding the real runtime: %w; install runc", err)
	}
	if err := syscall.Exec(runc, append([]string{"runc"}, args...), os.Environ()); err != nil {
		return fmt.Errorf("becoming %s: %w", runc, err)
	}
	return nil
}
