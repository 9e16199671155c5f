// Package record is the recorder. It receives marks from the victims of one node, stamps them with one clock, numbers
// them, and keeps them until a reader has confirmed them. It also records delays and outages of itself and its node.
//
// It does not know what a victim should do, what a cluster is, or what a mark proves.
package record

import (
	"crypto/rand"
	"sync/atomic"
	"time"

	"github.com/podclock/podclock/harness/measure/mark"
)

// Options are the recorder's limits. A zero value is the default.
type Options struct {
	// MaxBytes is the memory for unconfirmed records. Beyond it the oldest are dropped (Batch.Dropped). The
	// default, 24 MiB, holds about 100,000 marks.
	MaxBytes int
	// MaxConns is the maximum number of open connections; the default is 4096.
	MaxConns int
	// HelloTimeout is mark.HelloTimeout by default.
	HelloTimeout time.Duration
	Owner        string
	// PressureDir contains the PSI files. The default is /proc/pressure.
	PressureDir string
}

func (o Options) withDefaults() Options {
	if o.MaxBytes == 0 {
		o.MaxBytes = 24 << 20
	}
	if o.MaxConns == 0 {
		o.MaxConns = 4096
	}
	if o.HelloTimeout == 0 {
		o.HelloTimeout = mark.HelloTimeout
	}
	if o.PressureDir == "" {
		o.PressureDir = "/proc/pressure"
	}
	return o
}

// Recorder is one recorder. Its methods may be called concurrently.
type Recorder struct {
	options    Options
	clock      clock
	store      *store
	lives      lives
	unreadable limiter
	conns      conns
	// asked is when a reader asked last, in nanoseconds since the clock's start.
	asked atomic.Int64
}

// New returns a recorder with a new epoch and a clock that begins now.
func New(options Options) *Recorder {
	options = options.withDefaults()
	return &Recorder{
		options: options,
		clock:   clock{start: time.Now()},
		store:   newStore(rand.Text(), options.MaxBytes),
		lives:   lives{of: map[container]counted{}},
		conns:   conns{bound: options.MaxConns},
	}
}

// Now returns the time of the recorder's clock: nanoseconds since 1970, monotonic since New.
func (r *Recorder) Now() int64 { return r.clock.now() }

// clock reads the wall clock once: a later step by NTP must not look like an early or late death.
type clock struct{ start time.Time }

func (c clock) now() int64 { return c.at(time.Now()) }

func (c clock) at(t time.Time) int64 { return c.start.UnixNano() + int64(t.Sub(c.start)) }
