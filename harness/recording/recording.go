// Package recording reads one recorder: all its records, in order, each once, and what could not be read.
// It also places instants of the harness's clock on the recorder's clock, with an error bound.
//
// The package must not know what a record means, or which pod it is about.
package recording

import (
	"context"
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/mark"
)

// Position is how far a reader has read: up to record number After of an epoch. The zero Position is the
// beginning of any epoch.
type Position struct {
	Epoch string
	After uint64
}

// Fetch asks a recorder for the records after a position, and confirms those before. It takes as long as
// wait if there are none.
type Fetch func(ctx context.Context, from Position, wait time.Duration) (mark.Batch, error)

// Loss is a hole in the record. A trial that it may affect can't be judged.
type Loss struct {
	// From and To are the first and the last number missing. Both are 0 if another epoch began, because the
	// numbers are unknown.
	From, To uint64
	// After and Before enclose the hole on the recorder's clock: the last record before it, 0 if there is
	// none, and the first record after it. After a new epoch, Before is when the hole was noticed.
	After, Before int64
	// Why is the reason.
	Why string
}

func (l Loss) String() string {
	if l.From == 0 {
		return "records lost: " + l.Why
	}
	return fmt.Sprintf("records %d to %d lost: %s", l.From, l.To, l.Why)
}

// Unread is a time in which the recorder could not be read. It is no loss: the recorder keeps what comes meanwhile.
type Unread struct {
	From, To time.Time
	// Err is the last error.
	Err error
}

// Sink receives what a reader reads. One goroutine calls its functions, in order. Loss and Unread may be nil.
type Sink struct {
	// Records receives the records of one answer, in the order of their numbers.
	Records func([]mark.Record)
	// Loss is called before the records that follow the hole.
	Loss func(Loss)
	// Unread is called at the end of such a time, or when the reader stops.
	Unread func(Unread)
}
