package play

import (
	"net/http"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
)

// requests marks when requests of a client begin, and the last one before they pause.
type requests struct {
	recorder Recorder

	mu sync.Mutex
	// last is when the newest request arrived, the zero time while they pause. paused fires victim.RequestPause later.
	last   time.Time
	paused *time.Timer
}

// ServeHTTP answers with nothing. The marks show whom a request reached.
func (r *requests) ServeHTTP(http.ResponseWriter, *http.Request) { r.arrived(time.Now()) }

func (r *requests) arrived(at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last.IsZero() {
		r.recorder.Mark(mark.Requested, at, mark.Detail{})
		r.paused = time.AfterFunc(victim.RequestPause, func() { r.end(victim.RequestPause) })
	} else {
		r.paused.Reset(victim.RequestPause)
	}
	r.last = at
}

// end marks the last request if none came for so long.
func (r *requests) end(pause time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last.IsZero() || time.Since(r.last) < pause {
		return // another request came in between, and has set the timer again
	}
	r.paused.Stop()
	r.recorder.Mark(mark.LastRequest, r.last, mark.Detail{})
	r.last = time.Time{}
}
