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

// amongOthers are sidecars in pods with containers that have no turn: init containers between them,
// containers that have ended, and one that is killed alone.
func amongOthers() []trial.Trial {
	ended := victim.Run{ExitAfter: []time.Duration{time.Second}}
	crashing := victim.Run{ExitAfter: []time.Duration{time.Second}, ExitCode: 1}
	return []trial.Trial{
		{
			ID:    "sidecars/init-between",
			About: "An ordinary init container between two sidecars has ended long before, and changes nothing in their order.",
			Pod: withSidecars(
				10,
				fixtures.Victim(victim.Run{Term: victim.ExitNow}),
				sidecar(
					firstSidecar,
					victim.Run{Term: victim.ExitNow},
				),
				fixtures.Named("prepare", ended),
				sidecar(secondSidecar, exitingAfter(3500*time.Millisecond)),
			),
			Cues:  []trial.Cue{trial.Delete()},
			Lasts: 14 * time.Second,
			Claims: slices.Concat(
				obeyed,
				endedInTurn(secondSidecar),
				obeysInTurn(secondSidecar),
				endedInTurn(firstSidecar, formula.NoOrderAmongSidecars),
				obeysInTurn(firstSidecar),
			),
		},
		{
			ID:    "sidecars/stopped-before",
			About: "A sidecar waits for nobody who does not run when the kill begins: not for a main container that has ended, nor for a later sidecar that crashed and is backed off.",
			Pod: fixtures.With(
				withSidecars(
					10,
					fixtures.Victim(exitingAfter(1500*time.Millisecond)),
					sidecar(firstSidecar, victim.Run{Term: victim.ExitNow}),
					sidecar(secondSidecar, crashing),
				),
				func(p *corev1.Pod) { p.Spec.Containers = append(p.Spec.Containers, fixtures.Named("ended", ended)) },
				fixtures.RestartPolicy(corev1.RestartPolicyNever),
			),
			// The second crash is backed off for ten seconds; the first one is not.
			Cues:   []trial.Cue{trial.Delete().At(trial.Gone.Of(secondSidecar).Life(2), 2*time.Second)},
			Lasts:  17 * time.Second,
			Claims: slices.Concat(obeyed, endedInTurn(firstSidecar), obeysInTurn(firstSidecar)),
		},
		{
			ID:    "sidecars/liveness-grace",
			About: "A sidecar that fails its liveness probe is killed alone, with that probe's own grace period of three seconds, not the pod's nine.",
			Pod: withSidecars(9, fixtures.Victim(victim.Run{}), sidecar(
				firstSidecar,
				failing,
				fixtures.Liveness(
					fixtures.Probe{
						Handler:                       fixtures.HTTP,
						PeriodSeconds:                 3,
						TimeoutSeconds:                2,
						FailureThreshold:              2,
						TerminationGracePeriodSeconds: fixtures.Seconds(3),
					},
				),
			)),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     12 * time.Second,
			Claims: []trial.Claim{
				{
					Measure: trial.Between(trial.SIGTERM, trial.Gone).Of(firstSidecar),
					Formula: formula.Remainder,
					Rivals:  []formula.Rival{formula.PodGraceOnProbe},
				},
				{Measure: trial.StopSignals().Of(firstSidecar), Formula: formula.StopSignals},
			},
		},
	}
}
