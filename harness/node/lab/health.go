package lab

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/measure/mark"
)

// restartQuiet is how long a restarted kubelet is left alone: v1.23.1 needs six seconds until it answers.
const restartQuiet = 15 * time.Second

type health struct {
	looking sync.Mutex // one look at a time

	mu sync.Mutex
	// ran is what the look at the time seen found, empty after a restart by the lab.
	ran  string
	seen time.Time
	// restarting counts the lab's restarts under way. restarted is the end of the last one.
	restarting int
	restarted  time.Time
	// restarts are the lab's restarts on the recorder's clock. One under way ends at the latest time.
	restarts []restart
}

type restart struct {
	from, to int64
	of       []string
}

// take notes what a look found, and returns what the one before found and when. A look without an answer does not
// count, so the loss lasts until the node answers again.
func (h *health) take(runs string, began time.Time, err error) (ran string, since time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	ran, since = h.ran, h.seen
	if since.IsZero() {
		since = began
	}
	if err == nil {
		h.ran, h.seen = runs, began
	}
	return ran, since
}

func (h *health) isRestarting() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.restarting > 0
}

func (h *health) quiet() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.restarted.IsZero() {
		return time.Now()
	}
	return h.restarted.Add(restartQuiet)
}

// restartedDuring reports whether a record shows an outage that a restart by the lab caused. Trials that ask for a
// restart expect it, and run alone.
func (h *health) restartedDuring(r mark.Record) bool {
	if r.Kind != mark.NoAnswer || r.Detail.NoAnswer == nil {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, own := range h.restarts {
		if slices.Contains(own.of, r.Detail.NoAnswer.Of) && own.from < r.At && r.At-r.Detail.NoAnswer.NS < own.to {
			return true
		}
	}
	return false
}

// beginRestart notes a restart of programs by the lab until end is called. The caller holds the lock both times.
func (h *health) beginRestart(of []string, at func() int64) (end func()) {
	i := len(h.restarts)
	h.restarts = append(h.restarts, restart{from: at(), to: math.MaxInt64, of: of})
	return func() { h.restarts[i].to = at() }
}
