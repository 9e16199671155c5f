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

// sidecarNames are the names of the sidecars, in the order of the pod's spec.
var sidecarNames = []string{"first", "second", "third"}

// sidecars draws a pod with sidecars that is deleted or whose main container completes.
func sidecars(d *draws) trial.Trial {
	spec := int64(d.number("grace", 1, 30))
	main := d.way(trial.Main, spec)
	main.hook, main.options = preStop{}, nil // SIGTERM must be the first sign of the kill
	main.run.HookSleep, main.run.HookHang = 0, false
	completes, alike := d.oneIn(4, "completes"), d.oneIn(2, "alike")
	t := trial.Trial{Needs: []formula.Change{formula.Sidecars}}
	var side []way
	var built []corev1.Container
	for n := range 1 + d.number("sidecars", 0, 2) {
		w := d.way(sidecarNames[n], spec)
		if w.run.Term == victim.ExitAfter {
			w.run.TermDelay = min(w.run.TermDelay, 1300*time.Millisecond) // within the two seconds that it always has
		}
		if w.hook.kind == formula.SleepHook {
			w.hook, w.options = preStop{}, nil // this hook makes no mark
		}
		if alike && n > 0 {
			w = side[0]
			w.name = sidecarNames[n]
		}
		w.options = append(w.options, fixtures.Sidecar())
		side, built = append(side, w), append(built, w.container())
	}
	d.tag("sidecars")
	if alike {
		main.run.Term, main.run.TermDelay = side[0].run.Term, side[0].run.TermDelay
	}
	first := trial.SIGTERM
	given := spec
	if completes {
		d.tag("cause completion")
		main.run = victim.Run{Term: victim.ExitNow, ExitAfter: []time.Duration{d.ms("ends after", 0, 9*time.Second)}}
		t.KillCause = formula.ByCompletion
		last := side[len(side)-1]
		first = last.firstSign()
		t.Claims = append(t.Claims, between(trial.Gone, first, formula.SidecarsAfterMain))
		if last.hook.kind != formula.NoHook ||
			slices.ContainsFunc(side[:len(side)-1], func(w way) bool { return w.hook.kind != formula.NoHook }) {
			first = trial.Point{} // the order of the signs is random
		}
	} else {
		fault := d.deleting()
		t.Faults = []trial.Fault{fault}
		given = max(1, deletedBy(spec, fault).grace)
		t.Claims = slices.Concat(t.Claims, main.kill(1, trial.Injected, &formula.KillStart, given))
	}
	for _, w := range slices.Backward(side) {
		t.Claims = slices.Concat(t.Claims, w.inTurn(first))
	}
	t.Pod = fixtures.With(fixtures.Pod(spec, main.container()), fixtures.Init(built...))
	if completes {
		t.Pod.Spec.RestartPolicy = corev1.RestartPolicyNever
	}
	t.Lasts = seconds(given) + time.Duration(2*len(side)+24)*time.Second
	return t
}

// inTurn returns the claims about a sidecar. Its hook begins with the kill. Its SIGTERM waits for later sidecars.
func (w way) inTurn(first trial.Point) []trial.Claim {
	var claims []trial.Claim
	term, gone := trial.SIGTERM.Of(w.name), trial.Gone.Of(w.name)
	if first != (trial.Point{}) && first != term {
		claims = append(claims, between(first, term, formula.SidecarSignal))
		if w.hook.marked() {
			claims = append(claims, between(first, trial.HookBegan.Of(w.name), formula.SidecarHook))
		}
	}
	if w.hook.marked() {
		claims = append(claims, claim(trial.HookRuns().Of(w.name), formula.HookRuns))
	}
	claims = append(claims, claim(trial.StopSignals().Of(w.name), formula.StopSignals))
	if w.run.Term == victim.Ignore {
		return append(claims, between(term, gone, formula.SidecarRemainder))
	}
	return append(claims, between(term, gone, formula.ObeyedSignal))
}
