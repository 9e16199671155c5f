package trial

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/podspec"
	"github.com/podclock/podclock/harness/timeline"
)

// killed fills in what formulas may know of the kill of a whole pod: how it went on from its first sign for
// this container and those before it.
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
	before := podspec.WaitsFor(p, container)
	in.Turn, in.MainsTurn = allDead(before, tl, began), allDead(before[:len(p.Spec.Containers)], tl, began)
}

// allDead is how long after the kill's beginning the last of some containers was dead, 0 where all were
// before, and negative where one lives on.
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

// killBegan is the first hook or stop signal in the last lives of a pod's containers, false where there was none.
func killBegan(p *corev1.Pod, tl *timeline.Timeline) (began int64, found bool) {
	for _, c := range slices.Concat(p.Spec.Containers, p.Spec.InitContainers) {
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

func lastLife(tl *timeline.Timeline, container string) *timeline.Life {
	c := tl.Containers[container]
	if c == nil || len(c.Lives) == 0 {
		return nil
	}
	return c.Lives[len(c.Lives)-1]
}

// sidecarHook is hook for a container whose stop signal does not follow its hook at once.
func sidecarHook(life *timeline.Life, kind formula.HookKind, elapsed formula.Range, wait hookWait) formula.Range {
	if life == nil || kind == formula.SleepHook || len(life.Hooks) == 0 || life.Hooks[0].Ended == nil {
		return elapsed
	}
	began := life.Hooks[0].Began.At
	took := time.Duration(life.Hooks[0].Ended.At - began)
	return formula.Range{Low: elapsed.Low, High: min(elapsed.High, took+wait.before(kind, began)+formula.HookReturn)}
}
