package main

import (
	"context"
	"fmt"
	"os"

	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/victim"
	"github.com/podclock/podclock/harness/victim/play"
)

// runHook runs an exec hook once.
func runHook(hook victim.Hook) (int, error) {
	id, address, err := environment(os.Getenv)
	if err != nil {
		return 0, err
	}
	if hook.PostStart {
		// It starts together with the main process, and the recorder knows their life only after the main process's
		// hello.
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
