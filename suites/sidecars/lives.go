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

// lives returns the trials of how sidecars start, become ready and start again.
func lives() []trial.Trial {
	crashes := trial.Trial{
		ID: "sidecars/crashes-and-starts",
		About: "A sidecar that crashes starts again, at once and then after ten seconds, although " +
			"restartPolicy is Never. The main container is not disturbed.",
		Pod: fixtures.With(withSidecars(2, fixtures.Victim(exitsAtOnce),
			sidecar(first, victim.Run{
				ExitAfter: []time.Duration{4 * time.Second, time.Second, -time.Second}, ExitCode: 1,
			}),
		), fixtures.RestartPolicy(corev1.RestartPolicyNever)),
		Labels: []string{"crash-loop"},
		Lasts:  25 * time.Second,
		Claims: []trial.Claim{
			claims.Between(trial.Gone.Of(first), trial.Started.Of(first).Life(2), formula.FirstCrash),
			claims.Between(
				trial.Gone.Of(first).Life(2), trial.Started.Of(first).Life(3),
				formula.RestartDelay, formula.NoBackOff,
			),
			claims.New(trial.EndsWithin(24*time.Second), formula.Undisturbed),
		},
	}
	return []trial.Trial{
		crashes, withoutRestartAll(crashes), crashesUnstarted(), withoutRestartRules(crashesUnstarted()),
		{
			ID:    "sidecars/startup-holds-next",
			About: "The next container starts when a sidecar's startup probe has succeeded, not when the sidecar runs.",
			Pod: withSidecars(2, fixtures.Victim(exitsAtOnce),
				sidecar(first, victim.Run{Term: victim.ExitNow, Startup: "FFFS"}, fixtures.Startup(
					fixtures.Probe{PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 10},
				))),
			Labels: []string{"startup"},
			Lasts:  10 * time.Second,
			Claims: []trial.Claim{claims.Between(
				trial.Answered(victim.Startup, victim.Succeed).Of(first), trial.Started,
				formula.StartsAfterSidecar,
			)},
		},
		{
			ID:    "sidecars/startup-holds-sidecar",
			About: "The next sidecar starts when the startup probe of the one before it has succeeded.",
			Pod: withSidecars(2, fixtures.Victim(exitsAtOnce),
				sidecar(first, victim.Run{Term: victim.ExitNow, Startup: "FFS"}, fixtures.Startup(
					fixtures.Probe{PeriodSeconds: 3, TimeoutSeconds: 1, FailureThreshold: 10},
				)), sidecar(second, exitsAtOnce)),
			Labels: []string{"startup"},
			Lasts:  12 * time.Second,
			Claims: []trial.Claim{claims.Between(
				trial.Answered(victim.Startup, victim.Succeed).Of(first), trial.Started.Of(second),
				formula.StartsAfterSidecar,
			)},
		},
		{
			ID: "sidecars/startup-fails",
			About: "A sidecar whose startup probe fails is killed with that probe's own grace period, and starts " +
				"again at once.",
			Pod: withSidecars(9, fixtures.Victim(exitsAtOnce), sidecar(
				first, victim.Run{Term: victim.Ignore, Startup: "F"},
				fixtures.Startup(fixtures.Probe{
					PeriodSeconds: 3, TimeoutSeconds: 2, FailureThreshold: 2,
					TerminationGracePeriodSeconds: fixtures.Seconds(3),
				}),
				fixtures.Liveness(fixtures.Probe{
					PeriodSeconds: 3, TimeoutSeconds: 2, FailureThreshold: 2,
					TerminationGracePeriodSeconds: fixtures.Seconds(6),
				}),
			)),
			Labels:    []string{"startup"},
			KillCause: formula.ByStartup,
			Lasts:     13 * time.Second,
			Claims: slices.Concat(
				[]trial.Claim{claims.New(trial.FailingProbes(victim.Startup, 1).Of(first), formula.FailingProbes)},
				claims.Death(first, formula.Remainder, formula.PodGraceOnProbe), startsAgain(),
			),
		},
		{
			ID:    "sidecars/startup-fails-without-own-grace",
			About: "A sidecar whose startup probe fails has the pod's grace period, whatever the liveness probe's own.",
			Pod: withSidecars(5, fixtures.Victim(exitsAtOnce), sidecar(
				first, victim.Run{Term: victim.Ignore, Startup: "F"},
				fixtures.Startup(fixtures.Probe{PeriodSeconds: 4, TimeoutSeconds: 2, FailureThreshold: 2}),
				fixtures.Liveness(fixtures.Probe{
					PeriodSeconds: 3, TimeoutSeconds: 2, FailureThreshold: 2,
					TerminationGracePeriodSeconds: fixtures.Seconds(9),
				}),
			)),
			Labels:    []string{"startup"},
			KillCause: formula.ByStartup,
			Lasts:     17 * time.Second,
			Claims: slices.Concat(
				[]trial.Claim{claims.New(trial.FailingProbes(victim.Startup, 1).Of(first), formula.FailingProbes)},
				claims.Death(first, formula.Remainder), startsAgain(),
			),
		},
		{
			ID: "sidecars/streak-survives-back-off",
			About: "A sidecar crashes twice after one failing probe. The next life is killed by its first, like a " +
				"main container's.",
			Pod: withSidecars(30, fixtures.Victim(exitsAtOnce), sidecar(
				first,
				victim.Run{Term: victim.ExitNow, Liveness: "F", ExitAfterProbes: []int{1, 1, 0}, ExitCode: 1},
				fixtures.Liveness(fixtures.Probe{PeriodSeconds: 3, TimeoutSeconds: 2, FailureThreshold: 3}),
			)),
			Labels:    []string{victim.Liveness},
			KillCause: formula.ByLiveness,
			Lasts:     30 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Gone.Of(first).Life(2), trial.Started.Of(first).Life(3), formula.RestartDelay),
				claims.New(trial.FailingProbes(victim.Liveness, 3).Of(first), formula.StreakSurvives),
			},
		},
		{
			ID:    "sidecars/startup-again",
			About: "A restarted sidecar sees its startup probe again, though the last life's succeeded.",
			Pod: withSidecars(2, fixtures.Victim(exitsAtOnce), sidecar(
				first, victim.Run{Term: victim.ExitNow, Liveness: "F/S"},
				fixtures.Startup(fixtures.Probe{
					InitialDelaySeconds: 2, PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 3,
				}),
				fixtures.Liveness(fixtures.Probe{PeriodSeconds: 4, TimeoutSeconds: 2, FailureThreshold: 1}),
			)),
			Labels:    []string{"startup", "liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     18 * time.Second,
			Claims: slices.Concat(startsAgain(), []trial.Claim{
				claims.Between(
					trial.Started.Of(first).Life(2), trial.FirstProbe(victim.Startup).Of(first).Life(2),
					formula.StartupAgain, formula.StartupWorkerEnds,
				),
			}),
		},
		{
			ID: "sidecars/startup-after-liveness-kill",
			About: "A restarted sidecar's startup probe should come first. An inherited started flag lets liveness " +
				"probes through.",
			Pod: withSidecars(2, fixtures.Victim(exitsAtOnce), sidecar(
				first, victim.Run{
					Term: victim.ExitNow, Liveness: "F/S", ExitAfter: []time.Duration{-time.Second, 9 * time.Second},
				},
				fixtures.Startup(fixtures.Probe{PeriodSeconds: 10, TimeoutSeconds: 2, FailureThreshold: 3}),
				fixtures.Liveness(fixtures.Probe{PeriodSeconds: 3, TimeoutSeconds: 2, FailureThreshold: 1}),
			)),
			Labels:    []string{"startup", "liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     28 * time.Second,
			Claims: slices.Concat(startsAgain(), []trial.Claim{claims.New(
				trial.ProbesBefore(victim.Liveness, victim.Startup, 2).Of(first), formula.StartupFirst,
			)}),
		},
		{
			ID:    "sidecars/readiness",
			About: "A sidecar's readiness probe decides about its pod's readiness like a main container's.",
			Pod: withSidecars(2, fixtures.Victim(exitsAtOnce), sidecar(
				first, victim.Run{Term: victim.ExitNow, Readiness: "FSSSFFF"},
				fixtures.Readiness(fixtures.Probe{
					InitialDelaySeconds: 2, PeriodSeconds: 3, TimeoutSeconds: 2, FailureThreshold: 3,
					SuccessThreshold: 2,
				}),
			)),
			Labels: []string{"readiness"},
			Lasts:  27 * time.Second,
			Claims: readyAndNot(first),
		},
		{
			ID: "sidecars/readiness-of-second",
			About: "The readiness probe of one of two sidecars makes the pod ready with its first success. Its named " +
				"port is that of its own container.",
			Pod: withSidecars(2, fixtures.Victim(exitsAtOnce), sidecar(first, exitsAtOnce), sidecar(
				second, victim.Run{Term: victim.ExitNow, Readiness: "FFSSFF"},
				fixtures.Readiness(fixtures.Probe{
					Handler: fixtures.HTTPByName, InitialDelaySeconds: 2, PeriodSeconds: 4, TimeoutSeconds: 2,
					FailureThreshold: 2,
				}),
			)),
			Labels: []string{"readiness"},
			Lasts:  32 * time.Second,
			Claims: append(readyAndNot(second),
				claims.Between(
					trial.Answered(victim.Readiness, victim.Succeed).Of(second), trial.Condition(ready),
					formula.LastSuccessReady,
				),
			),
		},
		{
			ID: "sidecars/ends-and-starts",
			About: "A sidecar that succeeds starts again, at once and then after ten seconds. The init container " +
				"after it runs once.",
			// With this policy, each trial claims that a container which succeeded does not start again.
			Pod: fixtures.With(withSidecars(2, fixtures.Victim(exitsAtOnce),
				sidecar(first, victim.Run{ExitAfter: []time.Duration{4 * time.Second, time.Second, -time.Second}}),
				fixtures.Named(prepare, victim.Run{ExitAfter: []time.Duration{time.Second}}),
			), fixtures.RestartPolicy(corev1.RestartPolicyOnFailure)),
			Labels: []string{"crash-loop"},
			Lasts:  25 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Gone.Of(first), trial.Started.Of(first).Life(2), formula.FirstCrash),
				claims.Between(
					trial.Gone.Of(first).Life(2), trial.Started.Of(first).Life(3),
					formula.RestartDelay, formula.NoBackOff,
				),
				claims.Between(trial.Gone.Of(prepare), trial.Started, formula.InitThenNext),
			},
		},
		{
			ID: "sidecars/end-together",
			About: "Two sidecars that end while a postStart hook holds their pod's sync start again in the order of " +
				"the specification.",
			Pod: withSidecars(9, fixtures.Victim(exitsAtOnce, fixtures.SleepPostStart(8)),
				sidecar(first, endsOnce), sidecar(second, endsOnce)),
			Needs:  []formula.Change{formula.SleepAction},
			Labels: []string{"crash-loop"},
			Lasts:  16 * time.Second,
			Claims: []trial.Claim{
				claims.Between(
					trial.Started.Of(first).Life(2), trial.Started.Of(second).Life(2), formula.SidecarsStartAgain,
				),
			},
		},
		{
			ID:    "sidecars/succeeds-where-none-restarts",
			About: "A sidecar that succeeds starts again, although its pod's restartPolicy is Never.",
			Pod: fixtures.With(withSidecars(2, fixtures.Victim(exitsAtOnce),
				sidecar(first, endsOnce),
			), fixtures.RestartPolicy(corev1.RestartPolicyNever)),
			Labels: []string{"crash-loop"},
			Lasts:  12 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Gone.Of(first), trial.Started.Of(first).Life(2), formula.FirstCrash),
			},
		},
	}
}

// crashesUnstarted returns the trial of a sidecar that crashes twice before its startup probe has succeeded.
func crashesUnstarted() trial.Trial {
	startup := func(period int32) fixtures.Option {
		return fixtures.Startup(fixtures.Probe{PeriodSeconds: period, TimeoutSeconds: 2, FailureThreshold: 3})
	}
	return trial.Trial{
		ID: "sidecars/crashes-before-startup",
		About: "A sidecar crashes twice, each time after one failing startup probe, in a pod that is never " +
			"restarted. Its failures count on, and it is probed until the main container starts.",
		// The other sidecar's startup probe keeps an old kubelet from a new worker for the second one's. Ticks count
		// from the pod's first sync: the second sidecar sees the one after six seconds, and that after twelve.
		Pod: fixtures.With(withSidecars(9, fixtures.Victim(exitsAtOnce),
			sidecar(first, exitsAtOnce, startup(2)),
			sidecar(second, victim.Run{
				Term: victim.ExitNow, Startup: "F/F/F/S",
				ExitAfter: []time.Duration{5 * time.Second, 5 * time.Second, -time.Second}, ExitCode: 1,
			}, startup(6)),
		), fixtures.RestartPolicy(corev1.RestartPolicyNever)),
		Labels:    []string{"startup", "crash-loop"},
		KillCause: formula.ByStartup,
		Lasts:     82 * time.Second,
		Claims: append(claims.Needing(formula.SidecarsProbedAgain, []trial.Claim{
			claims.New(trial.FailingProbes(victim.Startup, 3).Of(second), formula.StreakSurvives),
			claims.Between(trial.Answered(victim.Startup, victim.Succeed).Of(second).Life(4), trial.Started,
				formula.StartsAfterSidecar),
		}),
			claims.Between(trial.Gone.Of(second).Life(2), trial.Started.Of(second).Life(3), formula.RestartDelay),
			claims.New(trial.Starts(trial.Main, trial.Started.Of(second).Life(3), 55*time.Second),
				formula.StartsBesideCrashed),
		),
	}
}

// withoutRestartRules returns a trial for a kubelet whose containers have no restart rules, so that other code decides
// which of them start again.
func withoutRestartRules(t trial.Trial) trial.Trial {
	t.ID += "-without-rules"
	t.About += " The feature gate for restart rules is off."
	t.Worker = &trial.Worker{Name: "no-restart-rules", KubeletConfig: map[string]any{
		"featureGates": map[string]any{formula.ContainerRestartRules.Gate: false, formula.RestartAll.Gate: false},
	}}
	t.Needs, t.Nightly = []formula.Change{formula.RestartAllSwitch}, true
	return t
}

// withoutRestartAll returns a trial of sidecars for a kubelet that cannot restart all containers in place. Beside it, a
// sidecar crashes before its pod is initialized.
func withoutRestartAll(t trial.Trial) trial.Trial {
	const companion = "companion"
	early := withSidecars(2, fixtures.Named(companion, exitsAtOnce), sidecar(
		second, victim.Run{ExitAfter: []time.Duration{3 * time.Second, -time.Second}, ExitCode: 1, Startup: "FFFFS/S"},
		fixtures.Startup(fixtures.Probe{PeriodSeconds: 1, TimeoutSeconds: 1, FailureThreshold: 30}),
	))
	early.Name = companion
	t.ID += "-without-restart-all"
	t.About += " The pod stays initialized though its feature gate for restarts in place is off."
	t.Companions = []*corev1.Pod{early}
	t.Worker = &trial.Worker{Name: "no-restart-all", KubeletConfig: map[string]any{
		"featureGates": map[string]any{formula.RestartAll.Gate: false},
	}}
	t.Needs, t.Nightly = []formula.Change{formula.RestartAllSwitch}, true
	return t
}

const ready = string(corev1.PodReady)

func readyAndNot(sidecar string) []trial.Claim {
	until := func(shown trial.Point) trial.Measure {
		return trial.ProbesInARowUntil(victim.Readiness, 1, shown).Of(sidecar)
	}
	return []trial.Claim{
		claims.New(until(trial.Condition(ready)), formula.ReadyAfter),
		claims.New(until(trial.NoCondition(ready)), formula.UnreadyAfter),
	}
}
