package record

import (
	"fmt"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/mark"
)

const (
	// garbagePerSecond bounds the Garbage records, so that nonsense on the port cannot push marks out of memory.
	garbagePerSecond = 10
	// noteBytes is how much of the nonsense a record quotes.
	noteBytes = 64
)

// limiter lets some events of every second pass and counts the others.
type limiter struct {
	mu         sync.Mutex
	second     int64
	passed     int
	suppressed int
}

// pass says whether to record this event, and how many were suppressed since the last recorded one.
func (l *limiter) pass(at int64) (suppressed int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if second := at / int64(time.Second); second != l.second {
		l.second, l.passed = second, 0
	}
	if l.passed >= garbagePerSecond {
		l.suppressed++
		return 0, false
	}
	l.passed++
	suppressed, l.suppressed = l.suppressed, 0
	return suppressed, true
}

// cutOff records that a victim spoke anything but the protocol and was cut off. It happens once per
// connection and is never suppressed, since no Gone follows it.
func (r *Recorder) cutOff(victim mark.Record, at int64, why string, received []byte) {
	victim.At, victim.Kind = at, mark.Unreadable
	victim.Detail = mark.Detail{Note: fmt.Sprintf("%s: %q", why, received[:min(len(received), noteBytes)])}
	r.store.add(victim)
}

// addGarbage records a stranger's connection that spoke anything but the protocol.
func (r *Recorder) addGarbage(conn uint64, at int64, why string, received []byte) {
	suppressed, ok := r.garbage.pass(at)
	if !ok {
		return
	}
	note := fmt.Sprintf("%s: %q", why, received[:min(len(received), noteBytes)])
	if suppressed > 0 {
		note += fmt.Sprintf(" (and %d connections more before it)", suppressed)
	}
	r.store.add(mark.Record{At: at, Conn: conn, Kind: mark.Unreadable, Detail: mark.Detail{Note: note}})
}
