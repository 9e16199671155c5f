package judge

import (
	"fmt"

	"github.com/podclock/podclock/harness/rules/formula"
)

// killedBeforeMark applies if a mark is missing of a process that died after a pause of its node: SIGKILL ended it
// before it ran again. It also applies if a hook's process can have died with its container before its first mark,
// because the node was busy all the time.
func killedBeforeMark(c *claimCase) (string, bool) {
	died := c.claim.Measure.Unsent(c.timeline)
	from, _, ok := c.due()
	if died == nil || !ok {
		return "", false
	}
	paused := c.delays.LongestPause(min(from, died.At)-int64(lookBack), died.At, formula.ExecStart)
	if paused >= slowSignal {
		return fmt.Sprintf("%s did not come before the process died, and the node paused for %s", c.missing,
			duration(int64(paused))), true
	}
	to := c.claim.Measure.To
	late := c.delays.OfTask(from, died.At, formula.ExecStart)
	if to.In(c.timeline) != nil || !to.StartsProcess(c.timeline) || late < slowSignal ||
		from+int64(formula.ExecStart+late) < died.At {
		return "", false
	}
	return fmt.Sprintf("%s did not come before the container died %s later, and the node delayed a start by up to %s",
		c.missing, duration(died.At-from), duration(int64(late))), true
}
