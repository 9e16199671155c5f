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
		r.paused = time.AfterFunc(victim.RequestPause, r.pause)
	} else {
		r.paused.Reset(victim.RequestPause)
	}
	r.last = at
}

// pause marks the last request.
func (r *requests) pause() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last.IsZero() || time.Since(r.last) < victim.RequestPause {
		return // it is marked already, or another request came in between and has set the timer again
	}
	r.recorder.Mark(mark.LastRequest, r.last, mark.Detail{})
	r.last = time.Time{}
}
