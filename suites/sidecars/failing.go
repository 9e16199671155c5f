package sidecars

import (
	"slices"
	"time"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

// failing returns the trials of pods that are disturbed while their main containers end: by a sidecar that fails, or by
// a second delete. One begins before a main container runs.
func failing() []trial.Trial {
	const slowly = 7 * time.Second
	staysDown := func(within time.Duration) []trial.Claim {
		return []trial.Claim{
			claims.New(trial.Starts(second, trial.Gone.Of(second), within), formula.SidecarStaysDown),
		}
	}
	// One failure kills. So no probe may come before the process listens.
	every := fixtures.Liveness(fixtures.Probe{
		InitialDelaySeconds: 5, PeriodSeconds: 1, TimeoutSeconds: 1, FailureThreshold: 1,
	})
	return []trial.Trial{
		{
			ID: "sidecars/crashes-while-terminating",
			About: "A sidecar that crashes while its pod terminates gets no SIGTERM and is not started again. The " +
				"one before it waits for the main container only.",
			Pod: withSidecars(20, fixtures.Victim(exitsAfter(slowly)),
				sidecar(first, exitsAtOnce),
				sidecar(second, victim.Run{
					Term: victim.Ignore, ExitAfter: []time.Duration{8 * time.Second, -time.Second}, ExitCode: 1,
				})),
			Faults: []trial.Fault{trial.Delete().At(trial.Started, 3*time.Second)},
			Lasts:  19 * time.Second,
			Claims: slices.Concat(
				claims.Obeyed, staysDown(4*time.Second),
				[]trial.Claim{claims.New(trial.StopSignals().Of(second), formula.NoSignal)},
				signalled(first), obeys(first), objectAfterFirst(),
			),
		},
		{
			ID: "sidecars/fails-liveness-while-terminating",
			About: "A sidecar whose liveness probe begins to fail while its pod terminates is killed in its turn " +
				"only, with what is left of the pod's grace period, and not started again.",
			Pod: withSidecars(14, fixtures.Victim(exitsAfter(slowly)),
				sidecar(first, exitsAtOnce),
				sidecar(second, victim.Run{Term: victim.Ignore, Liveness: "SSSSSF"}, every)),
			Labels: []string{victim.Liveness},
			Faults: []trial.Fault{
				trial.Delete().At(trial.NthProbe(victim.Liveness, 3).Of(second), 500*time.Millisecond),
			},
			Lasts: 29 * time.Second,
			Claims: slices.Concat(
				claims.Obeyed,
				[]trial.Claim{claims.New(
					trial.FailingProbes(victim.Liveness, 1).Of(second), formula.UnheededFailures,
				)},
				signalled(second), ignores(second, trial.SIGTERM), staysDown(4*time.Second),
				signalled(first, formula.NoOrderAmongSidecars), obeys(first), objectAfterFirst(),
			),
		},
		{
			ID: "sidecars/second-shorter",
			About: "A second, shorter delete while the last sidecar has its SIGTERM shortens the time of no sidecar: " +
				"each has what the others left of the first delete's twelve seconds.",
			Pod: withSidecars(12, fixtures.Victim(exitsAfter(1500*time.Millisecond)),
				sidecar(first, fixtures.Ignoring), sidecar(second, exitsAfter(5*time.Second))),
			Faults: []trial.Fault{trial.Delete(), trial.DeleteWithin(4).At(trial.SIGTERM.Of(second), time.Second)},
			Lasts:  20 * time.Second,
			Claims: slices.Concat(
				claims.Obeyed, []trial.Claim{
					claims.New(trial.DeletionGrace(2), formula.DeletionGrace),
					claims.New(trial.DeletionShift(2), formula.DeletionShift),
				},
				signalled(second), obeys(second),
				signalled(first, formula.NoOrderAmongSidecars), ignores(first, trial.SIGTERM), objectAfterFirst(),
			),
		},
		{
			ID: "sidecars/delete-in-init",
			About: "A pod that is deleted while an init container runs ends its sidecar beside that one: a sidecar " +
				"waits for main containers and sidecars only. No main container starts.",
			Pod: withSidecars(9, fixtures.Victim(exitsAtOnce),
				sidecar(first, fixtures.Ignoring), fixtures.Named(prepare, exitsAfter(3*time.Second))),
			Faults: []trial.Fault{trial.Delete().At(trial.Started.Of(prepare), 3*time.Second)},
			Lasts:  18 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Injected, trial.SIGTERM.Of(prepare), formula.KillStart),
				claims.Between(trial.SIGTERM.Of(prepare), trial.SIGTERM.Of(first), formula.SidecarSignal),
				claims.New(trial.Starts(trial.Main, trial.Gone.Of(prepare), 3*time.Second), formula.StartsNoMore),
			}, claims.Death(prepare, formula.ObeyedSignal), claims.Death(first, formula.SidecarRemainder),
				objectAfterFirst()),
		},
	}
}
