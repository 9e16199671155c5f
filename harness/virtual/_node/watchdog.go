package main

import (
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/podclock/podclock/harness/virtual/wire"
)

// frozenAfter is how long, in real time, virtual time may stand still while a request is served. A bubble that computes passes its second in far less.
const frozenAfter = 10 * time.Second

// watchdog sees from outside of the bubble, in real time, whether virtual time passes.
type watchdog struct {
	// seconds is what the bubble's clock has counted, guarding whether it should go on.
	seconds  atomic.Int64
	guarding atomic.Bool
	// served counts the requests, so that one that is answered at once is not taken for the one before.
	served atomic.Int64
}

// watch starts a watchdog. When virtual time stands still it answers with the goroutines that hold it, and ends the process.
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
			if time.Since(since) > frozenAfter {
				_ = a.send(wire.Answer{Frozen: holders(stacks())})
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

// holders are the goroutines of the bubble that hold its time: those that are not durably blocked, as the runtime says in their headings. The one that waits
// for the others to be blocked (synctest.Wait) holds nothing.
func holders(stacks string) string {
	var holding []string
	for goroutine := range strings.SplitSeq(stacks, "\n\n") {
		heading, _, _ := strings.Cut(goroutine, "\n")
		if strings.Contains(heading, "synctest bubble") && !strings.Contains(heading, "(durable)") && !strings.Contains(heading, "synctest.Wait") {
			holding = append(holding, goroutine)
		}
	}
	if len(holding) == 0 {
		return "virtual time stands still, and no goroutine is seen to hold it"
	}
	return "virtual time stands still; these goroutines of the bubble are not durably blocked:\n\n" + strings.Join(holding, "\n\n")
}
