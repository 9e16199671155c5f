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

const exitUnserved = 1

// The real time for which virtual time may stop during a request: frozenAfter if no goroutine computes or waits for
// a disk, hungAfter in any case, which is shorter than the lab's timeout.
const (
	frozenAfter = 10 * time.Second
	hungAfter   = 25 * time.Second
)

// watchdog observes in real time, from outside of the bubble, whether virtual time passes.
type watchdog struct {
	// the bubble's seconds; guarding is set while they should pass
	seconds  atomic.Int64
	guarding atomic.Bool
	// the number of requests
	served atomic.Int64
}

// watch starts a watchdog. If virtual time stops, it sends an answer with the goroutines that hold it, and exits.
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
			stopped := time.Since(since)
			if stopped < frozenAfter {
				continue
			}
			if all := stacks(); stopped > hungAfter || !busy(all) {
				_ = a.send(wire.Answer{Frozen: holders(all)})
				cleanUp()
				os.Exit(exitUnserved)
			}
		}
	}()
	return d
}

func (d *watchdog) follow() {
	go func() {
		for {
			time.Sleep(time.Second)
			d.seconds.Add(1)
		}
	}()
}

func (d *watchdog) guard(serving bool) {
	d.guarding.Store(serving)
	d.served.Add(1)
}

func stacks() string {
	for size := 1 << 20; ; size *= 2 {
		text := make([]byte, size)
		if n := runtime.Stack(text, true); n < size {
			return string(text[:n])
		}
	}
}

// holders describes the goroutines that hold the bubble's time: those that are not durably blocked by their
// headings. The one in synctest.Wait waits for the others and holds nothing.
func holders(stacks string) string {
	holding := holding(stacks)
	if len(holding) == 0 {
		return "virtual time stopped, and no goroutine holds it visibly"
	}
	return "virtual time stopped; these goroutines of the bubble are not durably blocked:\n\n" +
		strings.Join(holding, "\n\n")
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

// busy reports whether a goroutine that holds the time computes or waits for the host's disk.
func busy(stacks string) bool {
	return slices.ContainsFunc(holding(stacks), func(goroutine string) bool {
		_, state, _ := strings.Cut(goroutine, "[")
		return strings.HasPrefix(state, "runn") || strings.HasPrefix(state, "syscall") // running, runnable
	})
}
