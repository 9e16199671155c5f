package trial

import (
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
)

// moved says why a deviation does not stand: a formula that counts ticks would have counted others, had the process said at once that it started, or had its last
// probe been answered at once. It is empty where the value deviates all the same, or does not deviate.
func (c Claim) moved(f Finding, in formula.Input, tl *timeline.Timeline, n timeline.Noise) string {
	if f.Verdict != Deviates {
		return ""
	}
	in.Kept = c.kept(*f.Measured, tl, n)
	w := f.Measured.observed(c.Formula.Implemented(in))
	if in.Kept == 0 || !w.Contains(f.Measured.Value) {
		return ""
	}
	return fmt.Sprintf("%s; the node kept work waiting for %s where the life began or what is measured ended, with which the code may compute %v",
		f.Why, formula.Nanoseconds.Format(int64(in.Kept)), w)
}

// kept is how long the node kept work waiting before the first mark of the claim's life, or before the end of what is measured, whichever is more. Both are seen
// by a process that may have waited for a core for as long as slowStart. What the terms allow for anyway is not taken off: this only ever makes a deviation
// inconclusive.
func (c Claim) kept(m Measured, tl *timeline.Timeline, n timeline.Noise) time.Duration {
	if c.Measure.counted == ends {
		return c.keptAnswers(m, tl, n)
	}
	kept := n.Between(m.To-int64(slowStart), m.To)
	if life := tl.Life(c.Measure.container(), c.Measure.life()); life != nil && life.Started != nil {
		kept = max(kept, n.Between(life.Started.At-int64(slowStart), life.Started.At))
	}
	return kept
}

// keptAnswers is by how much a busy node may have delayed the answer to the probe that killed a life: of whatever the node did, only that before a kill can have caused it.
func (c Claim) keptAnswers(m Measured, tl *timeline.Timeline, n timeline.Noise) time.Duration {
	kept := time.Duration(0)
	container := tl.Containers[c.Measure.container()]
	if container == nil {
		return 0
	}
	for _, life := range container.Lives {
		if term := life.SIGTERM(); term != nil && term.At <= m.To {
			kept = max(kept, n.Stretched(term.At-int64(slowStart), term.At, formula.ExecStart))
		}
	}
	return kept
}
