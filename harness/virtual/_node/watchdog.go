package main

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/podclock/podclock/harness/virtual/wire"
)

// How long, in real time, virtual time may stand still while a request is served: while nobody computes or
// waits for a disk, and at all. The latter is less than the lab's patience, so that it is told who holds
// the time.
const (
	frozenAfter = 10 * time.Second
	hungAfter   = 25 * time.Second
)

// watchdog sees from outside of the bubble, in real time, whether virtual time passes.
type watchdog struct {
	// seconds is what the bubble's clock has counted, guarding whether it should go on.
	seconds  atomic.Int64
	guarding atomic.Bool
	// served counts the requests, so that one that is answered at once is not taken for the one before.
	served atomic.Int64
}

// watch starts a watchdog. When virtual time stands still it answers with the goroutines that hold it, and
// ends the process.
func watch(a *answers, cleanUp func()) *watchdog {
	d := &watchdog{}
	go func() {
		type progress struct{ seconds, served int64 }
		var last progress
		since := time.Now()
		for range time.Tick(frozenAfter / 10) {
			now := progress{d.seconds.Load(), d.served.Load()}
			if now != last || !d.guarding.Load() {
				last, since = now, time.Now()
				continue
			}
			still := time.Since(since)
			if still < frozenAfter {
				continue
			}
			if all := stacks(); still > hungAfter || !busy(all) {
				_ = a.send(wire.Answer{Frozen: holders(all)})
				cleanUp()
				os.Exit(exitUnserved)
			}
		}
	}()
	return d
}

// follow counts virtual seconds; it is called in the bubble.
func (d *watchdog) follow() {
	go func() {
		for {
			time.Sleep(time.Second)
			d.seconds.Add(1)
		}
	}()
}

// guard says whether a request is being served.
func (d *watchdog) guard(serving bool) {
	d.guarding.Store(serving)
	d.served.Add(1)
}

// stacks are those of all goroutines.
func stacks() string {
	for size := 1 << 20; ; size *= 2 {
		text := make([]byte, size)
		if n := runtime.Stack(text, true); n < size {
			return string(text[:n])
		}
	}
}

// holders are the goroutines of the bubble that hold its time: those that are not durably blocked, as the
// runtime says in their headings. The one that waits for the others to be blocked (synctest.Wait) holds
// nothing.
func holders(stacks string) string {
	holding := holding(stacks)
	if len(holding) == 0 {
		return "virtual time stands still, and no goroutine is seen to hold it"
	}
	return "virtual time stands still; these goroutines of the bubble are not durably blocked:\n\n" + strings.Join(
		holding,
		"\n\n",
	)
}

func holding(stacks string) []string {
	var all []string
	for goroutine := range strings.SplitSeq(stacks, "\n\n") {
		heading, _, _ := strings.Cut(goroutine, "\n")
		if strings.Contains(heading, "synctest bubble") && !strings.Contains(heading, "(durable)") &&
			!strings.Contains(heading, "synctest.Wait") {
			all = append(all, goroutine)
		}
	}
	return all
}

// busy says whether one of those that hold the time computes, or waits for the host's disk: time will pass
// when it is done.
func busy(stacks string) bool {
	return slices.ContainsFunc(holding(stacks), func(goroutine string) bool {
		_, state, _ := strings.Cut(goroutine, "[")
		return strings.HasPrefix(state, "runn") || strings.HasPrefix(state, "syscall") // running, runnable
	})
}
