// Package recording reads one recorder: all its records, in order, each once, and what could not be read. It places
// instants of the harness on the recorder's clock.
//
// The package must not know what a record means, or which pod it is about.
package recording

import (
	"context"
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/measure/mark"
)

// Position is how far a reader has read: up to record After of an epoch.
type Position struct {
	Epoch string
	After uint64
}

// Fetch asks a recorder for the records after a position, and confirms those before. It waits for the first.
type Fetch func(ctx context.Context, from Position, wait time.Duration) (mark.Batch, error)

// Loss is a hole in the record.
type Loss struct {
	// From and To are the first and last missing number, 0 if another epoch began.
	From, To uint64
	// After and Before enclose the hole on the recorder's clock. After is 0 if no record came before. After a new
	// epoch, Before is when the hole was noticed.
	After, Before int64
	Why           string
}

func (l Loss) String() string {
	if l.From == 0 {
		return "records lost: " + l.Why
	}
	return fmt.Sprintf("records %d to %d lost: %s", l.From, l.To, l.Why)
}

// Unread is a time in which the recorder could not be read. It keeps what comes meanwhile.
type Unread struct {
	From, To time.Time
	Err      error
}

// Sink receives what a reader reads, in order, from one goroutine. Loss and Unread may be nil.
type Sink struct {
	Records func([]mark.Record)
	Loss    func(Loss)
	// Unread is called at the end of such a time, or when the reader stops.
	Unread func(Unread)
}
