package record

import (
	"net"
	"sync"
	"time"
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

// pass reports whether to record this event, and how many were suppressed since the last recorded one.
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

// conns are the open connections.
type conns struct {
	bound int

	mu   sync.Mutex
	last uint64
	open map[net.Conn]bool
}

// enter returns the number of a new connection, or false if there are too many.
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
