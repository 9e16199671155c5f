// Package probes holds the trials of liveness, readiness and startup probes: how many failures kill a
// container, and when.
package probes

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
	"github.com/podclock/podclock/suites/claims"
)

// Trials returns the trials of the area.
func Trials() []trial.Trial {
	trials := livenessProbes()
	for _, h := range []fixtures.Handler{fixtures.HTTP, fixtures.Exec, fixtures.TCP, fixtures.GRPC} {
		trials = append(trials, threeLives(h))
	}
	for _, p := range grid() {
		trials = append(trials, p.trial())
	}
	return slices.Concat(
		trials, readinessProbes(), startupProbes(), livesOfProbes(),
		firstTicks(), errorsAndRedirects(), kubeletRestarts(),
	)
}

// livenessProbes returns the trials of kills by a liveness probe, or by a startup probe that never succeeds.
func livenessProbes() []trial.Trial {
	return []trial.Trial{
		{
			ID:    "probes/liveness-timeouts",
			About: "A probe without an answer fails after timeoutSeconds and counts like any other.",
			Pod: fixtures.Pod(30, fixtures.Victim(
				victim.Run{Term: victim.ExitNow, Liveness: "H"},
				fixtures.Liveness(fixtures.Probe{PeriodSeconds: 5, TimeoutSeconds: 2, FailureThreshold: 2}),
			)),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     26 * time.Second,
			Claims:    killedByProbe(victim.Liveness, 2),
		},
		{
			ID:    "probes/liveness-flapping",
			About: "Two failures out of three kill no container, however often they come.",
			Pod: fixtures.Pod(30, fixtures.Victim(
				victim.Run{Term: victim.ExitNow, Liveness: "FFSFFSFFSFFSFFSFFSFFSFFS"},
				fixtures.Liveness(fixtures.Probe{PeriodSeconds: 2, TimeoutSeconds: 2, FailureThreshold: 3}),
			)),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     42 * time.Second,
			Claims: []trial.Claim{
				first(victim.Liveness),
				claims.New(trial.ProbesWithin(victim.Liveness, 40*time.Second), formula.Cadence),
				claims.New(trial.EndsWithin(40*time.Second), formula.NoKill),
			},
		},
		{
			ID: "probes/initial-delay",
			About: "The first probe comes after initialDelaySeconds. " +
				"They count from a start time that is cut to whole seconds.",
			Pod: fixtures.Pod(30, fixtures.Victim(failing, fixtures.Liveness(fixtures.Probe{
				InitialDelaySeconds: 8, PeriodSeconds: 3, TimeoutSeconds: 2, FailureThreshold: 2,
			}))),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     18 * time.Second,
			Claims: slices.Concat(
				[]trial.Claim{first(victim.Liveness, formula.DelayIgnored)}, killedByProbe(victim.Liveness, 1),
			),
		},
		{
			ID:        "probes/liveness-grace-shorter",
			About:     "The liveness probe's own grace period of three seconds overrides the pod's twenty.",
			Pod:       fixtures.Pod(20, fixtures.Victim(failingAndIgnoring, fixtures.Liveness(withGrace(3)))),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     16 * time.Second,
			Claims:    killedInGrace(victim.Liveness, formula.PodGraceOnProbe),
		},
		{
			ID:        "probes/liveness-grace-longer",
			About:     "The liveness probe's own grace period may be longer than the pod's.",
			Pod:       fixtures.Pod(2, fixtures.Victim(failingAndIgnoring, fixtures.Liveness(withGrace(7)))),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     18 * time.Second,
			Claims:    killedInGrace(victim.Liveness, formula.PodGraceOnProbe),
		},
		{
			ID: "probes/liveness-grace-never-restarts",
			About: "The liveness probe's own grace period of three seconds is documented to override the pod's nine. " +
				"With restartPolicy Never it is ignored.",
			Pod: fixtures.With(
				fixtures.Pod(9, fixtures.Victim(failingAndIgnoring, fixtures.Liveness(withGrace(3)))),
				fixtures.RestartPolicy(corev1.RestartPolicyNever),
			),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     22 * time.Second,
			Claims:    killedInGrace(victim.Liveness, formula.ProbeGraceOnPod),
		},
		{
			ID:    "probes/liveness-hook",
			About: "A kill by the liveness probe runs the preStop hook, whose time is part of the grace period.",
			Pod: fixtures.Pod(8, fixtures.Victim(
				failingAndIgnoring,
				fixtures.ExecPreStop(victim.Hook{Sleep: 2500 * time.Millisecond}), fixtures.Liveness(twoFailures),
			)),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     22 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.New(trial.FailingProbes(victim.Liveness, 1), formula.FailingProbes),
				claims.New(trial.HookRuns(), formula.HookRuns),
			}, claims.HookCompletes, claims.Death(trial.Main, formula.Remainder, formula.FullGraceAgain)),
		},
		{
			ID: "probes/startup-fails",
			About: "A startup probe that never succeeds kills the container after failureThreshold periods. " +
				"The liveness probe does not begin.",
			Pod: fixtures.Pod(30, fixtures.Victim(
				victim.Run{Term: victim.ExitNow, Startup: "F"},
				fixtures.Startup(fixtures.Probe{PeriodSeconds: 5, TimeoutSeconds: 2, FailureThreshold: 3}),
				fixtures.Liveness(fixtures.Probe{PeriodSeconds: 1, TimeoutSeconds: 1, FailureThreshold: 3}),
			)),
			Labels:    []string{"startup"},
			KillCause: formula.ByStartup,
			Lasts:     34 * time.Second,
			Claims: slices.Concat(killedByProbe(victim.Startup, 2), []trial.Claim{
				claims.New(trial.Probes(victim.Liveness, 1), formula.HeldBack),
			}),
		},
		{
			ID:    "probes/startup-grace",
			About: "The startup probe's own grace period of four seconds overrides the pod's twenty.",
			Pod: fixtures.Pod(20, fixtures.Victim(
				victim.Run{Term: victim.Ignore, Startup: "F"}, fixtures.Startup(withGrace(4)),
			)),
			Labels:    []string{"startup"},
			KillCause: formula.ByStartup,
			Lasts:     16 * time.Second,
			Claims:    killedInGrace(victim.Startup, formula.PodGraceOnProbe),
		},
		{
			ID: "probes/streak-survives-crash",
			About: "The container crashes by itself after two failing probes. " +
				"The next life is killed by its first failing probe, not its third: the count outlives the container.",
			Pod: fixtures.Pod(30, fixtures.Victim(
				victim.Run{Term: victim.ExitNow, Liveness: "F", ExitAfterProbes: []int{2, 0}, ExitCode: 1},
				fixtures.Liveness(fixtures.Probe{PeriodSeconds: 5, TimeoutSeconds: 2, FailureThreshold: 3}),
			)),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     18 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Gone, trial.Started.Life(2), formula.FirstCrash),
				claims.New(trial.FailingProbes(victim.Liveness, 2), formula.FailingProbes),
				claims.Between(trial.Started.Life(2), trial.SIGTERM.Life(2), formula.ProbeKills),
			},
		},
	}
}

// threeLives returns the trial that shows kubernetes PR 62853: a liveness probe that always fails kills three
// lives, each after failureThreshold failures.
func threeLives(h fixtures.Handler) trial.Trial {
	return trial.Trial{
		ID: fmt.Sprintf("probes/liveness-%s-three-lives", h),
		About: fmt.Sprintf("A liveness probe over %s always fails. Each of three lives sees three failing probes, "+
			"and kills are three periods apart. A later life that sees two is killed too early.", h),
		Pod: fixtures.Pod(30, fixtures.Victim(failing, fixtures.Liveness(
			fixtures.Probe{Handler: h, PeriodSeconds: 5, TimeoutSeconds: 4, FailureThreshold: 3},
		))),
		Labels:    []string{"liveness"},
		KillCause: formula.ByLiveness,
		Needs:     needs(h),
		Lasts:     52 * time.Second,
		Claims:    killedByProbe(victim.Liveness, 3),
	}
}

// livesOfProbes returns the trials of initial delays in a second life, and of containers that are not restarted.
func livesOfProbes() []trial.Trial {
	return []trial.Trial{
		{
			ID: "probes/delay-below-period",
			About: "An initial delay of seven seconds counts, though the period is eight. " +
				"In the second life, which begins well after a tick, it costs a whole period more.",
			Pod: fixtures.Pod(10, fixtures.Victim(
				victim.Run{Term: victim.ExitAfter, TermDelay: 2500 * time.Millisecond, Liveness: "F"},
				fixtures.Liveness(fixtures.Probe{
					InitialDelaySeconds: 7, PeriodSeconds: 8, TimeoutSeconds: 2, FailureThreshold: 1,
				}),
			)),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     33 * time.Second,
			Claims: []trial.Claim{
				first(victim.Liveness, formula.DelayIgnored),
				claims.Between(trial.SIGTERM, trial.Gone, formula.ObeyedSignal),
				restarted(2),
				claims.Between(
					trial.Started.Life(2), trial.FirstProbe(victim.Liveness).Life(2), formula.LaterFirstProbe,
				),
				claims.New(trial.FailingProbes(victim.Liveness, 2), formula.FailingProbes),
			},
		},
		{
			ID: "probes/liveness-never-restarted",
			About: "With restartPolicy Never a container that its liveness probe kills is not started again. " +
				"The pod has Failed, with the exit code of SIGKILL.",
			Pod: fixtures.With(
				fixtures.Pod(3, fixtures.Victim(failingAndIgnoring, fixtures.Liveness(twoFailures))),
				fixtures.RestartPolicy(corev1.RestartPolicyNever),
			),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     13 * time.Second,
			Claims: slices.Concat(killedInGrace(victim.Liveness), []trial.Claim{
				claims.New(trial.DeathCode(), formula.DeathCode),
				claims.Between(trial.Gone, trial.Phase(string(corev1.PodFailed)), formula.FinishedFailed),
			}),
		},
	}
}
