package judge

import (
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
)

// delayedWork applies if delay explains a time that deviates: work ended late, or the beginning was seen too late.
func delayedWork(c *claimCase) (string, bool) {
	if c.finding.Measured.Unit != formula.Nanoseconds {
		return "", false
	}
	miss := c.finding.Implemented.Miss(c.finding.Measured.Value)
	late := int64(c.delayOf(miss))
	if late < max(miss, -miss) {
		return "", false
	}
	return fmt.Sprintf("%s; the node's delay could explain %s", c.finding.Why, duration(late)), true
}

// delayOf returns how much of a miss delay can explain.
func (c *claimCase) delayOf(miss int64) time.Duration {
	from, to := c.finding.Measured.From, c.finding.Measured.To
	if miss > 0 {
		return c.delays.OfWork(from-int64(lookBack), to, longestWork(c.finding.Implemented))
	}
	back := int64(lookBack)
	if c.claim.Measure.From.StartsProcess(c.timeline) {
		back += min(-miss, int64(delay.SlowStart))
	}
	return c.delays.Total(from-back, from)
}

// longestWork returns the part of a window that can be work. Its terms budget work between Earliest and Latest; the
// rest is timers, which a busy node does not delay.
func longestWork(w formula.Window) time.Duration { return time.Duration(w.Latest - w.Earliest) }
