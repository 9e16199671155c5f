package play

import (
	"context"
	"time"

	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/victim"
)

// Hook is one run of an exec hook: it marks its beginning, takes its time, marks its end and returns its exit code.
// If the context ends first, the hook was killed: it marks nothing more and returns Killed.
//
// A postStart hook runs beside the main process' start. Make its recorder after the main process' mark Started,
// because only then its life is known.
func Hook(ctx context.Context, hook victim.Hook, recorder Recorder) (code int) {
	began, ended := mark.HookBegan, mark.HookEnded
	if hook.PostStart {
		began, ended = mark.PostStartBegan, mark.PostStartEnded
	}
	recorder.Mark(began, time.Now(), mark.Detail{})
	if hook.Hang {
		// The Go runtime takes a wait for the context alone for a deadlock if nothing else runs in the process.
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
