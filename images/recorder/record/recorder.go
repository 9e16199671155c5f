// Package record is the recorder: it takes marks from the victims of one node, stamps them with one clock,
// numbers them, and keeps them until a reader has confirmed them. It also watches itself and its node for
// stalls.
//
// It must never know what a victim is meant to do, what a Kubernetes cluster is, or what a mark proves.
package record

import (
	"crypto/rand"
	"time"

	"github.com/podclock/podclock/harness/mark"
)

// Options are the recorder's bounds; a zero value means the default.
type Options struct {
	// MaxBytes bounds the memory of records that no reader has confirmed; beyond it the oldest are dropped,
	// and Batch.Dropped says so. The default, 24 MiB, holds about 100,000 marks.
	MaxBytes int
	// MaxConns bounds the connections open at one time; more are refused. The default is 4096.
	MaxConns int
	// HelloTimeout is mark.HelloTimeout by default.
	HelloTimeout time.Duration
	// Owner is what Batch.Owner says.
	Owner string
	// PressureDir holds the pressure-stall information; the default is /proc/pressure.
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

// Recorder is one recorder. TakeMarks, Reader and Watch are its three faces; they may be used at the same time.
type Recorder struct {
	options Options
	clock   clock
	store   *store
	lives   lives
	garbage limiter
	conns   conns
}

// New makes a recorder whose epoch and clock begin now.
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

// Now is the recorder's clock: nanoseconds since 1970, advancing monotonically since New.
func (r *Recorder) Now() int64 { return r.clock.now() }

// clock is the wall clock read once, and the monotonic clock from then on: a step of the wall clock, which
// NTP may make at any moment, must not look like a victim that died early or late.
type clock struct{ start time.Time }

func (c clock) now() int64 { return c.at(time.Now()) }

func (c clock) at(t time.Time) int64 { return c.start.UnixNano() + int64(t.Sub(c.start)) }
