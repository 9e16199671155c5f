package soak

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
)

// margin is how far from an edge something must be that claims take for certain: more than a hook's process
// may take to start and its end to be seen.
const margin = 700 * time.Millisecond

// way is how a container takes a kill.
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

// marked says whether the hook shows itself by marks when it is run.
func (h preStop) marked() bool {
	return (h.kind == formula.ExecHook || h.kind == formula.HTTPHook) && !h.missing
}

// way draws how a container of a pod with this grace period takes a kill that gives so much.
func (d *draws) way(name string, spec int64) way {
	w := way{name: name}
	switch d.evenly("on SIGTERM", 4) {
	default:
		w.run.Term = victim.Ignore
		d.is("ignores SIGTERM")
	case 2:
		w.run.Term, w.run.ExitCode = victim.ExitNow, d.number("exit code", 1, 100)
		d.is("obeys SIGTERM")
	case 3:
		w.run.Term, w.run.ExitCode = victim.ExitAfter, d.number("exit code", 1, 100)
		w.run.TermDelay = d.ms("exits after", 0, time.Duration(min(2+spec, 20))*time.Second)
		d.is("obeys SIGTERM late")
	}
	w.preStop(d, spec)
	return w
}

// preStop draws the hook, if any.
func (w *way) preStop(d *draws, spec int64) {
	longest := time.Duration(min(seen(spec)+3, 40)) * time.Second
	switch d.evenly("hook", 8) {
	default:
		d.is("hook none")
	case 3:
		w.hook = preStop{
			kind:  formula.ExecHook,
			takes: d.anyMS("hook takes", 0, longest),
			fails: d.oneIn(4, "hook fails"),
		}
		h := victim.Hook{Sleep: w.hook.takes}
		if w.hook.fails {
			h.ExitCode = d.number("hook's exit code", 1, 100)
			d.is("hook fails")
		}
		w.options = append(w.options, fixtures.ExecPreStop(h))
		d.is("hook exec")
	case 4:
		w.hook = preStop{kind: formula.HTTPHook, takes: d.ms("hook takes", 0, longest)}
		w.run.HookSleep = w.hook.takes
		w.options = append(w.options, fixtures.HTTPPreStop())
		d.is("hook http")
	case 5:
		w.hook = preStop{kind: formula.ExecHook, hangs: true}
		w.options = append(w.options, fixtures.ExecPreStop(victim.Hook{Hang: true}))
		d.is("hook hangs")
	case 6:
		// The API server allows no sleep that is longer than the grace period of the pod.
		seconds := int64(d.number("sleep", 0, int(min(seen(spec), 60))))
		w.hook = preStop{kind: formula.SleepHook, takes: time.Duration(seconds) * time.Second}
		w.options = append(w.options, fixtures.SleepPreStop(seconds))
		d.is("hook sleep")
	case 7:
		if d.oneIn(2, "hook missing") {
			w.hook = preStop{kind: formula.ExecHook, missing: true}
			w.options = append(w.options, fixtures.MissingPreStop())
			d.is("hook missing")
			return
		}
		w.hook = preStop{kind: formula.HTTPHook, hangs: true}
		w.run.HookHang = true
		w.options = append(w.options, fixtures.HTTPPreStop())
		d.is("hook hangs")
	}
}

// container builds the victim.
func (w way) container() corev1.Container { return fixtures.Named(w.name, w.run, w.options...) }

// hookPart bounds what the hook takes of a grace period.
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

// left bounds the time from SIGTERM to SIGKILL.
func (w way) left(grace int64) (low, high time.Duration) {
	least, most := w.hookPart(grace)
	of := func(took time.Duration) time.Duration {
		return time.Duration(max(2, grace-int64(took/time.Second))) * time.Second
	}
	return of(most), of(least)
}

// lives says whether a process surely lives until SIGKILL, ends whether it surely ends by itself before.
func (w way) lives(grace int64) bool {
	_, most := w.left(grace)
	return w.run.Term == victim.Ignore || w.run.TermDelay > most+margin
}

func (w way) ends(grace int64) bool {
	least, _ := w.left(grace)
	return w.run.Term != victim.Ignore && w.run.TermDelay+margin < least
}

// dies bounds the time from the beginning of a kill to the death.
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

// signs are the claims on the way from a kill's reason to SIGTERM in a life. A formula that is not given is
// not claimed.
func (w way) signs(life int, reason trial.Point, begins *formula.Formula, grace int64) []trial.Claim {
	var claims []trial.Claim
	claim := func(m trial.Measure, f formula.Formula) { claims = append(claims, trial.Claim{Measure: m, Formula: f}) }
	began, term := trial.HookBegan.Of(w.name).Life(life), trial.SIGTERM.Of(w.name).Life(life)
	low, high := w.hookPart(grace)
	switch {
	case begins != nil && w.hook.kind == formula.SleepHook && grace > 0:
		if begins.ID == formula.KillStart.ID {
			claim(trial.Between(reason, term), formula.SleepThenSignal)
		}
	case begins != nil && (!w.hook.marked() || grace <= 0):
		claim(trial.Between(reason, term), *begins)
	case begins != nil:
		claim(trial.Between(reason, began), *begins)
	}
	if !w.hook.marked() {
		return claims
	}
	claim(trial.HookRuns().Of(w.name).Life(life), formula.HookRuns)
	all := time.Duration(grace) * time.Second
	switch {
	case grace <= 0:
	case w.hook.hangs || low >= all && w.hook.takes > all+margin:
		claim(trial.Between(began, term), formula.HookBound)
	case high < all-margin:
		claim(trial.Between(trial.HookEnded.Of(w.name).Life(life), term), formula.HookThenSignal)
	}
	return claims
}

// end are the claims on the death after SIGTERM in a life.
func (w way) end(life int, grace int64) []trial.Claim {
	term, gone := trial.SIGTERM.Of(w.name).Life(life), trial.Gone.Of(w.name).Life(life)
	claims := []trial.Claim{{Measure: trial.StopSignals().Of(w.name).Life(life), Formula: formula.StopSignals}}
	switch {
	case w.lives(grace):
		claims = append(claims, trial.Claim{Measure: trial.Between(term, gone), Formula: formula.Remainder})
	case w.ends(grace):
		claims = append(claims, trial.Claim{Measure: trial.Between(term, gone), Formula: formula.ObeyedSignal})
	}
	return claims
}

// code is the claim on the exit code that the API shows of the first life, where it is certain that the process has it.
func (w way) code(grace int64) []trial.Claim {
	if w.run.Term == victim.Ignore || w.ends(grace) {
		return []trial.Claim{{Measure: trial.DeathCode().Of(w.name), Formula: formula.DeathCode}}
	}
	return nil
}

// failed is the claim on the event of a hook that fails, in the only life of a container.
func (w way) failed(grace int64) []trial.Claim {
	if _, high := w.hookPart(grace); w.hook.fails && high < time.Duration(grace)*time.Second-margin {
		return []trial.Claim{
			{
				Measure: trial.Between(trial.HookEnded.Of(w.name), trial.Event("FailedPreStopHook").Of(w.name)),
				Formula: formula.HookFailureEvent,
			},
		}
	}
	return nil
}

// neighbour is the name of a pod's second container.
const neighbour = "neighbour"

// seconds writes a number of seconds as a duration.
func seconds[N int | int32 | int64](n N) time.Duration { return time.Duration(n) * time.Second }

// noted notes what handler a probe has.
func noted(d *draws, kind string, p fixtures.Probe) {
	d.is(fmt.Sprintf("%s probe %s", kind, p.Handler))
}
