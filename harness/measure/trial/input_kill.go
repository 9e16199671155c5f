package trial

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/delay"
	"github.com/podclock/podclock/harness/measure/timeline"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/harness/rules/podspec"
)

// startDelay returns the delay of a hook's first mark. The start takes the given time on an idle node.
type startDelay func(firstMark int64, start time.Duration) time.Duration

func noDelay(int64, time.Duration) time.Duration { return 0 }

func delayMeanwhile(delays delay.Record) startDelay {
	return func(firstMark int64, start time.Duration) time.Duration {
		return delays.Total(firstMark-int64(start), firstMark)
	}
}

// before returns how long before its first mark the kubelet may have begun a hook.
func (d startDelay) before(kind formula.HookKind, firstMark int64) time.Duration {
	start := formula.HookStart(kind)
	return start + d(firstMark, start)
}

// hook returns the kind of a container's hook and bounds the duration that the kubelet measures: at least from the
// first mark to the last, at most from the beginning to SIGTERM. A hook begins before its first mark, but not before
// its reason, whose mark may be late.
func hook(
	c *corev1.Container, tl *timeline.Timeline, cause formula.Cause, number int, wait startDelay,
) (formula.HookKind, formula.Range) {
	kind, specified := podspec.Hook(c)
	if kind == formula.NoHook || kind == formula.SleepHook {
		return kind, specified
	}
	life := tl.Life(c.Name, number)
	if life.SIGTERM() == nil {
		return kind, formula.Range{}
	}
	term, reason := life.SIGTERM().At, killReason(tl, life, cause)
	most := time.Duration(term) // since the epoch: no bound
	if len(life.Hooks) > 0 && reason != nil && reason.At-reason.Early > life.Hooks[0].Began.At {
		reason = nil // the kill can't answer to what came after the hook began
	}
	if reason != nil {
		most = time.Duration(term - reason.At + reason.Early)
		if cause != formula.ByDelete && cause != formula.ByChange { // podclock stamps its own requests in time
			most += wait(reason.At, formula.ExecStart)
		}
	}
	if len(life.Hooks) == 0 { // the kubelet measured only the attempt to start the hook
		return kind, formula.Range{High: min(formula.HookStart(kind), most)}
	}
	began := life.Hooks[0].Began
	high := min(time.Duration(term-began.At+began.Early)+wait.before(kind, began.At), most)
	ended := life.Hooks[0].Ended
	if ended == nil || ended.At-ended.Early > term {
		return kind, formula.Range{Low: high, High: high} // it still ran when the kubelet gave up
	}
	return kind, formula.Range{Low: min(time.Duration(ended.At-ended.Early-began.At), high), High: high}
}

// sidecarHook bounds the hook's duration if the stop signal does not follow the hook at once.
func sidecarHook(life *timeline.Life, kind formula.HookKind, elapsed formula.Range, wait startDelay) formula.Range {
	if life == nil || kind == formula.SleepHook || len(life.Hooks) == 0 || life.Hooks[0].Ended == nil {
		return elapsed
	}
	began := life.Hooks[0].Began.At
	took := time.Duration(life.Hooks[0].Ended.At - began)
	return formula.Range{Low: elapsed.Low, High: min(elapsed.High, took+wait.before(kind, began)+formula.HookReturn)}
}

// killReason returns what made the kubelet kill the life, or nil.
func killReason(tl *timeline.Timeline, life *timeline.Life, cause formula.Cause) *timeline.Instant {
	switch cause {
	case formula.ByLiveness, formula.ByStartup:
		return lastProbeOf(life, string(cause))
	case formula.ByPostStart:
		return PostStartEnded.ofHook(life.PostStarts)
	case formula.ByDelete:
		return firstFault(tl, deletions...)
	case formula.ByChange:
		return lastFault(tl, firstSign(life), changes...)
	}
	return nil
}

// killed fills in how the kill of the whole pod went on from its first sign.
func killed(p *corev1.Pod, container string, tl *timeline.Timeline, in *formula.Input) {
	began, found := killBegan(p, tl)
	life := tl.Life(container, in.Life)
	if !found || life == nil {
		return
	}
	if term := life.SIGTERM(); term != nil {
		in.SinceKill = time.Duration(term.At - began)
	}
	if life.Gone != nil {
		in.Survived = time.Duration(life.Gone.At - began)
	}
	if !in.Sidecar {
		return
	}
	before, mains := podspec.WaitsFor(p, container), len(p.Spec.Containers)
	in.Turn, in.MainsTurn = allDead(before, tl, began), allDead(before[:mains], tl, began)
	in.LaterStopped = slices.ContainsFunc(before[mains:], func(name string) bool {
		last := lastLife(tl, name)
		return last == nil || last.Gone != nil && last.Gone.At < began
	})
}

// allDead returns how long after the kill's beginning the last of some containers died, -1 if one lives on.
func allDead(containers []string, tl *timeline.Timeline, began int64) time.Duration {
	var after time.Duration
	for _, name := range containers {
		last := lastLife(tl, name)
		switch {
		case last == nil:
		case last.Gone == nil:
			return -1
		default:
			after = max(after, time.Duration(last.Gone.At-began))
		}
	}
	return after
}

// WaitsSince returns since when delay can have made a value larger that began at an instant: if it ends with the whole
// pod, since the pod's kill began.
func (t Trial) WaitsSince(m Measure, tl *timeline.Timeline, from int64) int64 {
	if began, found := killBegan(t.Pod, tl); found && m.To.Container == "" && len(containersOf(t.Pod)) > 1 {
		return min(from, began)
	}
	return from
}

// killBegan returns the first hook or stop signal in the last lives of a pod's containers.
func killBegan(p *corev1.Pod, tl *timeline.Timeline) (began int64, found bool) {
	for _, c := range containersOf(p) {
		last := lastLife(tl, c.Name)
		if last == nil {
			continue
		}
		signs := last.SIGTERMs
		if len(last.Hooks) > 0 {
			signs = append([]timeline.Instant{last.Hooks[0].Began}, signs...)
		}
		if len(signs) > 0 && (!found || signs[0].At < began) {
			began, found = signs[0].At, true
		}
	}
	return began, found
}
