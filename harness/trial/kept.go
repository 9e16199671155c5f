package trial

import (
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/delay"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
)

// moved says why a deviation does not stand: a formula that counts ticks would have counted others, had the
// process said at once that it started, or had its last probe been answered at once; and one that counts a
// hook's seconds, had the hook told at once that it began. It is empty where the value deviates all the
// same, or does not deviate.
func (t Trial) moved(c Claim, f Finding, in formula.Input, tl *timeline.Timeline, n delay.Record) string {
	if f.Verdict != Deviates {
		return ""
	}
	told := in.Kill.HookElapsed.High
	in.Kept, in.Kill.HookElapsed.High = c.kept(
		*f.Measured,
		tl,
		n,
	), max(
		told,
		t.hookAtMost(in, tl, n, c.Measure.container()),
	)
	w := f.Measured.observed(c.Formula.Implemented(in))
	if !w.Contains(f.Measured.Value) {
		return ""
	}
	return fmt.Sprintf(
		"%s; the node kept work waiting for %s where the life began or what is measured ended, and before the hook's first mark for up to %s, with which the code may "+
			"compute %v",
		f.Why,
		formula.Nanoseconds.Format(int64(in.Kept)),
		formula.Nanoseconds.Format(int64(in.Kill.HookElapsed.High-told)),
		w,
	)
}

// hookAtMost is the longest time that the hook of a container can have lasted for the kubelet, where the
// node was slow to start it.
func (t Trial) hookAtMost(in formula.Input, tl *timeline.Timeline, n delay.Record, name string) time.Duration {
	container := t.container(name)
	if container == nil || in.Kill.Hook == formula.NoHook {
		return 0
	}
	_, took := hook(container, tl, in.Kill.Cause, in.Life, keptFor(n))
	if in.Sidecar {
		took = sidecarHook(tl.Life(name, in.Life), in.Kill.Hook, took, keptFor(n))
	}
	return took.High
}

// kept is how long the node kept work waiting before the first mark of the claim's life, or before the end
// of what is measured, whichever is more. Both are seen by a process that may have waited for a core for as
// long as slowStart. What the terms allow for anyway is not taken off: this only ever makes a deviation
// inconclusive.
func (c Claim) kept(m Measured, tl *timeline.Timeline, n delay.Record) time.Duration {
	if c.Measure.counted == ends {
		return c.keptAnswers(m, tl, n)
	}
	kept := n.Total(m.To-int64(slowStart), m.To)
	if life := tl.Life(c.Measure.container(), c.Measure.life()); life != nil && life.Started != nil {
		kept = max(kept, n.Total(life.Started.At-int64(slowStart), life.Started.At))
	}
	return kept
}

// keptAnswers is by how much a busy node may have delayed the answer to the probe that killed a life: of
// whatever the node did, only that before a kill can have caused it.
func (c Claim) keptAnswers(m Measured, tl *timeline.Timeline, n delay.Record) time.Duration {
	kept := time.Duration(0)
	container := tl.Containers[c.Measure.container()]
	if container == nil {
		return 0
	}
	for _, life := range container.Lives {
		if term := life.SIGTERM(); term != nil && term.At <= m.To {
			kept = max(kept, n.OfWork(term.At-int64(slowStart), term.At, formula.ExecStart))
		}
	}
	return kept
}
