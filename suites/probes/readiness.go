package probes

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

const ready = string(corev1.PodReady)

const other = "other"

// served is an initial delay in seconds after which a victim surely serves its probes, even one out of turn.
const served = 2

func readinessProbes() []trial.Trial {
	readyAgain := trial.Condition(ready).Number(2)
	inARow := func(until trial.Point, f formula.Formula) trial.Claim {
		return claims.New(trial.ProbesInARowUntil(victim.Readiness, 1, until), f)
	}
	hangs := func(h fixtures.Handler, period int32, lasts time.Duration, about string) trial.Trial {
		return trial.Trial{
			ID:    "probes/readiness-" + string(h) + "-hangs",
			About: about,
			Pod: fixtures.Single(2,
				victim.Run{Term: victim.ExitNow, Readiness: "SSSH"},
				fixtures.Readiness(fixtures.Probe{
					Handler: h, InitialDelaySeconds: served, PeriodSeconds: period, TimeoutSeconds: 2,
					FailureThreshold: 2,
				}),
			),
			Labels: []string{"readiness"},
			Needs:  needs(h),
			Lasts:  lasts,
			Claims: []trial.Claim{
				inARow(trial.Condition(ready), formula.ReadyAfter),
				inARow(trial.NoCondition(ready), formula.UnreadyAfter),
			},
		}
	}
	return []trial.Trial{
		{
			ID:    "probes/readiness-fault-and-recovery",
			About: "A readiness probe's third failure makes the pod unready, its second success ready again.",
			Pod: fixtures.Single(2,
				victim.Run{Term: victim.ExitNow, Readiness: "SSSSSFFFFS"},
				fixtures.Readiness(fixtures.Probe{
					InitialDelaySeconds: served, PeriodSeconds: 3, TimeoutSeconds: 2,
					FailureThreshold: 3, SuccessThreshold: 2,
				}),
			),
			Labels: []string{"readiness"},
			Lasts:  40 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Started, trial.Condition(ready), formula.FirstReady),
				inARow(trial.Condition(ready), formula.ReadyAfter),
				inARow(trial.NoCondition(ready), formula.UnreadyAfter),
				claims.Between(
					trial.Answered(victim.Readiness, victim.Fail), trial.NoCondition(ready), formula.UnreadyLag,
				),
				inARow(readyAgain, formula.ReadyAfter),
				claims.Between(
					trial.Answered(victim.Readiness, victim.Succeed).Number(6), readyAgain, formula.ReadyLag,
				),
				claims.Between(
					trial.Answered(victim.Readiness, victim.Succeed).Number(7), readyAgain, formula.LastSuccessReady,
				),
				claims.New(trial.EndsWithin(38*time.Second), formula.ReadinessKillsNobody),
			},
		},
		hangs(fixtures.GRPC, 4, 32*time.Second,
			"A gRPC readiness probe without an answer has failed: the second in a row makes the pod unready."),
		hangs(fixtures.TCP, 3, 26*time.Second,
			"A TCP readiness probe whose port accepts no connection fails: the second in a row makes the pod unready."),
		hangs(fixtures.Exec, 5, 38*time.Second,
			"An exec readiness probe beyond timeoutSeconds fails: the second in a row makes the pod unready."),
		{
			ID: "probes/readiness-gate",
			About: "A pod with two readiness gates is Ready only while both of their conditions are True. Its " +
				"container is ready all the time, and lives on.",
			Pod: fixtures.With(
				fixtures.Single(2, victim.Run{}), fixtures.ReadinessGates("podclock.dev/first", "podclock.dev/second"),
			),
			Faults: []trial.Fault{
				trial.Set("podclock.dev/first", corev1.ConditionTrue),
				trial.Set("podclock.dev/second", corev1.ConditionFalse).At(trial.Injected, 4*time.Second),
				trial.Set("podclock.dev/second", corev1.ConditionTrue).At(trial.Injected.Number(2), 6*time.Second),
				trial.Set("podclock.dev/first", corev1.ConditionFalse).At(trial.Injected.Number(3), 5*time.Second),
			},
			Labels: []string{"readiness"},
			Lasts:  24 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Injected.Number(3), trial.Condition(ready), formula.GateOpens),
				claims.Between(trial.Injected.Number(4), trial.NoCondition(ready), formula.GateOpens),
				claims.New(trial.EndsWithin(22*time.Second), formula.Undisturbed),
			},
		},
		{
			ID:    "probes/readiness-not-found",
			About: "A readiness probe that is answered with a status of 400 to 499 makes the pod unready.",
			Pod: fixtures.Single(2,
				victim.Run{Term: victim.ExitNow, Readiness: "SSN"},
				fixtures.Readiness(fixtures.Probe{
					Handler: fixtures.HTTP, InitialDelaySeconds: served, PeriodSeconds: 4, TimeoutSeconds: 2,
					FailureThreshold: 1,
				}),
			),
			Labels: []string{"readiness"},
			Lasts:  22 * time.Second,
			Claims: []trial.Claim{
				inARow(trial.Condition(ready), formula.ReadyAfter),
				claims.Between(
					trial.Answered(victim.Readiness, victim.NotFound), trial.NoCondition(ready), formula.UnreadyLag,
				),
			},
		},
		{
			ID: "probes/unready-during-kill",
			About: "A failing readiness probe makes the pod unready at once, although the pod's sync waits for the " +
				"hook of another container.",
			// The other container's hook runs from the 7th to the 16th second, or a period later. The sixth readiness
			// probe comes between.
			Pod: fixtures.Pod(15,
				fixtures.Victim(victim.Run{Term: victim.ExitNow, Readiness: "SSSSSF"},
					fixtures.Readiness(fixtures.Probe{PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 1})),
				fixtures.Named(other, victim.Run{Term: victim.ExitNow, Liveness: "F", HookSleep: 9 * time.Second},
					fixtures.Liveness(fixtures.Probe{
						InitialDelaySeconds: 6, PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 1,
					}),
					fixtures.HTTPPreStop()),
			),
			Labels:    []string{"readiness"},
			KillCause: formula.ByLiveness,
			Lasts:     22 * time.Second,
			Claims: []trial.Claim{
				claims.Between(
					trial.Answered(victim.Readiness, victim.Fail), trial.NoCondition(ready), formula.UnreadyLag,
				),
				claims.New(trial.FailingProbes(victim.Liveness, 1).Of(other), formula.FailingProbes),
				claims.New(trial.HookRuns().Of(other), formula.HookRuns),
				claims.New(trial.Between(trial.HookEnded, trial.SIGTERM).Of(other), formula.HookThenSignal),
				claims.Between(trial.Gone.Of(other), trial.Started.Of(other).Life(2), formula.FreeRestart),
			},
		},
		{
			ID: "probes/ready-during-kill",
			About: "A readiness probe that succeeds makes the pod ready at once, although the pod's sync waits for " +
				"the hook of another container.",
			// The hook runs as in the trial above. The fourth and fifth readiness probe come before and during it.
			Pod: fixtures.Pod(15,
				fixtures.Victim(victim.Run{Term: victim.ExitNow, Readiness: "FFFFS"},
					fixtures.Readiness(fixtures.Probe{
						InitialDelaySeconds: served, PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 1,
					})),
				fixtures.Named(other, victim.Run{Term: victim.ExitNow, Liveness: "F", HookSleep: 9 * time.Second},
					fixtures.Liveness(fixtures.Probe{
						InitialDelaySeconds: 6, PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 1,
					}),
					fixtures.HTTPPreStop()),
			),
			Labels:    []string{"readiness"},
			KillCause: formula.ByLiveness,
			Lasts:     22 * time.Second,
			Claims: []trial.Claim{
				claims.Between(
					trial.Answered(victim.Readiness, victim.Succeed), trial.Condition(ready), formula.LastSuccessReady,
				),
				claims.New(trial.HookRuns().Of(other), formula.HookRuns),
			},
		},
		{
			ID: "probes/readiness-streak-outlives-crash",
			About: "A container that needs six successes crashes after some. The next life needs only the missing " +
				"ones.",
			// No probe is due between the crash and when the kubelet notices it: a probe that reaches no process ends
			// the streak. Ticks count from the pod's first sync. Since 1.34 a sync of the unready pod moves them, up
			// to three seconds after the container's start.
			Pod: fixtures.Single(2,
				victim.Run{
					Term: victim.ExitNow, ExitCode: 1,
					ExitAfter: []time.Duration{19500 * time.Millisecond, -time.Second},
				},
				fixtures.Readiness(fixtures.Probe{
					InitialDelaySeconds: served, PeriodSeconds: 8, TimeoutSeconds: 2,
					FailureThreshold: 3, SuccessThreshold: 6,
				}),
			),
			Labels: []string{"readiness"},
			Lasts:  62 * time.Second,
			Claims: []trial.Claim{
				claims.New(
					trial.ProbesInARowUntil(victim.Readiness, 2, trial.Condition(ready)),
					formula.StreakSurvives, formula.ForgetsSuccesses,
				),
				claims.Between(trial.Gone, trial.Started.Life(2), formula.FirstCrash),
			},
		},
		outOfTurn(
			"", "The end of another container syncs an unready pod. That probes its readiness at once, and the next "+
				"period begins.",
			victim.Run{ExitAfter: []time.Duration{8 * time.Second}},
			fixtures.Probe{InitialDelaySeconds: 5, PeriodSeconds: 15, TimeoutSeconds: 2, FailureThreshold: 3},
		),
		outOfTurn(
			"-crash", "The crash of another container syncs an unready pod. That probes its readiness at once, "+
				"although the pod is not ready afterwards either.",
			victim.Run{ExitAfter: []time.Duration{7 * time.Second}, ExitCode: 1},
			fixtures.Probe{InitialDelaySeconds: 4, PeriodSeconds: 16, TimeoutSeconds: 2, FailureThreshold: 3},
		),
		{
			ID:    "probes/terminating-http",
			About: "While a pod terminates, its HTTP readiness probe continues. Its liveness probe stops at once.",
			Pod: fixtures.Single(11,
				fixtures.Ignoring,
				fixtures.Readiness(everyThirdSecond(fixtures.HTTP)), fixtures.Liveness(everyThirdSecond(fixtures.HTTP)),
			),
			Faults: []trial.Fault{trial.Delete()},
			Labels: []string{"readiness", "liveness"},
			Lasts:  19 * time.Second,
			Claims: slices.Concat(claims.KilledWithoutHook, []trial.Claim{
				claims.New(trial.ProbesSince(victim.Readiness, trial.SIGTERM), formula.ProbesOfTerminating),
				claims.New(
					trial.ProbesSince(victim.Liveness, trial.SIGTERM),
					formula.ProbesOfTerminating, formula.GoesOnWhileTerminating,
				),
			}),
		},
		terminatingExec("", 11, "A terminating pod's exec readiness probe continues. Some releases cancel it."),
		terminatingExec("-longer", 17, "A terminating pod's exec readiness probe continues until the end."),
	}
}

// outOfTurn returns the trial of a pod whose other container ends. The probe's initial delay is over before that end,
// and its next tick comes after it.
func outOfTurn(what, about string, ends victim.Run, probe fixtures.Probe) trial.Trial {
	first := trial.FirstProbe(victim.Readiness)
	return trial.Trial{
		ID:    "probes/readiness-out-of-turn" + what,
		About: about,
		Pod: fixtures.With(
			fixtures.Pod(2,
				fixtures.Victim(victim.Run{Term: victim.ExitNow}, fixtures.Readiness(probe)),
				fixtures.Named(other, ends),
			),
			fixtures.RestartPolicy(corev1.RestartPolicyNever),
		),
		Labels: []string{"readiness"},
		Lasts:  28 * time.Second,
		Claims: []trial.Claim{
			claims.Between(trial.Gone.Of(other), first, formula.OutOfTurn, formula.InTurn),
			claims.Between(first, trial.NthProbe(victim.Readiness, 2), formula.AfterOutOfTurn),
		},
	}
}

func everyThirdSecond(h fixtures.Handler) fixtures.Probe {
	return fixtures.Probe{
		Handler: h, InitialDelaySeconds: served, PeriodSeconds: 3, TimeoutSeconds: 2, FailureThreshold: 3,
	}
}

func terminatingExec(what string, grace int64, about string) trial.Trial {
	return trial.Trial{
		ID:     "probes/terminating-exec" + what,
		About:  about,
		Pod:    fixtures.Single(grace, fixtures.Ignoring, fixtures.Readiness(everyThirdSecond(fixtures.Exec))),
		Faults: []trial.Fault{trial.Delete()},
		Labels: []string{"readiness"},
		Needs:  []formula.Change{formula.StopsAgain}, // which a probe's command needs in a container that stops
		Lasts:  time.Duration(grace+8) * time.Second,
		Claims: slices.Concat(claims.KilledWithoutHook, []trial.Claim{
			claims.New(trial.ProbesSince(victim.Readiness, trial.SIGTERM), formula.ProbesOfTerminating),
		}),
	}
}
