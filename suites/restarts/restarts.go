// Package restarts holds the trials of containers that end and start again: how long each restart waits, and
// what resets the back-off.
package restarts

import (
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

// Trials returns the trials of the area.
func Trials() []trial.Trial {
	return slices.Concat(
		crashLoops(), nodeRestartPeriods(), probeLoops(), forgottenBackOffs(), freshBackOffs(),
		restartsInPods(), configErrors(), imagePulls(), resizes(), startsThatFail(), lostSandboxes(), reboots(),
		outOfMemory(), disturbedRuntimes(),
	)
}

// backOffsReported are the claims on the first two events BackOff.
var backOffsReported = []trial.Claim{
	claims.Between(trial.Gone.Life(2), trial.Event("BackOff"), formula.BackOffReported),
	claims.Between(trial.Gone.Life(3), trial.Event("BackOff").Number(2), formula.BackOffReported),
}

// seen returns a main process whose lives each outlast two relists, so that a sync sees each start before the end.
func seen(exitCode, lives int) victim.Run {
	return ending(exitCode, append(slices.Repeat([]time.Duration{2500 * time.Millisecond}, lives), livesOn)...)
}

func wholeSeries(exitCode int, what string) trial.Trial {
	return trial.Trial{
		ID:     fmt.Sprintf("restarts/crash-exit-%d-to-300s", exitCode),
		About:  "The whole series of a container that " + what + ": 0, 10, 20, 40, 80, 160, 300 and 300 s.",
		Pod:    fixtures.Single(5, crashing(exitCode, 8)),
		Labels: []string{"crash-loop"},
		Lasts:  16*time.Minute + 20*time.Second,
		Claims: slices.Concat(ordinary.delays(0, 10, 20, 40, 80, 160, 300, 300), counted(9)),
	}
}

func crashLoops() []trial.Trial {
	ended := []trial.Claim{claims.New(trial.DeathCode(), formula.DeathCode)}
	codes := func(codes ...int) victim.Run {
		return victim.Run{ExitAfter: []time.Duration{time.Second}, ExitCodes: codes}
	}
	restartRule := trial.Trial{
		ID: "restarts/restart-rule",
		About: "Rules restart one exit code, and all others but one, despite restartPolicy Never. That one ends " +
			"the pod.",
		Pod: fixtures.With(
			// Its readiness probe's worker meets the container while it waits, and no life lasts until the first probe.
			fixtures.Single(5, codes(42, 43, 1),
				fixtures.Readiness(fixtures.Probe{PeriodSeconds: 1, InitialDelaySeconds: 60}),
				fixtures.ContainerRestartPolicy(corev1.ContainerRestartPolicyNever),
				fixtures.RestartOn(corev1.ContainerRestartRuleActionRestart, 42),
				fixtures.RestartUnless(corev1.ContainerRestartRuleActionRestart, 1, 42)),
			fixtures.RestartPolicy(corev1.RestartPolicyNever),
		),
		Needs:  []formula.Change{formula.ContainerRestartRules},
		Lasts:  42 * time.Second,
		Claims: slices.Concat(ordinary.delays(0, 10), endsForGood(3, corev1.PodFailed)),
	}
	return []trial.Trial{
		{
			ID:     "restarts/crash-exit-1",
			About:  "A container that crashes again and again waits 0, 10, 20, 40 and 80 s, shown as CrashLoopBackOff.",
			Pod:    fixtures.Single(5, crashing(1, 5)),
			Labels: []string{"crash-loop"},
			Lasts:  3 * time.Minute,
			Claims: slices.Concat(ordinary.delays(0, 10, 20, 40, 80), shown(2, 5), counted(6), ended),
		},
		{
			ID:     "restarts/crash-exit-0",
			About:  "A container that succeeds again and again waits as long as one that crashes.",
			Pod:    fixtures.Single(5, crashing(0, 3)),
			Labels: []string{"crash-loop"},
			Lasts:  48 * time.Second,
			Claims: slices.Concat(ordinary.delays(0, 10, 20), shown(2, 3), counted(4), ended),
		},
		{
			ID:    "restarts/back-off-events",
			About: "The event BackOff comes with the end of a container, once in each wait of 10, 20 and 40 s.",
			Pod:   fixtures.Single(5, seen(1, 4)),
			// More starts would use up the events that the kubelet may send about one pod.
			Labels: []string{"crash-loop"},
			Lasts:  100 * time.Second,
			Claims: slices.Concat(ordinary.delays(0, 10, 20, 40), backOffsReported, []trial.Claim{
				backOffEvents(2), backOffEvents(4, formula.ReportedAtEachPoll),
				backOffEvents(5, formula.ReportedAtEachPoll),
			}),
		},
		{
			ID:     "restarts/back-off-events-exit-0",
			About:  "The event BackOff comes in the waits of a container that succeeds, too, and not at its restarts.",
			Pod:    fixtures.Single(5, seen(0, 3)),
			Labels: []string{"crash-loop"},
			Lasts:  53 * time.Second,
			Claims: slices.Concat(ordinary.delays(0, 10, 20), backOffsReported, []trial.Claim{
				backOffEvents(2), backOffEvents(3), backOffEvents(4, formula.ReportedAtEachPoll),
			}),
		},
		wholeSeries(1, "crashes"),
		wholeSeries(0, "succeeds"),
		{
			ID:    "restarts/on-failure",
			About: "With restartPolicy OnFailure, two failures are restarted. The success after them ends the pod.",
			Pod: fixtures.With(
				fixtures.Single(5, codes(1, 1, 0)), fixtures.RestartPolicy(corev1.RestartPolicyOnFailure),
			),
			Lasts:  42 * time.Second,
			Claims: slices.Concat(ordinary.delays(0, 10), endsForGood(3, corev1.PodSucceeded)),
		},
		{
			ID:    "restarts/on-failure-success",
			About: "With restartPolicy OnFailure, a success at the first time ends the pod.",
			Pod: fixtures.With(
				fixtures.Single(5, codes(0)), fixtures.RestartPolicy(corev1.RestartPolicyOnFailure),
			),
			Lasts:  26 * time.Second,
			Claims: endsForGood(1, corev1.PodSucceeded),
		},
		{
			ID:     "restarts/container-never",
			About:  "A container's own restartPolicy Never keeps it from being restarted, whatever its pod's policy.",
			Pod:    fixtures.Single(5, codes(1), fixtures.ContainerRestartPolicy(corev1.ContainerRestartPolicyNever)),
			Needs:  []formula.Change{formula.ContainerRestartRules},
			Lasts:  26 * time.Second,
			Claims: endsForGood(1, corev1.PodFailed),
		},
		restartRule,
		restartRuleInAJob(),
		claims.ByGate(restartRule, formula.ContainerRestartRulesGate, "ContainerRestartRules"),
	}
}

// restartRuleInAJob returns the trial of two pods of a Job that fails with any of three exit codes.
func restartRuleInAJob() trial.Trial {
	const beside = "beside"
	return trial.Trial{
		ID: "restarts/restart-rule-in-a-job",
		About: "A Job fails with three exit codes. A rule restarts two of them in place, so the Job does not see them. The " +
			"third ends its pod, and the Job deletes its other pod.",
		Pod: fixtures.With(
			fixtures.Single(5, victim.Run{ExitAfter: []time.Duration{time.Second}, ExitCodes: []int{42, 43, 3}},
				fixtures.ContainerRestartPolicy(corev1.ContainerRestartPolicyNever),
				fixtures.RestartOn(corev1.ContainerRestartRuleActionRestart, 42, 43)),
			fixtures.RestartPolicy(corev1.RestartPolicyNever)),
		Companions: []*corev1.Pod{namedPod(fixtures.With(
			fixtures.Pod(3, fixtures.Named(beside, fixtures.Ignoring)),
			fixtures.RestartPolicy(corev1.RestartPolicyNever)), beside)},
		Job: &batchv1.JobSpec{PodFailurePolicy: &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
			Action: batchv1.PodFailurePolicyActionFailJob,
			OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
				Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{3, 42, 43},
			},
		}}}},
		NodeOnly:  "a virtual node has no Job controller",
		KillCause: formula.ByDelete,
		Needs:     []formula.Change{formula.ContainerRestartRules},
		Lasts:     34 * time.Second,
		Claims: slices.Concat(ordinary.delays(0, 10), endsForGood(3, corev1.PodFailed), []trial.Claim{
			claims.Between(trial.Gone.Life(3), trial.SIGTERM.Of(beside), formula.JobFails),
			claims.Between(trial.SIGTERM.Of(beside), trial.Gone.Of(beside), formula.Remainder),
			claims.New(trial.StopSignals().Of(beside), formula.StopSignals),
		}),
	}
}

// probeLoops returns the trials of containers that a probe kills again and again.
func probeLoops() []trial.Trial {
	killedEvery := func(periodSeconds int32, probe func(fixtures.Probe) fixtures.Option) *corev1.Pod {
		return fixtures.Single(5,
			victim.Run{Term: victim.ExitNow, Liveness: "F", Startup: "F"},
			probe(fixtures.Probe{PeriodSeconds: periodSeconds, TimeoutSeconds: 1, FailureThreshold: 3}),
		)
	}
	byProbe := ordinary.of(formula.RestartDelayAfterProbe)
	containerAlways := fixtures.With(killedEvery(1, fixtures.Liveness),
		fixtures.RestartPolicy(corev1.RestartPolicyNever))
	always := corev1.ContainerRestartPolicyAlways
	containerAlways.Spec.Containers[0].RestartPolicy = &always
	return []trial.Trial{
		{
			ID: "restarts/liveness-every-15s",
			About: "A container that its probe kills every 15 s waits 0, 0, 0 and 20 s. Documented are 0, 10, 20 and " +
				"40 s.",
			Pod:       killedEvery(5, fixtures.Liveness),
			Labels:    []string{"crash-loop", "liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     95 * time.Second,
			Claims:    byProbe.delays(0, 0, 0, 20),
		},
		{
			ID: "restarts/liveness-of-container-always",
			About: "A container's own restartPolicy Always restarts it after its probe killed it, in the same sync, " +
				"though its pod restarts none.",
			Pod:       containerAlways,
			Labels:    []string{"liveness"},
			Needs:     []formula.Change{formula.ContainerRestartRules},
			KillCause: formula.ByLiveness,
			Lasts:     20 * time.Second,
			Claims:    byProbe.delays(0, 0),
		},
		{
			ID: "restarts/liveness-every-3s",
			About: "A container that its probe kills every 3 s waits 0, 0, 10 and 20 s. Documented are 0, 10, 20 and " +
				"40 s.",
			Pod:       killedEvery(1, fixtures.Liveness),
			Labels:    []string{"crash-loop", "liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     58 * time.Second,
			Claims:    byProbe.delays(0, 0, 10, 20),
		},
		{
			ID:        "restarts/startup-every-3s",
			About:     "A container that its startup probe kills every 3 s waits 0, 0 and 10 s.",
			Pod:       killedEvery(1, fixtures.Startup),
			Labels:    []string{"crash-loop", "startup"},
			KillCause: formula.ByStartup,
			Lasts:     28 * time.Second,
			Claims: append(byProbe.delays(0, 0, 10),
				claims.New(trial.FailingProbes(victim.Startup, 2), formula.FailingProbes)),
		},
		{
			ID: "restarts/liveness-to-300s",
			About: "The series of a container that its probe kills: 0, 0, 10, 20, 40, 80, 160 and 300 s, and then 0 " +
				"again.",
			Pod:       killedEvery(1, fixtures.Liveness),
			Labels:    []string{"crash-loop", "liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     11*time.Minute + 30*time.Second,
			Claims:    byProbe.delays(0, 0, 10, 20, 40, 80, 160, 300, 0),
		},
		{
			ID: "restarts/collected-while-starting",
			About: "If each start takes longer than a minute, the garbage collection removes the instance that the " +
				"back-off counts from: no kill by a probe ever waits. Documented are 0, 10, 20, 40, 80 and 160 s.",
			Pod:            killedEvery(1, fixtures.Liveness),
			Labels:         []string{"crash-loop", "liveness"},
			KillCause:      formula.ByLiveness,
			ContainerStart: 65 * time.Second, // StartContainer may take two minutes (runtimeRequestTimeout)
			Lasts:          6*time.Minute + 50*time.Second,
			Claims:         collected(6),
		},
		{
			ID: "restarts/collected-while-starting-startup",
			About: "A startup probe's kills do not wait either, if the garbage collection removes the instance that " +
				"the back-off counts from. Documented are 0, 10 and 20 s.",
			Pod:            killedEvery(2, fixtures.Startup),
			Labels:         []string{"crash-loop", "startup"},
			KillCause:      formula.ByStartup,
			ContainerStart: 65 * time.Second,
			Lasts:          3*time.Minute + 50*time.Second,
			Claims:         collected(3),
		},
	}
}

// collected returns the claims on the restarts of a container whose dead instances are collected. A back-off could only
// outlast the start of the last one.
func collected(restarts int) (all []trial.Claim) {
	for life := 1; life <= restarts; life++ {
		var mistakes []formula.Mistake
		if life > 1 {
			mistakes = append(mistakes, formula.CountsThisKill)
		}
		if life == restarts {
			mistakes = append(mistakes, formula.KeepsCollected)
		}
		all = append(all, claims.Between(
			trial.Gone.Life(life), trial.Started.Life(life+1), formula.AfterCollection, mistakes...,
		))
	}
	return all
}
