package judge

import (
	"fmt"

	"github.com/podclock/podclock/harness/formula"
)

// delayedInput applies if the value is inside a window that the formula computes from inputs that the node's delay
// allows, or outside it by no more than delay explains. Delay can change which branch of a formula applies.
func delayedInput(c *claimCase) (string, bool) {
	m := c.finding.Measured
	var windows []formula.Window
	inputs := c.trial.Delayed(c.claim, c.input, *m, c.timeline, c.delays)
	for _, in := range inputs {
		windows = append(windows, m.Widen(c.claim.Formula.Implemented(in)))
	}
	w := formula.EitherOf(windows...)
	miss := w.Miss(m.Value)
	if miss != 0 && (m.Unit != formula.Nanoseconds || int64(c.delayOf(miss)) < max(miss, -miss)) {
		return "", false
	}
	in := inputs[0]
	return fmt.Sprintf("%s; with the node's delay of up to %s between two marks, and of up to %s before the hook's "+
		"first mark, the code may compute %v", c.finding.Why, duration(int64(in.Delay)),
		duration(int64(in.Kill.HookElapsed.High-c.input.Kill.HookElapsed.High)), w), true
}
