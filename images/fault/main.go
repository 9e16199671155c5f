//go:build linux

// Fault is the program in every victim pod. It does what its arguments say (package victim) and sends marks of what
// happens to it to the recorder of its node:
//
//	fault run    the container's main process
//	fault hook   an exec hook
//	fault probe  an exec probe, which gets its answer from the main process
//	fault pulled nothing
//
// It does not know the purpose of its behaviour, or what the kubelet should do. As PID 1 it reaps no process: it starts
// none, and hooks and probes are children of the container runtime.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/measure/victim/play"
)

func main() {
	code, err := command(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "fault:", err)
		code = victim.ExitUsage
		if trouble := (play.Trouble{}); errors.As(err, &trouble) {
			code = trouble.Code
		}
	}
	os.Exit(code)
}

func command(args []string) (int, error) {
	if len(args) == 0 {
		return 0, errors.New("no command: use run, hook or probe")
	}
	switch args[0] {
	case victim.RunCommand:
		run, err := victim.ParseRun(args)
		if err != nil {
			return 0, err
		}
		return live(run)
	case victim.HookCommand:
		hook, err := victim.ParseHook(args)
		if err != nil {
			return 0, err
		}
		return runHook(hook)
	case victim.ProbeCommand:
		probe, err := victim.ParseExecProbe(args)
		if err != nil {
			return 0, err
		}
		return ask(probe)
	case victim.PulledCommand:
		return 0, nil
	}
	return 0, fmt.Errorf("unknown command %q: use run, hook or probe", args[0])
}
