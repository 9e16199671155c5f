package recording

import "time"

const (
	// drift bounds how far apart two clocks run: the kernel lets NTP slew a clock by at most 500 ppm (adjtimex(2)).
	drift = 500e-6
	// One bound every rememberEvery is kept, for more than an hour.
	rememberEvery = time.Second
	remembered    = 4096
)

// Place is an instant of the harness on a recorder's clock.
type Place struct {
	// At is in nanoseconds since 1970, as mark.Record.At.
	At int64
	// Error is the largest distance of the instant from At.
	Error time.Duration
}

// clocks bounds the offset of the recorder's clock from the harness's. Each reading of the clock between a question and
// its answer bounds it. The offset lies in all bounds, each widened by the drift since.
type clocks struct {
	base   time.Time // the harness's clock counts from here, monotonically
	bounds []bound   // oldest first
}

// bound means low <= recorder's clock - time since base <= high.
type bound struct {
	at        time.Time
	low, high int64
}

func (b bound) widened(at time.Time) bound {
	const share = int64(1 / drift)
	d := (int64(at.Sub(b.at).Abs()) + share - 1) / share // rounded up, because every answer widens the bound
	return bound{at: at, low: b.low - d, high: b.high + d}
}

func (b bound) width() int64 { return b.high - b.low }

func (c *clocks) forget() { *c = clocks{} }

// learn adds that the recorder's clock was read between asked and answered.
func (c *clocks) learn(asked, answered time.Time, clock int64) {
	if c.base.IsZero() {
		c.base = asked
	}
	// The clocks drifted from the reading until the answer.
	news := bound{
		at:   asked,
		low:  clock - int64(answered.Sub(c.base)),
		high: clock - int64(asked.Sub(c.base)),
	}.widened(answered)
	if n := len(c.bounds); n > 0 {
		old := c.bounds[n-1].widened(answered)
		both := bound{at: answered, low: max(old.low, news.low), high: min(old.high, news.high)}
		if both.low <= both.high {
			news = both
		}
		// Otherwise one clock was stopped, as when a machine sleeps: the new bounds are right.
		if n > 1 && answered.Sub(c.bounds[n-2].at) < rememberEvery {
			c.bounds = c.bounds[:n-1]
		}
	}
	if len(c.bounds) == remembered {
		c.bounds = append(c.bounds[:0], c.bounds[remembered/2:]...)
	}
	c.bounds = append(c.bounds, news)
}

func (c *clocks) place(instant time.Time) (Place, bool) {
	if len(c.bounds) == 0 {
		return Place{}, false
	}
	best := c.bounds[0].widened(instant)
	for _, b := range c.bounds[1:] {
		if b := b.widened(instant); b.width() < best.width() {
			best = b
		}
	}
	middle := best.low + best.width()/2
	return Place{At: middle + int64(instant.Sub(c.base)), Error: time.Duration(best.width()+1) / 2}, true
}
