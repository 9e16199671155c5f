// Command runtimeshim is an OCI runtime that removes from a container's description what this host cannot
// grant, and then becomes runc.
//
// A container engine requests every capability for a privileged container, and its own resource limits and
// out-of-memory scores. On a host with a reduced capability bounding set the kernel refuses, and no node
// starts. Package harness/engine registers this program with an engine that it starts on such a host, and
// with no other.
//
// It never adds to a description, and changes none on a host that lacks nothing.
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

// run returns only an error. On success the process becomes runc and keeps its ID, so its parent waits for runc.
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
