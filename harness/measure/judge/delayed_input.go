package judge

import (
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/rules/formula"
)

// delayedInput applies if the value is inside a window that the formula computes from inputs that the node's delay
// allows, or if delayed work explains by how much it is outside. Delay can change which branch of a formula applies.
func delayedInput(c *claimCase) (string, bool) { return c.excusedInput(likely) }

// longestDelay applies if only the longest delay explains a time that deviates. The work would have come in the node's
// busiest moments and taken all of its budget. That is possible once, and [Pool] refuses to believe it twice.
func longestDelay(c *claimCase) (string, bool) {
	if why, applies := c.excused(longest); applies {
		return why, true
	}
	return c.excusedInput(longest)
}

func (c *claimCase) excusedInput(by func(likely, longest time.Duration) time.Duration) (string, bool) {
	m := c.finding.Measured
	var windows []formula.Window
	inputs := c.trial.Delayed(c.claim, c.input, *m, c.timeline, c.delays)
	for _, in := range inputs {
		windows = append(windows, m.Widen(c.claim.Formula.Implemented(in)))
	}
	w := formula.EitherOf(windows...)
	if _, enough := c.excuses(w, by); !enough {
		return "", false
	}
	in := inputs[0]
	return fmt.Sprintf("%s; with the node's delay of up to %s between two marks, and of up to %s before the hook's "+
		"first mark, the code may compute %v", c.finding.Why, duration(int64(max(in.Delay, in.AnswerDelay))),
		duration(int64(in.Kill.HookElapsed.High-c.input.Kill.HookElapsed.High)), w), true
}
