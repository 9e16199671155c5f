package judge

import (
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/rules/formula"
)

// delayedWork applies if delay explains a time that deviates: work ended late, or the beginning was seen too late.
func delayedWork(c *claimCase) (string, bool) { return c.excused(likely) }

func likely(likely, _ time.Duration) time.Duration { return likely }

func longest(_, longest time.Duration) time.Duration { return longest }

func (c *claimCase) excused(by func(likely, longest time.Duration) time.Duration) (string, bool) {
	late, enough := c.excuses(c.finding.Implemented, by)
	if !enough {
		return "", false
	}
	return fmt.Sprintf("%s; the node's delay could explain %s", c.finding.Why, duration(int64(late))), true
}

// excuses returns how much of the time by which the value misses a window delay explains, and whether that is all.
func (c *claimCase) excuses(
	w formula.Window, by func(likely, longest time.Duration) time.Duration,
) (late time.Duration, enough bool) {
	miss := w.Miss(c.finding.Measured.Value)
	if miss == 0 || w.Unit != formula.Nanoseconds {
		return 0, miss == 0
	}
	late = by(c.delayOf(miss))
	return late, int64(late) >= max(miss, -miss)
}

// slowSignal bounds the likely delay of a signal beyond the recorder's own late ticks. On nodes whose cores were all
// taken, no death of 1,027 showed a signal later than the 0.1 s of the formulas' budget.
const slowSignal = 500 * time.Millisecond

// delayOf returns how much of a miss delay explains: likely, and at most. A value is too small only if its beginning
// was seen late. The beginning of a time that the runtime measures from signal to death is seen late by the delivery of
// one signal at most.
func (c *claimCase) delayOf(miss int64) (likely, longest time.Duration) {
	from, to, d := c.finding.Measured.From, c.finding.Measured.To, c.delays
	begin := from - int64(lookBack+d.PausedBefore(from, lookBack))
	switch {
	case miss > 0:
		begin = c.trial.WaitsSince(c.claim.Measure, c.timeline, begin)
		work := longestWork(c.finding.Implemented)
		return d.Likely(begin, to, work), d.OfWork(begin, to, work)
	case c.claim.Measure.SignalToDeath():
		longest = d.OfTask(begin, from, instant)
		return min(longest, d.Paused(begin, from)+slowSignal), longest
	case c.claim.Measure.From.StartsProcess(c.timeline):
		begin -= min(-miss, int64(delay.SlowStart))
	}
	return d.Likely(begin, from, formula.ExecStart), d.Total(begin, from)
}

// longestWork returns the part of a window that can be work. Its terms budget work between Earliest and Latest; the
// rest is timers, which a busy node does not delay.
func longestWork(w formula.Window) time.Duration { return time.Duration(w.Latest - w.Earliest) }
