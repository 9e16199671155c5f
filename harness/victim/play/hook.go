package play

import (
	"context"
	"time"

	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/victim"
)

// Hook is one run of an exec hook: it marks its beginning, takes its time, marks its end and gives its exit
// code. When the context ends first it was killed: it marks nothing more, and its exit code is Killed.
//
// A postStart hook runs beside the main process' start. Its recorder is to be made after the main process'
// mark Started, because the life that it belongs to is known only then.
func Hook(ctx context.Context, hook victim.Hook, recorder Recorder) (code int) {
	began, ended := mark.HookBegan, mark.HookEnded
	if hook.PostStart {
		began, ended = mark.PostStartBegan, mark.PostStartEnded
	}
	recorder.Mark(began, time.Now(), mark.Detail{})
	if hook.Hang {
		// Not a wait for the context alone: in a process where nothing else goes on, the Go runtime takes
		// that for a deadlock.
		for Sleep(ctx, time.Hour) {
		}
		return Killed
	}
	if !Sleep(ctx, hook.Sleep) {
		return Killed
	}
	recorder.Mark(ended, time.Now(), mark.Detail{})
	return hook.ExitCode
}
