package sidecars

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

// The sidecars of a trial, in the order of the pod's spec. The second ends before the first.
const (
	first  = "first"
	second = "second"
)

// prepare is an ordinary init container.
const prepare = "prepare"

var oneDelete = []trial.Fault{trial.Delete()}

var everyOtherSecond = fixtures.Probe{PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 3}

// endsOnce succeeds once, and lives on after that.
var endsOnce = victim.Run{ExitAfter: []time.Duration{5 * time.Second, -time.Second}}

var exitsAtOnce = victim.Run{Term: victim.ExitNow}

func exitsAfter(d time.Duration) victim.Run {
	return victim.Run{Term: victim.ExitAfter, TermDelay: d}
}

func withSidecars(grace int64, main corev1.Container, sidecars ...corev1.Container) *corev1.Pod {
	return fixtures.With(fixtures.Pod(grace, main), fixtures.Init(sidecars...))
}

func sidecar(name string, run victim.Run, options ...fixtures.Option) corev1.Container {
	return fixtures.Named(name, run, append(options, fixtures.Sidecar())...)
}

// signalled returns the claim on a sidecar's SIGTERM if the main container has no hook. Only a sidecar before others
// can have the known mistake formula.NoOrderAmongSidecars.
func signalled(sidecar string, mistakes ...formula.Mistake) []trial.Claim {
	mistakes = append([]formula.Mistake{formula.NoOrder, formula.StuckOrder}, mistakes...)
	return []trial.Claim{claims.Between(trial.SIGTERM, trial.SIGTERM.Of(sidecar), formula.SidecarSignal, mistakes...)}
}

// ignores returns the claims on the death of a sidecar that ignores SIGTERM, after the kill's first sign.
func ignores(sidecar string, sign trial.Point) []trial.Claim {
	return append(claims.Death(
		sidecar, formula.SidecarRemainder, formula.WholeGraceForSidecar, formula.ExactRemainder, formula.NoMinimum,
	), claims.Between(sign, trial.Gone.Of(sidecar), formula.SidecarGrace))
}

// probedSince returns the claim on a sidecar's probes during its pod's kill.
func probedSince(kind, sidecar string) []trial.Claim {
	return []trial.Claim{claims.New(trial.ProbesSince(kind, trial.SIGTERM).Of(sidecar), formula.ProbesOfTerminating)}
}

func obeys(sidecar string) []trial.Claim { return claims.Death(sidecar, formula.ObeyedSignal) }

// hook returns the claims on a sidecar's hook, which begins with the kill's first sign.
func hook(sidecar string, sign trial.Point) []trial.Claim {
	return []trial.Claim{
		claims.Between(sign, trial.HookBegan.Of(sidecar), formula.SidecarHook),
		claims.New(trial.HookRuns().Of(sidecar), formula.HookRuns),
	}
}

func objectAfterFirst() []trial.Claim {
	return []trial.Claim{claims.Between(trial.Gone.Of(first), trial.ObjectDeleted, formula.ObjectDeleted)}
}

// startsAgain returns the claim on a restart after a probe's first kill.
func startsAgain() []trial.Claim {
	return []trial.Claim{
		claims.Between(trial.Gone.Of(first), trial.Started.Of(first).Life(2), formula.FreeRestart),
	}
}
