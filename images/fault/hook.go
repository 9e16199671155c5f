package main

import (
	"context"
	"fmt"
	"os"

	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/victim"
	"github.com/podclock/podclock/harness/victim/play"
)

// runHook is one run of an exec hook.
func runHook(hook victim.Hook) (int, error) {
	id, address, err := environment(os.Getenv)
	if err != nil {
		return 0, err
	}
	if hook.PostStart {
		// It runs beside the main process' start, and belongs to a life that the recorder knows only once
		// that has said hello.
		if err := awaitMain(id); err != nil {
			return 0, play.Trouble{
				Code: victim.ExitNoMain,
				Err:  fmt.Errorf("waiting for the main process before a postStart hook: %w", err),
			}
		}
	}
	recorder, err := connect(mark.Hook, id, address)
	if err != nil {
		return 0, err
	}
	return play.Hook(context.Background(), hook, recorder), nil
}
