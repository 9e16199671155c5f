package judge

import (
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
)

// delayedWork applies if delay explains a time that deviates. Work since the beginning can have ended late. A time
// can be too short only if its beginning was seen too late.
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

// delayOf returns how much of a miss delay can explain. A hook's or an exec probe's first mark is also the first
// mark of a process, which a busy node may be slow to start.
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

// longestWork returns the longest time that a window leaves for work: the budgets of all that has to be done lie
// between its earliest and its latest value. The rest of the time timers run, which a busy node does not delay.
func longestWork(w formula.Window) time.Duration { return time.Duration(w.Latest - w.Earliest) }
