// Fault is the program inside every victim pod. It does what its arguments say, which package victim
// describes, and tells the recorder of its node what happens to it:
//
//	fault run    the container's main process
//	fault hook   an exec hook
//	fault probe  an exec probe, which asks the main process for its answer
//
// It must never know why it is made to behave so, or what the kubelet is expected to do about it.
//
// As PID 1 of its container it reaps nobody: it starts no process, and hooks and probes are the container
// runtime's children.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/podclock/podclock/harness/victim"
	"github.com/podclock/podclock/harness/victim/play"
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
		return 0, errors.New("no command: it is run, hook or probe")
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
	}
	return 0, fmt.Errorf("unknown command %q: it is run, hook or probe", args[0])
}
