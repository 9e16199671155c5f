package suites

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
)

// The two sidecars of a trial, in the order of the pod's spec: the second is ended before the first.
const (
	firstSidecar  = "first"
	secondSidecar = "second"
)

// Sidecars is the area of restartable init containers: when they are ended, and what is left to them.
func Sidecars() []trial.Trial {
	trials := []trial.Trial{
		{
			ID:    "sidecars/shared-grace",
			About: "The main container takes 3.5 s of ten to exit; the sidecars after it share what is left, and the first one has no more than the two-second minimum.",
			Pod: withSidecars(
				10,
				fixtures.Victim(exitingAfter(3500*time.Millisecond)),
				sidecar(firstSidecar, ignoring),
				sidecar(secondSidecar, ignoring),
			),
			Cues:  []trial.Cue{trial.Delete()},
			Lasts: 20 * time.Second,
			Claims: slices.Concat(
				obeyed,
				endedInTurn(secondSidecar),
				killedInTurn(secondSidecar),
				endedInTurn(firstSidecar, formula.NoOrderAmongSidecars),
				killedInTurn(firstSidecar),
				[]trial.Claim{
					{
						Measure: trial.Between(trial.Gone.Of(firstSidecar), trial.ObjectDeleted),
						Formula: formula.ObjectDeleted,
					},
				},
			),
		},
		{
			ID:    "sidecars/mains-use-all",
			About: "A main container that ignores SIGTERM takes the whole grace period: all sidecars get SIGTERM at its end and SIGKILL two seconds later. Their liveness probes go on until then.",
			Pod: withSidecars(
				6,
				fixtures.Victim(ignoring, fixtures.Liveness(everyOtherSecond)),
				sidecar(
					firstSidecar,
					ignoring,
					fixtures.Liveness(everyOtherSecond),
				),
				sidecar(secondSidecar, ignoring, fixtures.Readiness(everyOtherSecond)),
			),
			Cues:  []trial.Cue{trial.Delete()},
			Lasts: 16 * time.Second,
			Claims: slices.Concat(
				killedWithoutHook,
				endedInTurn(secondSidecar),
				killedInTurn(secondSidecar),
				endedInTurn(firstSidecar),
				killedInTurn(firstSidecar),
				[]trial.Claim{
					{
						Measure: trial.ProbesSince(victim.Liveness, trial.SIGTERM),
						Formula: formula.ProbesOfTerminating,
						Rivals:  []formula.Rival{formula.GoesOnWhileTerminating},
					},
					{
						Measure: trial.ProbesSince(victim.Liveness, trial.SIGTERM).Of(firstSidecar),
						Formula: formula.ProbesOfTerminating,
					},
					{
						Measure: trial.ProbesSince(victim.Readiness, trial.SIGTERM).Of(secondSidecar),
						Formula: formula.ProbesOfTerminating,
					},
				},
			),
		},
		{
			ID:    "sidecars/obey",
			About: "Where everybody obeys, the sidecars go one after another in reverse order, each as soon as the one after it is gone; nobody waits for the grace period.",
			Pod: withSidecars(
				30,
				fixtures.Victim(exitingAfter(1500*time.Millisecond)),
				sidecar(
					firstSidecar,
					victim.Run{Term: victim.ExitNow},
				),
				sidecar(secondSidecar, exitingAfter(2500*time.Millisecond)),
			),
			Cues:  []trial.Cue{trial.Delete()},
			Lasts: 13 * time.Second,
			Claims: slices.Concat(
				obeyed,
				endedInTurn(secondSidecar),
				obeysInTurn(secondSidecar),
				endedInTurn(firstSidecar, formula.NoOrderAmongSidecars),
				obeysInTurn(firstSidecar),
				[]trial.Claim{
					{
						Measure: trial.Between(trial.Gone.Of(firstSidecar), trial.ObjectDeleted),
						Formula: formula.ObjectDeleted,
					},
				},
			),
		},
		{
			ID:    "sidecars/hooks-in-parallel",
			About: "The hooks of sidecars begin with the kill, not with their turn; a hook and a wait lose their fraction of a second each, so the ten seconds become more.",
			Pod: withSidecars(
				10,
				fixtures.Victim(exitingAfter(1500*time.Millisecond)),
				sidecar(
					firstSidecar,
					victim.Run{Term: victim.Ignore, HookSleep: 1150 * time.Millisecond},
					fixtures.HTTPPreStop(),
				),
				// 2.2 s after the first one's: its wait is counted as two seconds, and the whole stays
				// below four, on a busy node too.
				sidecar(
					secondSidecar,
					victim.Run{Term: victim.ExitNow, HookSleep: 3350 * time.Millisecond},
					fixtures.HTTPPreStop(),
				),
			),
			Cues:  []trial.Cue{trial.Delete()},
			Lasts: 18 * time.Second,
			Claims: slices.Concat(
				obeyed,
				hookInParallel(secondSidecar, trial.SIGTERM),
				hookInParallel(firstSidecar, trial.SIGTERM),
				endedInTurn(
					secondSidecar,
				),
				obeysInTurn(secondSidecar),
				endedInTurn(firstSidecar, formula.NoOrderAmongSidecars),
				killedInTurn(firstSidecar),
			),
		},
		{
			ID:    "sidecars/hook-hangs",
			About: "A sidecar's hook that hangs takes the whole grace period, though the main container has long gone, and leaves the two-second minimum.",
			Pod: withSidecars(4, fixtures.Victim(victim.Run{Term: victim.ExitNow}),
				sidecar(firstSidecar, victim.Run{Term: victim.Ignore, HookHang: true}, fixtures.HTTPPreStop())),
			Cues:  []trial.Cue{trial.Delete()},
			Lasts: 13 * time.Second,
			Claims: slices.Concat(obeyed, hookInParallel(firstSidecar, trial.SIGTERM), []trial.Claim{
				{Measure: trial.Between(trial.HookBegan, trial.SIGTERM).Of(firstSidecar), Formula: formula.HookBound},
				{
					Measure: trial.Between(trial.SIGTERM, trial.Gone).Of(firstSidecar),
					Formula: formula.Remainder,
					Rivals:  []formula.Rival{formula.FullGraceAgain, formula.NoMinimum},
				},
			}),
		},
		{
			ID:    "sidecars/completion",
			About: "A pod whose main container ends by itself and is not restarted has ended: its sidecars are killed in reverse order with the pod's own grace period, hooks included.",
			Pod: fixtures.With(
				withSidecars(
					6,
					fixtures.Victim(victim.Run{Term: victim.ExitNow, ExitAfter: []time.Duration{4 * time.Second}}),
					sidecar(
						firstSidecar,
						victim.Run{Term: victim.Ignore, HookSleep: 1500 * time.Millisecond},
						fixtures.HTTPPreStop(),
					),
					sidecar(
						secondSidecar,
						exitingAfter(3*time.Second),
					),
				),
				fixtures.RestartPolicy(corev1.RestartPolicyNever),
			),
			KillCause: formula.ByCompletion,
			Lasts:     18 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				{
					Measure: trial.Between(trial.Gone, trial.SIGTERM.Of(secondSidecar)),
					Formula: formula.SidecarsAfterMain,
				},
			}, obeysInTurn(secondSidecar), hookInParallel(firstSidecar, trial.SIGTERM.Of(secondSidecar)), []trial.Claim{
				{
					Measure: trial.Between(
						trial.SIGTERM.Of(secondSidecar),
						trial.SIGTERM.Of(firstSidecar),
					),
					Formula: formula.SidecarSignal,
					Rivals:  []formula.Rival{formula.NoOrder, formula.StuckOrder},
				},
			}, killedInTurn(firstSidecar)),
		},
	}
	trials = append(trials, amongOthers()...)
	for i := range trials {
		trials[i].Needs = append(trials[i].Needs, formula.Sidecars)
	}
	return trials
}

// everyOtherSecond is a probe that always succeeds here.
var everyOtherSecond = fixtures.Probe{Handler: fixtures.HTTP, PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 3}

func withSidecars(grace int64, main corev1.Container, sidecars ...corev1.Container) *corev1.Pod {
	return fixtures.With(fixtures.Pod(grace, main), fixtures.Init(sidecars...))
}

func sidecar(name string, run victim.Run, options ...fixtures.Option) corev1.Container {
	return fixtures.Named(name, run, append(options, fixtures.Sidecar())...)
}

// exitingAfter is a main process that takes so long to exit on SIGTERM.
func exitingAfter(d time.Duration) victim.Run {
	return victim.Run{Term: victim.ExitAfter, TermDelay: d}
}

// endedInTurn is what must be true of a sidecar's stop signal in a deleted pod whose main container has no
// hook. Only one that others go before can be against formula.NoOrderAmongSidecars.
func endedInTurn(sidecar string, rivals ...formula.Rival) []trial.Claim {
	return []trial.Claim{{
		Measure: trial.Between(trial.SIGTERM, trial.SIGTERM.Of(sidecar)), Formula: formula.SidecarSignal,
		Rivals: append([]formula.Rival{formula.NoOrder, formula.StuckOrder}, rivals...),
	}}
}

// killedInTurn is what must be true of the death of a sidecar that ignores its stop signal.
func killedInTurn(sidecar string) []trial.Claim {
	return []trial.Claim{
		{
			Measure: trial.Between(trial.SIGTERM, trial.Gone).Of(sidecar), Formula: formula.SidecarRemainder,
			Rivals: []formula.Rival{formula.WholeGraceForSidecar, formula.ExactRemainder, formula.NoMinimum},
		},
		{Measure: trial.StopSignals().Of(sidecar), Formula: formula.StopSignals},
	}
}

// obeysInTurn is what must be true of one that obeys.
func obeysInTurn(sidecar string) []trial.Claim {
	return []trial.Claim{
		{Measure: trial.Between(trial.SIGTERM, trial.Gone).Of(sidecar), Formula: formula.ObeyedSignal},
		{Measure: trial.StopSignals().Of(sidecar), Formula: formula.StopSignals},
	}
}

// hookInParallel is what must be true of a sidecar's hook, as seen from the first sign of the pod's kill.
func hookInParallel(sidecar string, first trial.Point) []trial.Claim {
	return []trial.Claim{
		{Measure: trial.Between(first, trial.HookBegan.Of(sidecar)), Formula: formula.SidecarHook},
		{Measure: trial.HookRuns().Of(sidecar), Formula: formula.HookRuns},
	}
}
