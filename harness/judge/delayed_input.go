package judge

import (
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
)

// delayedInput applies if the formula allows the value when its inputs include the node's delay: of a life's first
// mark, of the last probe's answer, or of a hook's first mark.
func delayedInput(c *claimCase) (string, bool) {
	in := c.input
	in.MarkDelay = c.delayOfMarks()
	longest := c.trial.LongestHook(in, c.timeline, c.delays, c.claim.Measure.Container())
	in.Kill.HookElapsed.High = max(in.Kill.HookElapsed.High, longest)
	w := c.finding.Measured.Widen(c.claim.Formula.Implemented(in))
	if !w.Contains(c.finding.Measured.Value) {
		return "", false
	}
	return fmt.Sprintf("%s; with the node's delay of up to %s at the life's beginning or the value's end, and of up "+
		"to %s before the hook's first mark, the code may compute %v", c.finding.Why, duration(int64(in.MarkDelay)),
		duration(int64(in.Kill.HookElapsed.High-c.input.Kill.HookElapsed.High)), w), true
}

// delayOfMarks returns the longest delay of the first mark of the claim's life or of the value's end.
func (c *claimCase) delayOfMarks() time.Duration {
	measure := c.claim.Measure
	if measure.CountsEnds() {
		return c.delayOfAnswers()
	}
	late := c.delayBefore(c.finding.Measured.To)
	if life := c.timeline.Life(measure.Container(), measure.LifeNumber()); life != nil && life.Started != nil {
		late = max(late, c.delayBefore(life.Started.At))
	}
	return late
}

func (c *claimCase) delayBefore(at int64) time.Duration {
	return c.delays.Total(at-int64(delay.SlowStart), at)
}

// delayOfAnswers returns the longest delay of an answer to a probe that killed a life.
func (c *claimCase) delayOfAnswers() time.Duration {
	late := time.Duration(0)
	container := c.timeline.Containers[c.claim.Measure.Container()]
	if container == nil {
		return 0
	}
	for _, life := range container.Lives {
		if term := life.SIGTERM(); term != nil && term.At <= c.finding.Measured.To {
			late = max(late, c.delays.OfWork(term.At-int64(delay.SlowStart), term.At, formula.ExecStart))
		}
	}
	return late
}
