//go:build linux

// Command runtimeshim is an OCI runtime that removes from a container's description what this host cannot grant, and
// then becomes runc. It changes nothing on a host that lacks nothing.
//
// A container engine requests every capability, resource limits and out-of-memory scores for a privileged container. On
// a host with a reduced capability bounding set, the kernel refuses, and no node starts.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/podclock/podclock/harness/host/engine/capset"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "podclock runtime shim: %v\n", err)
		os.Exit(1)
	}
}

// run becomes runc and keeps the process ID, or returns an error.
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
