package record

import (
	"slices"
	"sync"

	"github.com/podclock/podclock/harness/mark"
)

// maxContainers limits the memory for lives. A run has some hundreds of containers.
const maxContainers = 1 << 16

type container struct{ uid, name string }

// counted are the lives of a container so far.
type counted struct {
	lives int
	// words are the words of the main processes of the last two lives, the newest first. After an outage of the
	// recorder, the hello of a dead process may arrive after that of the next.
	words [2]string
}

// lives counts the main processes of every container.
type lives struct {
	mu sync.Mutex
	of map[container]counted
}

// enter returns the number of the life that a process belongs to. A main process begins a new one, unless it connects
// again. It returns false if there are too many containers.
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
