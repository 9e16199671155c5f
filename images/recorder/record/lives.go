package record

import (
	"sync"

	"github.com/podclock/podclock/harness/mark"
)

// maxContainers bounds the memory for counting lives; a run has some hundreds of containers.
const maxContainers = 1 << 16

type container struct{ uid, name string }

// lives counts the main processes of every container.
type lives struct {
	mu    sync.Mutex
	count map[container]int
}

// enter is the life that a new process belongs to; false when there are too many containers to count.
func (l *lives) enter(id mark.Identity) (int, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := container{id.UID, id.Container}
	if id.Role != mark.Run {
		return l.count[c], true
	}
	if _, known := l.count[c]; !known && len(l.count) >= maxContainers {
		return 0, false
	}
	l.count[c]++
	return l.count[c], true
}
