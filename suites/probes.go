package suites

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
)

// Probes is the area of probes: how many failures kill a container, and when.
func Probes() []trial.Trial {
	trials := []trial.Trial{
		{
			ID:    "probes/liveness-timeouts",
			About: "A probe that is never answered fails after timeoutSeconds and counts like any other.",
			Pod: fixtures.Pod(30, fixtures.Victim(
				obeying(victim.Run{Liveness: "H"}),
				fixtures.Liveness(
					fixtures.Probe{Handler: fixtures.HTTP, PeriodSeconds: 5, TimeoutSeconds: 2, FailureThreshold: 2},
				),
			)),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     26 * time.Second,
			Claims:    killedByProbe(victim.Liveness, 2),
		},
		{
			ID: "probes/liveness-flapping", About: "Two failures of three, again and again, kill nobody.",
			Pod: fixtures.Pod(30, fixtures.Victim(
				obeying(victim.Run{Liveness: "FFSFFSFFSFFSFFSFFSFFSFFS"}),
				fixtures.Liveness(
					fixtures.Probe{Handler: fixtures.HTTP, PeriodSeconds: 2, TimeoutSeconds: 2, FailureThreshold: 3},
				),
			)),
			Labels: []string{"liveness"}, KillCause: formula.ByLiveness,
			Lasts: 42 * time.Second,
			Claims: []trial.Claim{
				{Measure: trial.Between(trial.Started, trial.FirstProbe(victim.Liveness)), Formula: formula.FirstProbe},
				{Measure: trial.ProbesWithin(victim.Liveness, 40*time.Second), Formula: formula.Cadence},
				{Measure: trial.EndsWithin(40 * time.Second), Formula: formula.NoKill},
			},
		},
		{
			ID:    "probes/initial-delay",
			About: "The first probe waits for initialDelaySeconds, counted from a start time cut to whole seconds.",
			Pod: fixtures.Pod(30, fixtures.Victim(
				obeying(victim.Run{Liveness: "F"}),
				fixtures.Liveness(
					fixtures.Probe{
						Handler:             fixtures.HTTP,
						InitialDelaySeconds: 8,
						PeriodSeconds:       3,
						TimeoutSeconds:      2,
						FailureThreshold:    2,
					},
				),
			)),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     18 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				{
					Measure: trial.Between(trial.Started, trial.FirstProbe(victim.Liveness)),
					Formula: formula.FirstProbe,
					Rivals:  []formula.Rival{formula.DelayIgnored},
				},
			}, killedByProbe(victim.Liveness, 1)),
		},
		{
			ID:    "probes/liveness-grace-shorter",
			About: "The liveness probe's own grace period of three seconds overrides the pod's twenty.",
			Pod: fixtures.Pod(20, fixtures.Victim(
				victim.Run{Term: victim.Ignore, Liveness: "F"},
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
			Lasts:     16 * time.Second,
			Claims:    slices.Concat(killedByProbe(victim.Liveness, 1), against(probeGrace, formula.PodGraceOnProbe)),
		},
		{
			ID:    "probes/liveness-grace-longer",
			About: "The liveness probe's own grace period may be longer than the pod's.",
			Pod: fixtures.Pod(2, fixtures.Victim(
				victim.Run{Term: victim.Ignore, Liveness: "F"},
				fixtures.Liveness(
					fixtures.Probe{
						Handler:                       fixtures.HTTP,
						PeriodSeconds:                 3,
						TimeoutSeconds:                2,
						FailureThreshold:              2,
						TerminationGracePeriodSeconds: fixtures.Seconds(7),
					},
				),
			)),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     18 * time.Second,
			Claims:    slices.Concat(killedByProbe(victim.Liveness, 1), against(probeGrace, formula.PodGraceOnProbe)),
		},
		{
			ID:    "probes/liveness-grace-never-restarts",
			About: "In a pod that is not to restart, the liveness probe's own grace period of three seconds is documented to override the pod's nine, too; it is ignored.",
			Pod: fixtures.With(fixtures.Pod(9, fixtures.Victim(
				victim.Run{Term: victim.Ignore, Liveness: "F"},
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
				fixtures.RestartPolicy(corev1.RestartPolicyNever)),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     22 * time.Second,
			Claims:    slices.Concat(killedByProbe(victim.Liveness, 1), against(probeGrace, formula.ProbeGraceOnPod)),
		},
		{
			ID:    "probes/liveness-hook",
			About: "A kill by the liveness probe runs the preStop hook, whose time is part of the grace period.",
			Pod: fixtures.Pod(8, fixtures.Victim(
				victim.Run{Term: victim.Ignore, Liveness: "F"},
				fixtures.ExecPreStop(victim.Hook{Sleep: 2500 * time.Millisecond}),
				fixtures.Liveness(
					fixtures.Probe{Handler: fixtures.HTTP, PeriodSeconds: 3, TimeoutSeconds: 2, FailureThreshold: 2},
				),
			)),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     22 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				{Measure: trial.FailingProbes(victim.Liveness, 1), Formula: formula.FailingProbes},
				{Measure: trial.HookRuns(), Formula: formula.HookRuns},
			}, hookCompletes, against(probeGrace, formula.FullGraceAgain)),
		},
		{
			ID:    "probes/startup-fails",
			About: "A startup probe that never succeeds kills the container after failureThreshold periods, and holds the liveness probe back.",
			Pod: fixtures.Pod(30, fixtures.Victim(
				obeying(victim.Run{Startup: "F"}),
				fixtures.Startup(
					fixtures.Probe{Handler: fixtures.HTTP, PeriodSeconds: 5, TimeoutSeconds: 2, FailureThreshold: 3},
				),
				fixtures.Liveness(
					fixtures.Probe{Handler: fixtures.HTTP, PeriodSeconds: 1, TimeoutSeconds: 1, FailureThreshold: 3},
				),
			)),
			Labels:    []string{"startup"},
			KillCause: formula.ByStartup,
			Lasts:     34 * time.Second,
			Claims: slices.Concat(killedByProbe(victim.Startup, 2), []trial.Claim{
				{Measure: trial.Probes(victim.Liveness, 1), Formula: formula.HeldBack},
			}),
		},
		{
			ID:    "probes/startup-grace",
			About: "The startup probe's own grace period of four seconds overrides the pod's twenty.",
			Pod: fixtures.Pod(20, fixtures.Victim(
				victim.Run{Term: victim.Ignore, Startup: "F"},
				fixtures.Startup(
					fixtures.Probe{
						Handler:                       fixtures.HTTP,
						PeriodSeconds:                 3,
						TimeoutSeconds:                2,
						FailureThreshold:              2,
						TerminationGracePeriodSeconds: fixtures.Seconds(4),
					},
				),
			)),
			Labels:    []string{"startup"},
			KillCause: formula.ByStartup,
			Lasts:     16 * time.Second,
			Claims:    slices.Concat(killedByProbe(victim.Startup, 1), against(probeGrace, formula.PodGraceOnProbe)),
		},
		{
			ID:    "probes/streak-survives-crash",
			About: "After two failing probes the container crashes by itself. The next life is killed by its first failing probe, not its third: the count outlives the container.",
			Pod: fixtures.Pod(
				30,
				fixtures.Victim(
					obeying(victim.Run{Liveness: "F", ExitAfterProbes: []int{2, 0}, ExitCode: 1}),
					fixtures.Liveness(
						fixtures.Probe{
							Handler:          fixtures.HTTP,
							PeriodSeconds:    5,
							TimeoutSeconds:   2,
							FailureThreshold: 3,
						},
					),
				),
			),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     18 * time.Second,
			Claims: []trial.Claim{
				{Measure: trial.Between(trial.Gone, trial.Started.Life(2)), Formula: formula.FirstCrash},
				{Measure: trial.FailingProbes(victim.Liveness, 2), Formula: formula.FailingProbes},
				{Measure: trial.Between(trial.Started.Life(2), trial.SIGTERM.Life(2)), Formula: formula.ProbeKills},
			},
		},
	}
	for _, h := range []fixtures.Handler{fixtures.HTTP, fixtures.Exec, fixtures.TCP, fixtures.GRPC} {
		trials = append(trials, threeLives(h))
	}
	for _, p := range grid() {
		trials = append(trials, p.trial())
	}
	return slices.Concat(trials, readinessProbes(), startupProbes(), probeTicks(), probeErrors(), probesOverRestarts())
}

// threeLives is the trial that PR 62853 is known by: a liveness probe that always fails kills three lives,
// each after failureThreshold failures.
func threeLives(h fixtures.Handler) trial.Trial {
	var needs []formula.Change
	if h == fixtures.GRPC {
		needs = []formula.Change{formula.GRPCProbes}
	}
	return trial.Trial{
		ID: fmt.Sprintf("probes/liveness-%s-three-lives", h),
		About: fmt.Sprintf(
			"A liveness probe over %s that always fails: each of three lives sees three failing probes, and kills are three periods apart. A later life that sees two is killed too early.",
			h,
		),
		Pod: fixtures.Pod(30, fixtures.Victim(obeying(victim.Run{Liveness: "F"}),
			fixtures.Liveness(fixtures.Probe{Handler: h, PeriodSeconds: 5, TimeoutSeconds: 4, FailureThreshold: 3}))),
		Labels:    []string{"liveness"},
		KillCause: formula.ByLiveness,
		Needs:     needs,
		Lasts:     52 * time.Second,
		Claims:    killedByProbe(victim.Liveness, 3),
	}
}

// obeying is a main process that exits at once on SIGTERM.
func obeying(run victim.Run) victim.Run {
	run.Term = victim.ExitNow
	return run
}

// killedByProbe is what must be true of a container whose probe fails from the first time on, for a number of lives.
func killedByProbe(kind string, lives int) []trial.Claim {
	claims := []trial.Claim{{Measure: trial.Between(trial.Started, trial.SIGTERM), Formula: formula.ProbeKills}}
	for life := 1; life <= lives; life++ {
		claims = append(
			claims,
			trial.Claim{
				Measure: trial.FailingProbes(kind, life), Formula: formula.FailingProbes,
				Rivals: []formula.Rival{formula.ResultRunOne, formula.NeverReset},
			},
			trial.Claim{
				Measure: trial.Between(trial.LastProbe(kind).Life(life), trial.SIGTERM.Life(life)),
				Formula: formula.LastProbeToKill,
			},
		)
		if life > 1 {
			claims = append(
				claims,
				trial.Claim{
					Measure: trial.Between(
						trial.SIGTERM.Life(life-1),
						trial.SIGTERM.Life(life),
					),
					Formula: formula.KillSpacing,
					Rivals:  []formula.Rival{formula.ResultRunOneSpacing, formula.NeverResetSpacing},
				},
				trial.Claim{
					Measure: trial.Between(
						trial.LastProbe(kind).Life(life-1),
						trial.LastProbe(kind).Life(life),
					),
					Formula: formula.KillTicks,
					Rivals:  []formula.Rival{formula.ResultRunOneTicks, formula.NeverResetTicks},
				},
				trial.Claim{
					Measure: trial.Between(trial.Gone.Life(life-1), trial.Started.Life(life)),
					Formula: formula.FreeRestart,
				},
			)
		}
	}
	return claims
}

// probeGrace is what must be true of the death of a container that ignores the SIGTERM of a probe's kill.
var probeGrace = []trial.Claim{
	{Measure: trial.Between(trial.SIGTERM, trial.Gone), Formula: formula.Remainder},
	{Measure: trial.StopSignals(), Formula: formula.StopSignals},
}
