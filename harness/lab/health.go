package lab

import (
	"math"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/mark"
)

// restartQuiet is how long a kubelet is left alone after the lab has restarted it: v1.23.1 needs six seconds
// until it answers.
const restartQuiet = 15 * time.Second

// health is what is known of a node's kubelet and container runtime.
type health struct {
	looking sync.Mutex // one look at a time

	mu sync.Mutex
	// ran is what the last look found, empty before the first look and after a restart by the lab. seen is
	// when that look began.
	ran  string
	seen time.Time
	// restarting counts the restarts by the lab that are under way. restarted is when the last one ended.
	restarting int
	restarted  time.Time
	// restarts are all restarts by the lab, on the recorder's clock. One that is under way ends at the latest time.
	restarts []restart
}

// restart is a span of the recorder's clock in which the lab restarted a kubelet.
type restart struct{ from, to int64 }

// take notes what a look found, and returns what the look before found and when. If the node did not
// answer, the look does not count, so the loss lasts until the node answers again.
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

// quiet returns when a kubelet that the lab restarted can be asked again.
func (h *health) quiet() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.restarted.IsZero() {
		return time.Now()
	}
	return h.restarted.Add(restartQuiet)
}

// restartedDuring reports whether a record shows an outage of the kubelet that the lab caused by a restart.
// Trials that ask for a restart expect it, and no other trial runs beside them.
func (h *health) restartedDuring(r mark.Record) bool {
	if r.Kind != mark.NoAnswer || r.Detail.NoAnswer == nil || r.Detail.NoAnswer.Of != mark.Kubelet {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, own := range h.restarts {
		if own.from < r.At && r.At-r.Detail.NoAnswer.NS < own.to {
			return true
		}
	}
	return false
}

// beginRestart notes on the recorder's clock that the lab restarts the kubelet, until end is called. The
// caller holds the lock both times.
func (h *health) beginRestart(at func() int64) (end func()) {
	i := len(h.restarts)
	h.restarts = append(h.restarts, restart{from: at(), to: math.MaxInt64})
	return func() { h.restarts[i].to = at() }
}
