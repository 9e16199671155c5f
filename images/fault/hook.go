package main

import (
	"fmt"
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
	began, ended := mark.HookBegan, mark.HookEnded
	if hook.PostStart {
		// It runs beside the main process' start, and belongs to a life that the recorder knows only once that has said hello.
		began, ended = mark.PostStartBegan, mark.PostStartEnded
		if err := awaitMain(id); err != nil {
			return 0, trouble{victim.ExitNoMain, fmt.Errorf("waiting for the main process before a postStart hook: %w", err)}
		}
	}
	recorder, err := connect(mark.Hook, id, address)
	if err != nil {
		return 0, err
	}
	recorder.mark(began, time.Now(), mark.Detail{})
	for hook.Hang {
		time.Sleep(time.Hour)
	}
	time.Sleep(hook.Sleep)
	recorder.mark(ended, time.Now(), mark.Detail{})
	return hook.ExitCode, nil
}
