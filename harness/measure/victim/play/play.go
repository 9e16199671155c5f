// Package play executes what package victim describes, without a process or a socket of its own, so that a real
// node and a runtime in virtual time behave alike. It counts and answers probes, serves HTTP and gRPC on given
// listeners, lives a main process' life and runs hooks.
//
// It runs inside a testing/synctest bubble: it makes no channels and timers before it is called, and waits on
// nothing else. The end of a function's context is SIGKILL: the process marks nothing more.
package play

import (
	"context"
	"time"

	"github.com/podclock/podclock/harness/measure/mark"
)

// Recorder takes the marks of one process. Mark must not wait: its caller holds a lock.
type Recorder interface {
	Mark(kind mark.Kind, at time.Time, detail mark.Detail)
	// Life returns the container's life of the process, from 1.
	Life() int
}

// Killed is the exit code of a process that could not end itself, as in os.ProcessState.
const Killed = -1

// Trouble is an error that ends a process with an exit code of its own.
type Trouble struct {
	Code int
	Err  error
}

func (t Trouble) Error() string { return t.Err.Error() }

func (t Trouble) Unwrap() error { return t.Err }

// Sleep returns false if the context ended first.
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
