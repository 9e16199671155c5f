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

// The real time for which virtual time may stand still while a request is served: frozenAfter if no goroutine
// computes or waits for a disk, hungAfter in any case. hungAfter is shorter than the lab's timeout, so that the lab
// gets the goroutines that hold the time.
const (
	frozenAfter = 10 * time.Second
	hungAfter   = 25 * time.Second
)

// watchdog observes from outside of the bubble, in real time, whether virtual time passes.
type watchdog struct {
	// seconds counts the bubble's seconds. guarding is set while they should pass.
	seconds  atomic.Int64
	guarding atomic.Bool
	// served counts requests, so that a fast request is not mistaken for the one before.
	served atomic.Int64
}

// watch starts a watchdog. If virtual time stands still, it sends an answer with the goroutines that hold it, and
// exits.
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

// follow counts virtual seconds. It must be called in the bubble.
func (d *watchdog) follow() {
	go func() {
		for {
			time.Sleep(time.Second)
			d.seconds.Add(1)
		}
	}()
}

// guard sets whether a request is being served.
func (d *watchdog) guard(serving bool) {
	d.guarding.Store(serving)
	d.served.Add(1)
}

// stacks returns the stacks of all goroutines.
func stacks() string {
	for size := 1 << 20; ; size *= 2 {
		text := make([]byte, size)
		if n := runtime.Stack(text, true); n < size {
			return string(text[:n])
		}
	}
}

// holders describes the goroutines of the bubble that hold its time: those whose headings do not say that they are
// durably blocked. The goroutine in synctest.Wait waits for the others and holds nothing.
func holders(stacks string) string {
	holding := holding(stacks)
	if len(holding) == 0 {
		return "virtual time stands still, and no goroutine holds it visibly"
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

// busy reports whether a goroutine that holds the time computes or waits for the host's disk. Time passes when it is
// done.
func busy(stacks string) bool {
	return slices.ContainsFunc(holding(stacks), func(goroutine string) bool {
		_, state, _ := strings.Cut(goroutine, "[")
		return strings.HasPrefix(state, "runn") || strings.HasPrefix(state, "syscall") // running, runnable
	})
}
