// Package sidecars holds the trials of restartable init containers: how they start, when they end, and what time is
// left to them.
package sidecars

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

// Trials returns the trials of the area.
func Trials() []trial.Trial {
	trials := slices.Concat(deletes(), amongOthers(), failing(), lives())
	for i := range trials {
		trials[i].Needs = append(trials[i].Needs, formula.Sidecars)
	}
	return trials
}

func deletes() []trial.Trial {
	return []trial.Trial{
		{
			ID:    "sidecars/shared-grace",
			About: "The sidecars share what the main container leaves of ten seconds. The first has only the minimum.",
			Pod: withSidecars(10, fixtures.Victim(exitsAfter(3500*time.Millisecond)),
				sidecar(first, fixtures.Ignoring, fixtures.Readiness(everyOtherSecond)),
				sidecar(second, fixtures.Ignoring, fixtures.Liveness(everyOtherSecond))),
			Faults: oneDelete, Lasts: 20 * time.Second,
			Claims: slices.Concat(
				claims.Obeyed,
				signalled(second), ignores(second, trial.SIGTERM),
				signalled(first, formula.NoOrderAmongSidecars), ignores(first, trial.SIGTERM), objectAfterFirst(),
				probedSince(victim.Liveness, second), probedSince(victim.Readiness, first),
			),
		},
		{
			ID: "sidecars/mains-use-all",
			About: "A main container takes the whole grace period. All sidecars get SIGTERM at its end, and two " +
				"seconds.",
			Pod: withSidecars(6, fixtures.Victim(fixtures.Ignoring, fixtures.Liveness(everyOtherSecond)),
				sidecar(first, fixtures.Ignoring, fixtures.Liveness(everyOtherSecond)),
				sidecar(second, fixtures.Ignoring, fixtures.Readiness(everyOtherSecond))),
			Faults: oneDelete, Lasts: 16 * time.Second,
			Claims: slices.Concat(
				claims.KilledWithoutHook,
				signalled(second), ignores(second, trial.SIGTERM), signalled(first), ignores(first, trial.SIGTERM),
				[]trial.Claim{claims.New(
					trial.ProbesSince(victim.Liveness, trial.SIGTERM),
					formula.ProbesOfTerminating, formula.GoesOnWhileTerminating,
				)},
				probedSince(victim.Liveness, first), probedSince(victim.Readiness, second),
			),
		},
		{
			ID: "sidecars/obey",
			About: "If all containers obey, the sidecars end in reverse order, each as soon as the one after it is " +
				"gone.",
			Pod: withSidecars(30, fixtures.Victim(exitsAfter(1500*time.Millisecond)),
				sidecar(first, exitsAtOnce, fixtures.Liveness(everyOtherSecond)),
				sidecar(second, exitsAfter(2500*time.Millisecond))),
			Faults: oneDelete, Lasts: 13 * time.Second,
			Claims: slices.Concat(
				claims.Obeyed, probedSince(victim.Liveness, first),
				signalled(second), obeys(second),
				signalled(first, formula.NoOrderAmongSidecars), obeys(first), objectAfterFirst(),
			),
		},
		{
			ID:    "sidecars/hooks-in-parallel",
			About: "The sidecars' hooks begin with the kill. A hook and a wait each lose their fraction of a second.",
			// The second hook ends 2.2 s after the first. Its wait counts as two seconds, and the sum stays below
			// four on a busy node.
			Pod: withSidecars(10, fixtures.Victim(exitsAfter(1500*time.Millisecond)),
				sidecar(first, victim.Run{Term: victim.Ignore, HookSleep: 1150 * time.Millisecond},
					fixtures.HTTPPreStop()),
				sidecar(second, victim.Run{Term: victim.ExitNow, HookSleep: 3350 * time.Millisecond},
					fixtures.HTTPPreStop())),
			Faults: oneDelete, Lasts: 18 * time.Second,
			Claims: slices.Concat(
				claims.Obeyed,
				hook(second, trial.SIGTERM), hook(first, trial.SIGTERM),
				signalled(second), obeys(second),
				signalled(first, formula.NoOrderAmongSidecars), ignores(first, trial.SIGTERM),
			),
		},
		{
			ID:    "sidecars/hook-hangs",
			About: "A sidecar's hook that hangs takes the whole grace period and leaves the two-second minimum.",
			Pod: withSidecars(4, fixtures.Victim(exitsAtOnce),
				sidecar(first, victim.Run{Term: victim.Ignore, HookHang: true}, fixtures.HTTPPreStop())),
			Faults: oneDelete, Lasts: 13 * time.Second,
			Claims: slices.Concat(claims.Obeyed, hook(first, trial.SIGTERM), []trial.Claim{
				claims.New(trial.Between(trial.HookBegan, trial.SIGTERM).Of(first), formula.HookBound),
				claims.New(
					trial.Between(trial.SIGTERM, trial.Gone).Of(first),
					formula.Remainder, formula.FullGraceAgain, formula.NoMinimum,
				),
			}),
		},
		{
			ID: "sidecars/completion",
			About: "A pod has ended when its main container has. Its sidecars are killed with the pod's own grace " +
				"period.",
			Pod: fixtures.With(withSidecars(6,
				fixtures.Victim(victim.Run{Term: victim.ExitNow, ExitAfter: []time.Duration{4 * time.Second}}),
				sidecar(first, victim.Run{Term: victim.Ignore, HookSleep: 1500 * time.Millisecond},
					fixtures.HTTPPreStop()),
				sidecar(second, exitsAfter(3*time.Second)),
			), fixtures.RestartPolicy(corev1.RestartPolicyNever)),
			KillCause: formula.ByCompletion,
			Lasts:     18 * time.Second,
			Claims: slices.Concat(
				[]trial.Claim{claims.Between(trial.Gone, trial.SIGTERM.Of(second), formula.SidecarsAfterMain)},
				obeys(second), hook(first, trial.SIGTERM.Of(second)),
				[]trial.Claim{claims.Between(
					trial.SIGTERM.Of(second), trial.SIGTERM.Of(first),
					formula.SidecarSignal, formula.NoOrder, formula.StuckOrder,
				)},
				ignores(first, trial.SIGTERM.Of(second)),
			),
		},
	}
}

// amongOthers returns the trials of sidecars beside containers without a turn.
func amongOthers() []trial.Trial {
	ended := victim.Run{ExitAfter: []time.Duration{time.Second}}
	crashing := victim.Run{ExitAfter: []time.Duration{time.Second}, ExitCode: 1}
	endedToo := func(p *corev1.Pod) {
		p.Spec.Containers = append(p.Spec.Containers, fixtures.Named("ended", ended))
	}
	between := func(what, about string, pod *corev1.Pod) trial.Trial {
		return trial.Trial{
			ID: "sidecars/" + what, About: about, Pod: pod,
			Faults: oneDelete, Lasts: 14 * time.Second,
			Claims: slices.Concat(
				claims.Obeyed,
				signalled(second), obeys(second),
				signalled(first, formula.NoOrderAmongSidecars), obeys(first),
			),
		}
	}
	return []trial.Trial{
		between("init-between", "An ordinary init container between two sidecars does not change their order.",
			withSidecars(10, fixtures.Victim(exitsAtOnce),
				sidecar(first, exitsAtOnce), fixtures.Named(prepare, ended),
				sidecar(second, exitsAfter(3500*time.Millisecond)))),
		between("two-inits-between",
			"Two ordinary init containers between two sidecars do not change their order either.",
			withSidecars(8, fixtures.Victim(exitsAfter(1200*time.Millisecond)),
				sidecar(first, exitsAtOnce), fixtures.Named(prepare, ended), fixtures.Named("prepare-more", ended),
				sidecar(second, exitsAfter(2500*time.Millisecond)))),
		{
			ID:    "sidecars/succeeded-before",
			About: "A sidecar does not wait for another one that has succeeded and waits for its back-off.",
			Pod: withSidecars(12, fixtures.Victim(exitsAfter(1500*time.Millisecond)),
				sidecar(first, exitsAtOnce), sidecar(second, ended)),
			Faults: []trial.Fault{trial.Delete().At(trial.Gone.Of(second).Life(2), 2*time.Second)},
			Lasts:  19 * time.Second,
			Claims: slices.Concat(claims.Obeyed, signalled(first), obeys(first)),
		},
		{
			ID:    "sidecars/http-hook-by-name",
			About: "A sidecar's HTTP hook may name its port, which the kubelet looks up in the sidecar.",
			Pod: withSidecars(6, fixtures.Victim(exitsAtOnce),
				sidecar(first, victim.Run{Term: victim.ExitNow, HookSleep: 1500 * time.Millisecond},
					fixtures.HTTPPreStopByName())),
			Faults: oneDelete, Lasts: 12 * time.Second,
			Claims: slices.Concat(claims.Obeyed, hook(first, trial.SIGTERM), obeys(first)),
		},
		{
			ID: "sidecars/stopped-before",
			About: "A sidecar waits for no container that does not run: neither an ended main one nor a crashed " +
				"sidecar.",
			Pod: fixtures.With(
				withSidecars(10, fixtures.Victim(exitsAfter(1500*time.Millisecond)),
					sidecar(first, exitsAtOnce), sidecar(second, crashing)),
				endedToo, fixtures.RestartPolicy(corev1.RestartPolicyNever),
			),
			// The second crash is backed off for ten seconds; the first one is not.
			Faults: []trial.Fault{trial.Delete().At(trial.Gone.Of(second).Life(2), 2*time.Second)},
			Lasts:  17 * time.Second,
			Claims: slices.Concat(claims.Obeyed, signalled(first), obeys(first)),
		},
		{
			ID:    "sidecars/liveness-grace",
			About: "A sidecar that fails its liveness probe is killed alone, with that probe's own grace period.",
			Pod: withSidecars(9, fixtures.Victim(victim.Run{}), sidecar(
				first, victim.Run{Term: victim.Ignore, Liveness: "F"},
				fixtures.Liveness(fixtures.Probe{
					PeriodSeconds: 3, TimeoutSeconds: 2, FailureThreshold: 2,
					TerminationGracePeriodSeconds: fixtures.Seconds(3),
				}),
			)),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     12 * time.Second,
			Claims: slices.Concat(
				claims.Death(first, formula.Remainder, formula.PodGraceOnProbe), startsAgain(),
			),
		},
		{
			ID: "sidecars/liveness-grace-hook-hangs",
			About: "A sidecar's hook that hangs has the liveness probe's own four seconds, not the pod's twenty. Two " +
				"seconds follow.",
			Pod: withSidecars(20, fixtures.Victim(victim.Run{}), sidecar(
				first, victim.Run{Term: victim.Ignore, Liveness: "F", HookHang: true}, fixtures.HTTPPreStop(),
				fixtures.Liveness(fixtures.Probe{
					PeriodSeconds: 3, TimeoutSeconds: 2, FailureThreshold: 2,
					TerminationGracePeriodSeconds: fixtures.Seconds(4),
				}),
			)),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     18 * time.Second,
			Claims: append(claims.Death(first, formula.Remainder, formula.FullGraceAgain, formula.NoMinimum),
				claims.New(trial.HookRuns().Of(first), formula.HookRuns),
				claims.New(
					trial.Between(trial.HookBegan, trial.SIGTERM).Of(first),
					formula.HookBound, formula.PodGraceOnProbe,
				)),
		},
	}
}
