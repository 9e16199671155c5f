package scenario

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
)

// margin is the distance from an edge at which claims take something as certain. It is more than a hook's process takes
// to start and to be seen as ended.
const margin = 700 * time.Millisecond

// way is how a container reacts to a kill.
type way struct {
	name    string
	run     victim.Run
	options []fixtures.Option
	hook    preStop
}

// preStop is a container's preStop hook.
type preStop struct {
	kind           formula.HookKind
	takes          time.Duration
	hangs, missing bool
	fails          bool
}

// marked reports whether the hook makes marks.
func (h preStop) marked() bool {
	return (h.kind == formula.ExecHook || h.kind == formula.HTTPHook) && !h.missing
}

// way draws how a container reacts to a kill with this grace period in seconds.
func (d *draws) way(name string, spec int64) way {
	w := way{name: name}
	switch d.evenly("on SIGTERM", 4) {
	default:
		w.run.Term = victim.Ignore
		d.tag("ignores SIGTERM")
	case 2:
		w.run.Term, w.run.ExitCode = victim.ExitNow, d.number("exit code", 1, 100)
		d.tag("obeys SIGTERM")
	case 3:
		w.run.Term, w.run.ExitCode = victim.ExitAfter, d.number("exit code", 1, 100)
		w.run.TermDelay = d.ms("exits after", 0, time.Duration(min(2+spec, 20))*time.Second)
		d.tag("obeys SIGTERM late")
	}
	w.preStop(d, spec)
	return w
}

// preStop draws the preStop hook, if any.
func (w *way) preStop(d *draws, spec int64) {
	longest := time.Duration(min(seen(spec)+3, 40)) * time.Second
	switch d.evenly("hook", 8) {
	default:
		d.tag("hook none")
	case 3:
		w.hook = preStop{
			kind:  formula.ExecHook,
			takes: d.anyMS("hook takes", 0, longest),
			fails: d.oneIn(4, "hook fails"),
		}
		h := victim.Hook{Sleep: w.hook.takes}
		if w.hook.fails {
			h.ExitCode = d.number("hook's exit code", 1, 100)
			d.tag("hook fails")
		}
		w.options = append(w.options, fixtures.ExecPreStop(h))
		d.tag("hook exec")
	case 4:
		w.hook = preStop{kind: formula.HTTPHook, takes: d.ms("hook takes", 0, longest)}
		w.run.HookSleep = w.hook.takes
		w.options = append(w.options, fixtures.HTTPPreStop())
		d.tag("hook http")
	case 5:
		w.hook = preStop{kind: formula.ExecHook, hangs: true}
		w.options = append(w.options, fixtures.ExecPreStop(victim.Hook{Hang: true}))
		d.tag("hook hangs")
	case 6:
		// The API server rejects a sleep that is longer than the pod's grace period.
		seconds := int64(d.number("sleep", 0, int(min(seen(spec), 60))))
		w.hook = preStop{kind: formula.SleepHook, takes: time.Duration(seconds) * time.Second}
		w.options = append(w.options, fixtures.SleepPreStop(seconds))
		d.tag("hook sleep")
	case 7:
		if d.oneIn(2, "hook missing") {
			w.hook = preStop{kind: formula.ExecHook, missing: true}
			w.options = append(w.options, fixtures.MissingPreStop())
			d.tag("hook missing")
			return
		}
		w.hook = preStop{kind: formula.HTTPHook, hangs: true}
		w.run.HookHang = true
		w.options = append(w.options, fixtures.HTTPPreStop())
		d.tag("hook hangs")
	}
}

// container returns the victim.
func (w way) container() corev1.Container { return fixtures.Named(w.name, w.run, w.options...) }

// hookPart returns bounds of the part of a grace period that the hook takes.
func (w way) hookPart(grace int64) (low, high time.Duration) {
	all := time.Duration(grace) * time.Second
	switch {
	case w.hook.kind == formula.NoHook || grace <= 0:
		return 0, 0
	case w.hook.missing:
		return 0, min(all, margin)
	case w.hook.hangs:
		return all, all
	case w.hook.kind == formula.SleepHook:
		return min(all, w.hook.takes), min(all, w.hook.takes)
	}
	return min(all, w.hook.takes), min(all, w.hook.takes+margin)
}

// left returns bounds of the time from SIGTERM to SIGKILL.
func (w way) left(grace int64) (low, high time.Duration) {
	least, most := w.hookPart(grace)
	of := func(took time.Duration) time.Duration {
		return time.Duration(max(2, grace-int64(took/time.Second))) * time.Second
	}
	return of(most), of(least)
}

// lives reports whether the process always lives until SIGKILL.
func (w way) lives(grace int64) bool {
	_, most := w.left(grace)
	return w.run.Term == victim.Ignore || w.run.TermDelay > most+margin
}

// ends reports whether the process always exits before SIGKILL.
func (w way) ends(grace int64) bool {
	least, _ := w.left(grace)
	return w.run.Term != victim.Ignore && w.run.TermDelay+margin < least
}

// dies returns bounds of the time from the beginning of a kill to the death.
func (w way) dies(grace int64) (low, high time.Duration) {
	hookLow, hookHigh := w.hookPart(grace)
	low, high = w.left(grace)
	switch {
	case w.ends(grace):
		low, high = w.run.TermDelay, w.run.TermDelay
	case !w.lives(grace):
		low = min(low, w.run.TermDelay)
	}
	return hookLow + low, hookHigh + high
}

// signs returns the claims from the reason of a kill to SIGTERM. If begins is nil, nothing is claimed about
// the beginning.
func (w way) signs(life int, reason trial.Point, begins *formula.Formula, grace int64) []trial.Claim {
	var claims []trial.Claim
	add := func(m trial.Measure, f formula.Formula) { claims = append(claims, claim(m, f)) }
	began, term := trial.HookBegan.Of(w.name).Life(life), trial.SIGTERM.Of(w.name).Life(life)
	low, high := w.hookPart(grace)
	switch {
	case begins != nil && w.hook.kind == formula.SleepHook && grace > 0:
		if begins.ID == formula.KillStart.ID {
			add(trial.Between(reason, term), formula.SleepThenSignal)
		}
	case begins != nil && (!w.hook.marked() || grace <= 0):
		add(trial.Between(reason, term), *begins)
	case begins != nil:
		add(trial.Between(reason, began), *begins)
	}
	if !w.hook.marked() {
		return claims
	}
	add(trial.HookRuns().Of(w.name).Life(life), formula.HookRuns)
	all := time.Duration(grace) * time.Second
	switch {
	case grace <= 0:
	case w.hook.hangs || low >= all && w.hook.takes > all+margin:
		add(trial.Between(began, term), formula.HookBound)
	case high < all-margin:
		add(trial.Between(trial.HookEnded.Of(w.name).Life(life), term), formula.HookThenSignal)
	}
	return claims
}

// kill returns the claims from the reason of a kill to the death.
func (w way) kill(life int, reason trial.Point, begins *formula.Formula, grace int64) []trial.Claim {
	return slices.Concat(w.signs(life, reason, begins, grace), w.end(life, grace))
}

// end returns the claims from SIGTERM to the death.
func (w way) end(life int, grace int64) []trial.Claim {
	term, gone := trial.SIGTERM.Of(w.name).Life(life), trial.Gone.Of(w.name).Life(life)
	claims := []trial.Claim{claim(trial.StopSignals().Of(w.name).Life(life), formula.StopSignals)}
	switch {
	case w.lives(grace):
		claims = append(claims, between(term, gone, formula.Remainder))
	case w.ends(grace):
		claims = append(claims, between(term, gone, formula.ObeyedSignal))
	}
	return claims
}

// code returns the claim about the exit code of the first life, if that code is certain.
func (w way) code(grace int64) []trial.Claim {
	if w.run.Term == victim.Ignore || w.ends(grace) {
		return []trial.Claim{claim(trial.DeathCode().Of(w.name), formula.DeathCode)}
	}
	return nil
}

// failed returns the claim about the event of a failing hook, for a container with one life.
func (w way) failed(grace int64) []trial.Claim {
	if _, high := w.hookPart(grace); w.hook.fails && high < time.Duration(grace)*time.Second-margin {
		return []trial.Claim{
			between(trial.HookEnded.Of(w.name), trial.Event("FailedPreStopHook").Of(w.name), formula.HookFailureEvent),
		}
	}
	return nil
}

// neighbour is the name of a pod's second container.
const neighbour = "neighbour"
