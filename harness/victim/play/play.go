// Package play executes what package victim describes, as far as that needs neither a process nor a socket
// of its own: it counts and answers probes, serves HTTP and gRPC on listeners it is given, lives the life
// of a main process and runs a hook. The fault image plays a victim as real processes on a real node, a
// container runtime in virtual time as goroutines, and both behave alike because both do it with this
// package.
//
// It runs inside a testing/synctest bubble: it has no channels and timers before it is called, and waits on
// nothing else.
//
// A process that is killed says nothing more. Here that is the end of the context that its functions are
// given: it is SIGKILL.
package play

import (
	"context"
	"time"

	"github.com/podclock/podclock/harness/mark"
)

// Recorder takes the marks of one process. Mark must not wait for virtual time, because it is called with a lock
// held.
type Recorder interface {
	// Mark writes one mark that happened at a time.
	Mark(kind mark.Kind, at time.Time, detail mark.Detail)
	// Life returns the life of the container that the process belongs to, from 1, as in its Welcome.
	Life() int
}

// Killed is the exit code of a process that could not end itself, as in os.ProcessState.
const Killed = -1

// Trouble is an error that ends a process with an exit code of its own, such as victim.ExitNotServing.
type Trouble struct {
	Code int
	Err  error
}

func (t Trouble) Error() string { return t.Err.Error() }

func (t Trouble) Unwrap() error { return t.Err }

// Sleep waits. It returns false if the context ended first.
func Sleep(ctx context.Context, duration time.Duration) bool {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
