// Package probes holds the trials of liveness, readiness and startup probes: how many failures kill a
// container, and when.
package probes

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

// Trials returns the trials of the area. Those without labels are about liveness probes.
func Trials() []trial.Trial {
	trials := livenessProbes()
	for _, h := range []fixtures.Handler{fixtures.HTTP, fixtures.Exec, fixtures.TCP, fixtures.GRPC} {
		trials = append(trials, threeLives(h))
	}
	for _, p := range grid() {
		trials = append(trials, p.trial())
	}
	trials = slices.Concat(
		trials, readinessProbes(), startupProbes(), livesOfProbes(),
		firstTicks(), errorsAndRedirects(), requests(), protocols(), kubeletRestarts(),
	)
	for i := range trials {
		if t := &trials[i]; t.Labels == nil {
			t.Labels, t.KillCause = []string{victim.Liveness}, formula.ByLiveness
		}
	}
	return trials
}

func livenessProbes() []trial.Trial {
	return []trial.Trial{
		{
			ID:    "probes/liveness-timeouts",
			About: "A probe without an answer fails after timeoutSeconds and counts like any other.",
			Pod: fixtures.Single(30,
				victim.Run{Term: victim.ExitNow, Liveness: "H"},
				fixtures.Liveness(fixtures.Probe{PeriodSeconds: 5, TimeoutSeconds: 2, FailureThreshold: 2}),
			),
			Lasts:  26 * time.Second,
			Claims: killedByProbe(victim.Liveness, 2),
		},
		flapping("", "Two failures out of three kill no container, however often they come.",
			"FFSFFSFFSFFSFFSFFSFFSFFS",
			fixtures.Probe{PeriodSeconds: 2, TimeoutSeconds: 2, FailureThreshold: 3}, 40*time.Second),
		flapping("-http", "Each second probe fails, and none of these failures kills.", "FSFSFSFSFSFS",
			fixtures.Probe{Handler: fixtures.HTTP, PeriodSeconds: 3, TimeoutSeconds: 1, FailureThreshold: 2},
			30*time.Second),
		{
			ID: "probes/initial-delay",
			About: "The first probe comes after initialDelaySeconds, counted from a start time that is cut to whole " +
				"seconds.",
			Pod: fixtures.Single(30, failing, fixtures.Liveness(fixtures.Probe{
				InitialDelaySeconds: 8, PeriodSeconds: 3, TimeoutSeconds: 2, FailureThreshold: 2,
			})),
			Lasts: 18 * time.Second,
			Claims: slices.Concat(
				[]trial.Claim{first(victim.Liveness, formula.DelayIgnored)}, killedByProbe(victim.Liveness, 1),
			),
		},
		{
			ID:     "probes/liveness-grace-shorter",
			About:  "The liveness probe's own grace period of three seconds overrides the pod's twenty.",
			Pod:    fixtures.Single(20, failingAndIgnoring, fixtures.Liveness(withGrace(3))),
			Lasts:  16 * time.Second,
			Claims: killedInGrace(victim.Liveness, formula.PodGraceOnProbe),
		},
		{
			ID:     "probes/liveness-grace-longer",
			About:  "The liveness probe's own grace period may be longer than the pod's.",
			Pod:    fixtures.Single(2, failingAndIgnoring, fixtures.Liveness(withGrace(7))),
			Lasts:  18 * time.Second,
			Claims: killedInGrace(victim.Liveness, formula.PodGraceOnProbe),
		},
		neverRestarted(victim.Liveness, formula.ByLiveness, fixtures.Liveness,
			"With restartPolicy Never the pod's nine seconds count. The documentation promises the liveness probe's "+
				"own three."),
		neverRestarted(victim.Startup, formula.ByStartup, fixtures.Startup,
			"With restartPolicy Never a startup probe's own grace period does not count either."),
		{
			ID:    "probes/liveness-hook",
			About: "A kill by the liveness probe runs the preStop hook, whose time is part of the grace period.",
			Pod: fixtures.Single(8,
				failingAndIgnoring,
				fixtures.ExecPreStop(victim.Hook{Sleep: 2500 * time.Millisecond}), fixtures.Liveness(twoFailures),
			),
			Lasts: 22 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.New(trial.FailingProbes(victim.Liveness, 1), formula.FailingProbes),
				claims.New(trial.HookRuns(), formula.HookRuns),
			}, claims.HookCompletes, claims.Death(trial.Main, formula.Remainder, formula.FullGraceAgain)),
		},
		{
			ID: "probes/liveness-grace-hook-hangs",
			About: "A preStop hook that hangs has the liveness probe's own five seconds, not the pod's twenty. Two " +
				"seconds follow.",
			Pod: fixtures.Single(20,
				failingAndIgnoring, fixtures.ExecPreStop(victim.Hook{Hang: true}), fixtures.Liveness(withGrace(5)),
			),
			Lasts: 20 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.New(trial.FailingProbes(victim.Liveness, 1), formula.FailingProbes),
				claims.New(trial.HookRuns(), formula.HookRuns),
				claims.Between(trial.HookBegan, trial.SIGTERM, formula.HookBound, formula.PodGraceOnProbe),
			}, claims.Death(trial.Main, formula.Remainder, formula.FullGraceAgain, formula.NoMinimum)),
		},
		{
			ID: "probes/startup-fails",
			About: "A startup probe that never succeeds kills after failureThreshold periods. No liveness probe " +
				"comes before.",
			Pod: fixtures.Single(30,
				victim.Run{Term: victim.ExitNow, Startup: "F"},
				fixtures.Startup(fixtures.Probe{PeriodSeconds: 5, TimeoutSeconds: 2, FailureThreshold: 3}),
				fixtures.Liveness(fixtures.Probe{PeriodSeconds: 1, TimeoutSeconds: 1, FailureThreshold: 3}),
			),
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
			Pod: fixtures.Single(20,
				victim.Run{Term: victim.Ignore, Startup: "F"}, fixtures.Startup(withGrace(4)),
			),
			Labels:    []string{"startup"},
			KillCause: formula.ByStartup,
			Lasts:     16 * time.Second,
			Claims:    killedInGrace(victim.Startup, formula.PodGraceOnProbe),
		},
		{
			ID: "probes/startup-grace-beside-liveness-grace",
			About: "A startup probe's kill has that probe's own three seconds, not the liveness probe's six or the " +
				"pod's twenty.",
			Pod: fixtures.Single(20, failingAndIgnoring,
				fixtures.Startup(withGrace(3)), fixtures.Liveness(withGrace(6)),
			),
			Labels:    []string{"startup", "liveness"},
			KillCause: formula.ByStartup,
			Lasts:     15 * time.Second,
			Claims:    killedInGrace(victim.Startup, formula.PodGraceOnProbe),
		},
		onFailure(victim.Liveness, formula.ByLiveness, fixtures.Liveness,
			"With restartPolicy OnFailure a probe's kill restarts a container at once, though it then exits with 0."),
		onFailure(victim.Startup, formula.ByStartup, fixtures.Startup,
			"With restartPolicy OnFailure a startup probe's kill restarts a container, too."),
		{
			ID:    "probes/named-port-of-second",
			About: "A probe's named port is looked up in its own container, not in the pod's first one.",
			Pod: fixtures.Pod(2,
				fixtures.Victim(victim.Run{Term: victim.ExitNow}),
				fixtures.Named(other, victim.Run{Term: victim.ExitNow, Liveness: "F"}, fixtures.Liveness(fixtures.Probe{
					Handler: fixtures.HTTPByName, PeriodSeconds: 3, TimeoutSeconds: 2, FailureThreshold: 2,
				})),
			),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     10 * time.Second,
			Claims: []trial.Claim{
				claims.Between(
					trial.Started.Of(other), trial.FirstProbe(victim.Liveness).Of(other), formula.FirstProbe,
				),
				claims.New(trial.FailingProbes(victim.Liveness, 1).Of(other), formula.FailingProbes),
			},
		},
		{
			ID: "probes/streak-survives-crash",
			About: "A container crashes after two failing probes. The next life is killed by its first: the count " +
				"continues.",
			Pod: fixtures.Single(30,
				victim.Run{Term: victim.ExitNow, Liveness: "F", ExitAfterProbes: []int{2, 0}, ExitCode: 1},
				fixtures.Liveness(fixtures.Probe{PeriodSeconds: 5, TimeoutSeconds: 2, FailureThreshold: 3}),
			),
			Lasts: 18 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Gone, trial.Started.Life(2), formula.FirstCrash),
				claims.New(trial.FailingProbes(victim.Liveness, 2), formula.StreakSurvives),
				claims.Between(trial.Started.Life(2), trial.SIGTERM.Life(2), formula.ProbeKills),
			},
		},
		{
			ID: "probes/streak-survives-back-off",
			About: "A container crashes twice after one failing probe. The next life is killed by its first: the " +
				"count continues after a back-off, too.",
			Pod: fixtures.Single(30,
				victim.Run{Term: victim.ExitNow, Liveness: "F", ExitAfterProbes: []int{1, 1, 0}, ExitCode: 1},
				fixtures.Liveness(fixtures.Probe{PeriodSeconds: 3, TimeoutSeconds: 2, FailureThreshold: 3}),
			),
			Lasts: 30 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Gone.Life(2), trial.Started.Life(3), formula.RestartDelay),
				claims.New(trial.FailingProbes(victim.Liveness, 3), formula.StreakSurvives),
				claims.Between(trial.Started.Life(3), trial.SIGTERM.Life(3), formula.ProbeKills),
			},
		},
	}
}

// flapping returns the trial of a liveness probe whose failures never suffice.
func flapping(what, about string, script victim.Scripts, probe fixtures.Probe, watched time.Duration) trial.Trial {
	return trial.Trial{
		ID:    "probes/liveness-flapping" + what,
		About: about,
		Pod:   fixtures.Single(30, victim.Run{Term: victim.ExitNow, Liveness: script}, fixtures.Liveness(probe)),
		Lasts: watched + 2*time.Second,
		Claims: []trial.Claim{
			first(victim.Liveness),
			claims.New(trial.ProbesWithin(victim.Liveness, watched), formula.Cadence),
			claims.New(trial.EndsWithin(watched), formula.NoKill),
		},
	}
}

// onFailure returns the trial of a probe that kills a container, which then succeeds.
func onFailure(
	kind string, cause formula.Cause, probe func(fixtures.Probe) fixtures.Option, about string,
) trial.Trial {
	return trial.Trial{
		ID:    "probes/" + kind + "-on-failure",
		About: about,
		Pod: fixtures.With(
			fixtures.Single(30,
				victim.Run{Term: victim.ExitNow, Liveness: "F", Startup: "F"},
				probe(fixtures.Probe{PeriodSeconds: 4, TimeoutSeconds: 2, FailureThreshold: 2}),
			),
			fixtures.RestartPolicy(corev1.RestartPolicyOnFailure),
		),
		Labels:    []string{kind},
		KillCause: cause,
		Lasts:     18 * time.Second,
		Claims:    killedByProbe(kind, 2),
	}
}

// neverRestarted returns the trial of a probe with a grace period of its own that ends its pod.
func neverRestarted(
	kind string, cause formula.Cause, probe func(fixtures.Probe) fixtures.Option, about string,
) trial.Trial {
	return trial.Trial{
		ID:    "probes/" + kind + "-grace-never-restarts",
		About: about,
		Pod: fixtures.With(
			fixtures.Single(9, failingAndIgnoring, probe(withGrace(3))),
			fixtures.RestartPolicy(corev1.RestartPolicyNever),
		),
		Labels:    []string{kind},
		KillCause: cause,
		Lasts:     22 * time.Second,
		Claims: slices.Concat(
			killedByProbe(kind, 1), claims.Death(trial.Main, formula.ProbeGraceIgnored, formula.ProbeGraceOnPod),
		),
	}
}

// threeLives returns the trial that shows kubernetes PR 62853.
func threeLives(h fixtures.Handler) trial.Trial {
	return trial.Trial{
		ID: fmt.Sprintf("probes/liveness-%s-three-lives", h),
		About: fmt.Sprintf("A liveness probe over %s always fails. Each of three lives sees three failing probes, "+
			"and kills are three periods apart. A later life that sees two is killed too early.", h),
		Pod: fixtures.Single(30, failing, fixtures.Liveness(
			fixtures.Probe{Handler: h, PeriodSeconds: 5, TimeoutSeconds: 4, FailureThreshold: 3},
		)),
		Needs:  needs(h),
		Lasts:  52 * time.Second,
		Claims: killedByProbe(victim.Liveness, 3),
	}
}

func livesOfProbes() []trial.Trial {
	return []trial.Trial{
		delayBelowPeriod("", fixtures.Exec, 7, 8,
			"An initial delay of seven seconds counts, though the period is eight. In the second life it costs a "+
				"period more."),
		delayBelowPeriod("-http", fixtures.HTTP, 8, 9,
			"A second life's initial delay of eight seconds costs a period more, also over HTTP."),
		// A restart takes 0.3 to 0.5 s on a real node and 0.1 s on a virtual one. So the tick comes 6 to 6.2 s after
		// the start.
		delayJustOver("", 3500*time.Millisecond),
		delayJustOver("-longer-end", 3850*time.Millisecond),
		{
			ID:    "probes/liveness-never-restarted",
			About: "With restartPolicy Never a container that its liveness probe kills ends its pod, which has Failed.",
			Pod: fixtures.With(
				fixtures.Single(3, failingAndIgnoring, fixtures.Liveness(twoFailures)),
				fixtures.RestartPolicy(corev1.RestartPolicyNever),
			),
			Lasts: 13 * time.Second,
			Claims: slices.Concat(killedInGrace(victim.Liveness), []trial.Claim{
				claims.New(trial.DeathCode(), formula.DeathCode),
				claims.Between(trial.Gone, trial.Phase(string(corev1.PodFailed)), formula.FinishedFailed),
			}),
		},
	}
}

// delayBelowPeriod returns the trial of an initial delay in seconds that is a second shorter than the period. The
// process takes so long to end that the next tick comes within the second life's delay.
func delayBelowPeriod(what string, h fixtures.Handler, delay, period int32, about string) trial.Trial {
	return trial.Trial{
		ID:    "probes/delay-below-period" + what,
		About: about,
		Pod: fixtures.Single(10,
			victim.Run{Term: victim.ExitAfter, TermDelay: 2500 * time.Millisecond, Liveness: "F"},
			fixtures.Liveness(fixtures.Probe{
				Handler: h, InitialDelaySeconds: delay, PeriodSeconds: period, TimeoutSeconds: 2, FailureThreshold: 1,
			}),
		),
		Lasts: time.Duration(4*period+1) * time.Second,
		Claims: []trial.Claim{
			first(victim.Liveness, formula.DelayIgnored),
			claims.Between(trial.SIGTERM, trial.Gone, formula.ObeyedSignal),
			restarted(2),
			claims.Between(trial.Started.Life(2), trial.FirstProbe(victim.Liveness).Life(2), formula.LaterFirstProbe),
			claims.New(trial.FailingProbes(victim.Liveness, 2), formula.FailingProbes),
		},
	}
}

// delayJustOver returns the trial of an initial delay that ends just before a tick, in three later lives. The kubelet
// drops the start's fraction of a second (worker.go doProbe; status_manager.go normalizeStatus). So only a tick very
// soon after the delay shows a delay that is a second longer. How long the process takes to end decides when it comes.
// After a slow restart the tick comes before the delay is over, and the next one probes.
func delayJustOver(what string, ends time.Duration) trial.Trial {
	t := trial.Trial{
		ID: "probes/delay-just-over" + what,
		About: "The initial delay of three later lives is over by a fraction of a second when a tick comes, which " +
			"probes.",
		Pod: fixtures.Single(10,
			victim.Run{Term: victim.ExitAfter, TermDelay: ends, Liveness: "F"},
			fixtures.Liveness(fixtures.Probe{
				Handler: fixtures.HTTP, InitialDelaySeconds: 6, PeriodSeconds: 5, TimeoutSeconds: 2,
				FailureThreshold: 1,
			}),
		),
		Lasts: 50 * time.Second,
	}
	for life := 2; life <= 4; life++ {
		t.Claims = append(t.Claims, claims.Between(
			trial.Started.Life(life), trial.FirstProbe(victim.Liveness).Life(life), formula.LaterProbe))
	}
	return t
}
