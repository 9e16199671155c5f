package record

import (
	"sync"

	"github.com/podclock/podclock/harness/mark"
)

// maxContainers bounds the memory for counting lives; a run has some hundreds of containers.
const maxContainers = 1 << 16

type (
	container struct{ uid, name string }
	process   struct {
		container
		word string
	}
)

// lives counts the main processes of every container.
type lives struct {
	mu    sync.Mutex
	count map[container]int
	// of is the life of each process that said its word.
	of map[process]int
}

// enter is the life that a process belongs to, a new one unless it turns to the recorder again; false when there are too many containers to count.
func (l *lives) enter(hello mark.Hello) (int, bool) {
	id := hello.Identity
	l.mu.Lock()
	defer l.mu.Unlock()
	c := container{id.UID, id.Container}
	if id.Role != mark.Run {
		return l.count[c], true
	}
	if _, known := l.count[c]; !known && len(l.count) >= maxContainers {
		return 0, false
	}
	p := process{c, hello.Process}
	if life := l.of[p]; life > 0 {
		return life, true
	}
	l.count[c]++
	if hello.Process != "" {
		l.of[p] = l.count[c]
	}
	return l.count[c], true
}
