package record

import (
	"net"
	"slices"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/measure/mark"
)

// unreadablePerSecond limits the Unreadable records, so nonsense on the port cannot push marks out of memory.
const unreadablePerSecond = 10

// limiter passes some events of every second and counts the others.
type limiter struct {
	mu         sync.Mutex
	second     int64
	passed     int
	suppressed int
}

// pass reports whether to record this event, and how many were suppressed since the last record.
func (l *limiter) pass(at int64) (suppressed int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if second := at / int64(time.Second); second != l.second {
		l.second, l.passed = second, 0
	}
	if l.passed >= unreadablePerSecond {
		l.suppressed++
		return 0, false
	}
	l.passed++
	suppressed, l.suppressed = l.suppressed, 0
	return suppressed, true
}

type conns struct {
	bound int

	mu   sync.Mutex
	last uint64
	open map[net.Conn]bool
}

func (c *conns) enter(conn net.Conn) (uint64, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) >= c.bound {
		return 0, false
	}
	if c.open == nil {
		c.open = map[net.Conn]bool{}
	}
	c.open[conn] = true
	c.last++
	return c.last, true
}

func (c *conns) leave(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, conn)
}

func (c *conns) closeAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.open {
		_ = conn.Close()
	}
}

// maxContainers limits the memory for lives. A run has some hundreds of containers.
const maxContainers = 1 << 16

type container struct{ uid, name string }

type counted struct {
	lives int
	// words are those of the main processes of the last two lives, the newest first. After an outage of the
	// recorder, the hello of a dead process may arrive after that of the next.
	words [2]string
}

type lives struct {
	mu sync.Mutex
	of map[container]counted
}

// enter returns the life that a process belongs to: a new one for a main process, unless it connects again. It
// returns false if there are too many containers.
func (l *lives) enter(hello mark.Hello) (int, bool) {
	id := hello.Identity
	l.mu.Lock()
	defer l.mu.Unlock()
	of := container{id.UID, id.Container}
	c, known := l.of[of]
	if id.Role != mark.Run {
		return c.lives, true
	}
	if !known && len(l.of) >= maxContainers {
		return 0, false
	}
	if before := slices.Index(c.words[:], hello.Process); before >= 0 && hello.Process != "" {
		return c.lives - before, true
	}
	c = counted{c.lives + 1, [2]string{hello.Process, c.words[0]}}
	l.of[of] = c
	return c.lives, true
}
