// Package recording reads one recorder for the harness: all its records, in order, each once, and the
// honest account of what it could not get. It also relates the recorder's clock to the harness's, so that
// an instant of one can be placed on the other, with an error bound.
//
// It must never know what a record means, or what pod it is about.
package recording

import (
	"context"
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/mark"
)

// Position is how far a reader has got: everything up to number After of an epoch. The zero Position is the
// beginning of whatever epoch answers.
type Position struct {
	Epoch string
	After uint64
}

// Fetch asks a recorder for what is above a position, which confirms what is not. It takes as long as wait
// when there is nothing.
type Fetch func(ctx context.Context, from Position, wait time.Duration) (mark.Batch, error)

// Loss is a hole in the record. A trial that it may touch cannot be judged.
type Loss struct {
	// From and To are the first and the last number missing. Both are 0 when another epoch began and the
	// numbers are unknown.
	From, To uint64
	// After and Before enclose the hole on the recorder's clock: the last record before it (0 when there is
	// none), and the first one after it or, with another epoch, the moment it was noticed.
	After, Before int64
	// Why says what happened.
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

// Sink takes what a reader gets. Its functions are called by one goroutine, in order; Loss and Unread may be nil.
type Sink struct {
	// Records takes the records of one answer, in the order of their numbers.
	Records func([]mark.Record)
	// Loss is called before the records that follow the hole.
	Loss func(Loss)
	// Unread is called when it is over, or when the reader stops.
	Unread func(Unread)
}
