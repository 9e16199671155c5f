package record

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// steps is the length of the fixed computation, a few milliseconds of a core of 2023.
	steps = 4_000_000
	// tries is how often it runs. The fastest counts: an interrupt makes one slower.
	tries = 5
)

// coreTime returns the CPU time that a core takes for the fixed computation. Work that waits for the core does not
// count, so it shows how fast the core is, and not how busy.
func coreTime() time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	best := time.Duration(0)
	for range tries {
		from := threadTime()
		compute()
		if took := threadTime() - from; best == 0 || took < best {
			best = took
		}
	}
	return best
}

var computed uint64 // so that the compiler keeps the computation

func compute() {
	x := uint64(1)
	for range steps {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	computed = x
}

func threadTime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) // Linux has it
	return time.Duration(t.Nano())
}
