package recording

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/podclock/podclock/harness/measure/mark"
)

const (
	// longPoll bounds how long one question waits for a mark.
	longPoll    = time.Second
	answerSlack = 10 * time.Second
	retryPause  = 250 * time.Millisecond
	// calibrateEvery is the time between two questions for an immediate answer. Only those bound the clocks' offset
	// closely.
	calibrateEvery = 2 * time.Second
	// recordLag bounds the time from a record's stamp to its place in the recorder's memory.
	recordLag = 100 * time.Millisecond
)

// Pauses between an answer and the next question: without one, many marks would cause as many questions through the API
// server. Seldom bounds what a fleet costs it (docs/fleet.md).
const (
	Often  = 25 * time.Millisecond
	Seldom = 400 * time.Millisecond
	// pauses is how many times the duration of a question a pause lasts at least, so that also on a slow host,
	// questions take a tenth of the time.
	pauses = 10
)

// Reader reads one recorder.
type Reader struct {
	fetch Fetch
	sink  Sink
	pause time.Duration

	mu       sync.Mutex
	clocks   clocks
	read     int64         // the recorder's clock up to which everything has gone to the sink
	failure  error         // why the last question had no answer, or nil
	advanced chan struct{} // closed when read advances

	// Only Follow's goroutine uses these.
	position Position
	last     int64 // the stamp of the last record
	unread   *Unread
	took     time.Duration // by the last question for an immediate answer
}

// NewReader returns a reader that begins with the oldest record that the recorder holds. It pauses
// after each answer.
func NewReader(fetch Fetch, sink Sink, pause time.Duration) *Reader {
	return &Reader{fetch: fetch, sink: sink, pause: pause, advanced: make(chan struct{})}
}

// Follow reads until the context ends, and retries if the recorder does not answer.
func (r *Reader) Follow(ctx context.Context) {
	var calibrated time.Time
	for ctx.Err() == nil {
		wait, pause := longPoll, max(r.pause, min(pauses*r.took, calibrateEvery))
		if time.Since(calibrated) >= calibrateEvery {
			wait = 0
		}
		asked := time.Now()
		batch, err := r.ask(ctx, wait)
		if err != nil {
			pause = retryPause
		} else {
			if more := r.take(batch); more {
				pause = 0
			}
			if wait == 0 {
				calibrated = time.Now()
				r.took = calibrated.Sub(asked)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	r.endUnread()
}

// Drained waits until every record that was stamped before an instant has gone to the sink.
func (r *Reader) Drained(ctx context.Context, instant time.Time) error {
	for {
		r.mu.Lock()
		place, known := r.clocks.place(instant)
		read, advanced := r.read, r.advanced
		r.mu.Unlock()
		if known && read >= place.At+int64(place.Error)+int64(recordLag) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("reading the recorder's records up to %s: %w", instant.Format("15:04:05.000"), ctx.Err())
		case <-advanced:
		}
	}
}

// Failure returns why the last question had no answer, or nil.
func (r *Reader) Failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failure
}

// Place places an instant, which has Go's monotonic reading, on the recorder's clock. It returns false before the
// recorder's first answer.
func (r *Reader) Place(instant time.Time) (Place, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.clocks.place(instant)
}

func (r *Reader) ask(ctx context.Context, wait time.Duration) (mark.Batch, error) {
	bounded, cancel := context.WithTimeout(ctx, wait+answerSlack)
	defer cancel()
	asked := time.Now()
	batch, err := r.fetch(bounded, r.position, wait)
	answered := time.Now()
	if err != nil && ctx.Err() != nil {
		return batch, err
	}
	r.mu.Lock()
	r.failure = err
	r.mu.Unlock()
	if err != nil {
		if r.unread == nil {
			r.unread = &Unread{From: asked}
		}
		r.unread.To, r.unread.Err = answered, err
		return batch, err
	}
	if r.unread != nil {
		r.unread.To = answered
		r.endUnread()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if batch.Epoch != r.position.Epoch {
		r.clocks.forget() // another epoch, another clock
	}
	r.clocks.learn(asked, answered, batch.Clock)
	return batch, nil
}

func (r *Reader) endUnread() {
	if r.unread != nil && r.sink.Unread != nil {
		r.sink.Unread(*r.unread)
	}
	r.unread = nil
}

// take passes an answer to the sink with the losses before it, and reports whether there is more to fetch.
func (r *Reader) take(batch mark.Batch) (more bool) {
	switch {
	case r.position.Epoch == "":
		r.position = Position{Epoch: batch.Epoch, After: batch.Last}
		if len(batch.Records) > 0 {
			r.position.After = batch.Records[0].Seq - 1
		}
	case r.position.Epoch != batch.Epoch:
		r.lose(Loss{
			After: r.last, Before: batch.Clock,
			Why: "the recorder was restarted: what it held, and its connections to the victims, are gone",
		})
		r.position = Position{Epoch: batch.Epoch}
		r.last = 0
	}
	records := batch.Records
	for len(records) > 0 {
		if next := r.position.After + 1; records[0].Seq > next {
			lost := Loss{From: next, To: records[0].Seq - 1, After: r.last, Before: records[0].At}
			if lost.Why = "another reader of the same recorder confirmed them"; next <= batch.Dropped {
				lost.Why = "the recorder's memory was full before they were read"
			}
			r.lose(lost)
		}
		n := 1
		for n < len(records) && records[n].Seq == records[n-1].Seq+1 {
			n++
		}
		r.sink.Records(records[:n:n])
		r.position.After, r.last = records[n-1].Seq, records[n-1].At
		records = records[n:]
	}
	if r.position.After < batch.Last {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.read = batch.Clock
	close(r.advanced)
	r.advanced = make(chan struct{})
	return false
}

func (r *Reader) lose(loss Loss) {
	if r.sink.Loss != nil {
		r.sink.Loss(loss)
	}
}
