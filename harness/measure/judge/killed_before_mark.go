package judge

import (
	"fmt"
	"slices"

	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/lifecycle"
)

// killedBeforeMark applies if a mark is missing of a process that died after a pause of its node: SIGKILL ended it
// before it ran again. It also applies if a hook's process can have died with its container before its first mark,
// because the node was busy all the time, or if the API shows that a container of which no mark is known ended at once.
func killedBeforeMark(c *claimCase) (string, bool) {
	for _, p := range []trial.Point{c.claim.Measure.From, c.claim.Measure.To} {
		if endedUnseen(c.timeline, p) {
			return c.missing + " did not come: the API shows that the container started, " +
				"and ended before its first mark", true
		}
	}
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

// endedUnseen reports whether the API shows that a container, whose start is missing, ended within a second.
func endedUnseen(tl *timeline.Timeline, start trial.Point) bool {
	if start.Event != lifecycle.Started || tl.Life(start.Container, start.LifeNumber) != nil {
		return false
	}
	return slices.ContainsFunc(tl.API, func(c timeline.Change) bool {
		return slices.ContainsFunc(c.Containers, func(s timeline.ContainerStatus) bool {
			return s.Name == start.Container && s.Ended != nil && s.Ended.Life == start.LifeNumber && s.Ended.AtOnce()
		})
	})
}
