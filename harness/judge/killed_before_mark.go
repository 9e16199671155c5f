package judge

import (
	"fmt"

	"github.com/podclock/podclock/harness/formula"
)

// killedBeforeMark applies if a mark is missing of a process that died after a pause of its node: SIGKILL ended it
// before it ran again.
func killedBeforeMark(c *claimCase) (string, bool) {
	died := c.claim.Measure.Unsent(c.timeline)
	from, _, ok := c.due()
	if died == nil || !ok {
		return "", false
	}
	paused := c.delays.LongestPause(min(from, died.At)-int64(lookBack), died.At, formula.ExecStart)
	if paused < slowSignal {
		return "", false
	}
	return fmt.Sprintf("%s did not come before the process died, and the node paused for %s", c.missing,
		duration(int64(paused))), true
}
