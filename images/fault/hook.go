package main

import (
	"os"
	"time"

	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/victim"
)

// runHook is one run of an exec hook.
func runHook(hook victim.Hook) (int, error) {
	id, address, err := environment(os.Getenv)
	if err != nil {
		return 0, err
	}
	recorder, err := connect(mark.Hook, id, address)
	if err != nil {
		return 0, err
	}
	recorder.mark(mark.HookBegan, time.Now(), mark.Detail{})
	for hook.Hang {
		time.Sleep(time.Hour)
	}
	time.Sleep(hook.Sleep)
	recorder.mark(mark.HookEnded, time.Now(), mark.Detail{})
	return hook.ExitCode, nil
}
