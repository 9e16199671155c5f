package termination

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

// collisions returns the trials of kills that meet another kill, or a restart of the kubelet.
func collisions() []trial.Trial {
	twoFailures := fixtures.Probe{PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 2}
	twice, neverUp := fixtures.Liveness(twoFailures), fixtures.Startup(twoFailures)
	// The probe kills within some two seconds. The kubelet checks limits every ten seconds; if the volume were
	// full before the probe's kill, an eviction could come first.
	filling := failing
	filling.FillDir, filling.FillAfter, filling.FillBytes = fixtures.DataDir, 6*time.Second, 8<<20
	exceeded := claims.Between(
		trial.Event("Evicted"), trial.Event("ExceededGracePeriod"), formula.ExceededGrace, formula.WaitsWithoutMinimum,
	)
	exceeded.KillCause = formula.ByStorageLimit
	deleted := claims.New(trial.DeletionGrace(1), formula.DeletionGrace)
	deleted.KillCause = formula.ByDelete
	remainder := claims.Between(trial.SIGTERM, trial.Gone, formula.Remainder)
	waiting := []trial.Claim{
		deleted, remainder,
		claims.Between(trial.Injected, trial.Gone, formula.KillWaits, formula.DeleteNotWaiting),
		claims.New(trial.StopSignals(), formula.StopSignals),
	}
	inTurn := []trial.Claim{
		claims.New(
			trial.Apart(trial.SIGTERM, trial.SIGTERM.Of(neighbour)), formula.KilledInTurn, formula.KilledAtOnce,
		),
		remainder, claims.New(remainder.Measure.Of(neighbour), formula.Remainder),
	}
	// The sync that starts the busy container again lasts six seconds from the eighth or ninth second on. The others
	// fail between the tenth and the twelfth.
	busy := victim.Run{ExitAfter: []time.Duration{7500 * time.Millisecond, -1}}
	meanwhile := fixtures.Liveness(fixtures.Probe{PeriodSeconds: 1, TimeoutSeconds: 1, FailureThreshold: 5})
	restart := trial.Fault{Action: trial.RestartKubelet}
	return []trial.Trial{
		{
			ID: "termination/liveness-in-turn",
			About: "Two containers that fail their liveness probes together are killed one after the other, since " +
				"1.38 side by side.",
			Pod:       fixtures.Pod(5, fixtures.Victim(failing, twice), fixtures.Named(neighbour, failing, twice)),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     19 * time.Second,
			Claims:    inTurn,
		},
		{
			ID: "termination/liveness-in-one-sync",
			About: "Two containers fail their liveness probes while a postStart hook holds their pod's sync. Since " +
				"1.38 the next one kills them side by side.",
			Pod: fixtures.Pod(3, fixtures.Victim(failing, meanwhile), fixtures.Named(neighbour, failing, meanwhile),
				fixtures.Named("busy", busy, fixtures.ExecPostStart(victim.Hook{Sleep: 6 * time.Second}))),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Lasts:     25 * time.Second,
			Claims: []trial.Claim{
				claims.New(
					trial.Apart(trial.SIGTERM, trial.SIGTERM.Of(neighbour)), formula.KilledByOneSync,
					formula.KilledAtOnce,
				),
				remainder, claims.New(remainder.Measure.Of(neighbour), formula.Remainder),
			},
		},
		{
			ID:        "termination/delete-during-liveness-kill",
			About:     "A delete with two seconds waits for a liveness probe's kill, which has nine.",
			Pod:       fixtures.Single(9, failing, fixtures.Liveness(atOnce)),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			Faults:    []trial.Fault{trial.DeleteWithin(2).At(trial.SIGTERM, time.Second)},
			Lasts:     14 * time.Second,
			// The restart still begins a next life, but its death may come before its first mark, so no claim is on it.
			Claims: waiting,
		},
		{
			ID: "termination/startup-in-turn",
			About: "Two containers that fail their startup probes together are killed one after the other, since " +
				"1.38 side by side.",
			Pod:       fixtures.Pod(4, fixtures.Victim(failing, neverUp), fixtures.Named(neighbour, failing, neverUp)),
			Labels:    []string{"startup"},
			KillCause: formula.ByStartup,
			Lasts:     19 * time.Second,
			Claims:    inTurn,
		},
		{
			ID:        "termination/delete-during-startup-kill",
			About:     "A delete with one second waits for a startup probe's kill, which has seven.",
			Pod:       fixtures.Single(7, failing, fixtures.Startup(atOnce)),
			Labels:    []string{"startup"},
			KillCause: formula.ByStartup,
			Faults:    []trial.Fault{trial.DeleteWithin(1).At(trial.SIGTERM, time.Second)},
			Lasts:     12 * time.Second,
			Claims:    waiting,
		},
		restartAll(), claims.ByGate(restartAll(), formula.RestartAllGate,
			"RestartAllContainersOnContainerExits", "NodeDeclaredFeatures"),
		restartAllWithSidecar(), restartAllOfNever(), restartAllByInit(), restartAllThenCrash(), restartAllTwice(),
		ruleDuringKill(), restartAllDuringKill(),
		{
			ID:    "termination/exceeded-grace-period",
			About: "An eviction of a pod that is being killed reports an exceeded grace period after ten seconds.",
			Pod: fixtures.With(
				fixtures.Single(90, filling, fixtures.Liveness(atOnce)), fixtures.EmptyDir("2Mi"),
			),
			Labels:    []string{"liveness"},
			KillCause: formula.ByLiveness,
			// The eviction waits for ten seconds and would make the evictions of other trials late.
			Worker: &trial.Worker{Name: "eviction-overrun"},
			Lasts:  95 * time.Second,
			Claims: slices.Concat([]trial.Claim{exceeded}, claims.Death(trial.Main, formula.Remainder)),
		},
		{
			ID: "termination/kubelet-restart",
			About: "A kubelet that restarts during a kill begins it again: hook and grace period, without a second " +
				"SIGTERM.",
			// v1.23.1 gives nine seconds after the hook. The hook is long enough to distinguish them from nine
			// seconds that include it.
			Pod:    fixtures.Single(9, fixtures.Ignoring, execHook(3500*time.Millisecond)),
			Worker: &trial.Worker{Name: "kubelet-restart-in-mid-grace"},
			Faults: []trial.Fault{trial.Delete(), restart.At(trial.SIGTERM, 1500*time.Millisecond)},
			Lasts:  39 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Injected, trial.HookBegan, formula.KillStart),
				claims.New(trial.StopSignals(), formula.StopSignals),
			}, claims.Needing(formula.StopsAgain, []trial.Claim{
				claims.New(trial.HookRuns(), formula.HookRunsAgain),
				claims.Between(trial.HookBegan.Number(2), trial.Gone, formula.GraceAgain, formula.GraceLeft),
			}), claims.Needing(formula.StopsOnce, []trial.Claim{
				claims.Between(trial.SIGTERM, trial.Gone, formula.GraceKept),
			}), claims.HookCompletes, claims.DeletedGracefully),
		},
	}
}

// leads ends a container with this code, whose rule restarts the whole pod.
func leads(code int32) []fixtures.Option {
	return []fixtures.Option{
		fixtures.ContainerRestartPolicy(corev1.ContainerRestartPolicyNever),
		fixtures.RestartOn(corev1.ContainerRestartRuleActionRestartAllContainers, code),
	}
}

// restartAll returns the trial of a leader whose end restarts the whole pod three times.
func restartAll() trial.Trial {
	const leader, alone, code = "leader", "alone", 42
	leading := victim.Run{
		ExitAfter: []time.Duration{3 * time.Second, 3 * time.Second, 3 * time.Second, -1}, ExitCode: code,
	}
	t := trial.Trial{
		ID: "termination/restart-all",
		About: "A restart of all containers leaves two seconds, runs no hook, and is never backed off. A container " +
			"with another rule for its exit code restarts alone.",
		Pod: fixtures.Pod(20,
			fixtures.Victim(fixtures.Ignoring, execHook(500*time.Millisecond)),
			fixtures.Named(leader, leading, leads(code)...),
			fixtures.Named(alone, victim.Run{ExitAfter: []time.Duration{time.Second, -1}, ExitCode: 1},
				append(leads(code), fixtures.RestartOn(corev1.ContainerRestartRuleActionRestart, 1))...),
		),
		Needs:     []formula.Change{formula.RestartAll},
		KillCause: formula.ByRestartAll,
		Lasts:     30 * time.Second,
		Claims: []trial.Claim{
			claims.Between(trial.Gone.Of(leader), trial.SIGTERM, formula.RestartAllKills),
			claims.Between(trial.SIGTERM, trial.Gone, formula.Remainder, formula.NoMinimum),
			claims.New(trial.HookRuns(), formula.HookRuns),
			claims.New(trial.StopSignals(), formula.StopSignals),
		},
	}
	for life := 2; life <= 4; life++ {
		t.Claims = append(t.Claims, claims.Between(
			trial.Gone.Life(life-1), trial.Started.Life(life), formula.RestartAllFree, formula.BackedOff,
		))
	}
	return t
}

// restartAllWithSidecar returns the trial of a leader whose end also restarts the sidecar that ignores SIGTERM.
func restartAllWithSidecar() trial.Trial {
	const sidecar, code = "sidecar", 7
	leading := victim.Run{ExitAfter: []time.Duration{5 * time.Second, -1}, ExitCode: code}
	return trial.Trial{
		ID: "termination/restart-all-sidecar",
		About: "A restart of all containers stops a sidecar in two seconds, too, and starts it before the main " +
			"container.",
		Pod: fixtures.With(
			fixtures.Pod(20, fixtures.Victim(leading, leads(code)...)),
			fixtures.Init(fixtures.Named(sidecar, fixtures.Ignoring, fixtures.Sidecar())),
		),
		Needs:     []formula.Change{formula.RestartAll},
		KillCause: formula.ByRestartAll,
		Lasts:     14 * time.Second,
		Claims: []trial.Claim{
			claims.Between(trial.Gone, trial.SIGTERM.Of(sidecar), formula.RestartAllKills),
			claims.New(trial.Between(trial.SIGTERM, trial.Gone).Of(sidecar), formula.Remainder, formula.NoMinimum),
			claims.New(trial.StopSignals().Of(sidecar), formula.StopSignals),
			claims.Between(trial.Gone.Of(sidecar), trial.Started.Of(sidecar).Life(2), formula.RestartAllFree),
		},
	}
}

// restartAllOfNever returns the trial of a pod that restarts nobody, but whose leader restarts all twice: while others
// run, and after they have ended.
func restartAllOfNever() trial.Trial {
	const leader, probed, prepare, code = "leader", "probed", "prepare", 42
	ending := func(code int, after ...time.Duration) victim.Run {
		return victim.Run{Term: victim.Ignore, ExitAfter: append(after, -1), ExitCode: code}
	}
	ready := fixtures.Readiness(fixtures.Probe{PeriodSeconds: 1, TimeoutSeconds: 1, FailureThreshold: 1})
	return trial.Trial{
		ID: "termination/restart-all-of-never",
		About: "In a pod with restartPolicy Never, a restart of all containers also repeats an init container that " +
			"had succeeded, and starts containers that had ended for good.",
		Pod: fixtures.With(
			fixtures.Pod(20,
				fixtures.Named(leader, ending(code, 3*time.Second, 6*time.Second), leads(code)...),
				fixtures.Victim(ending(0, -1, time.Second)),
				fixtures.Named(probed, ending(0, 3*time.Second, 3*time.Second), ready)),
			fixtures.Init(fixtures.Named(prepare, victim.Run{ExitAfter: []time.Duration{time.Second}})),
			fixtures.RestartPolicy(corev1.RestartPolicyNever),
		),
		Needs:     []formula.Change{formula.RestartAll},
		KillCause: formula.ByRestartAll,
		Lasts:     26 * time.Second,
		Nightly:   true,
		Claims: []trial.Claim{
			claims.Between(trial.Gone.Of(leader), trial.SIGTERM, formula.RestartAllKills),
			claims.Between(trial.SIGTERM, trial.Gone, formula.Remainder, formula.NoMinimum),
			claims.Between(trial.Gone, trial.Started.Of(prepare).Life(2), formula.RestartAllFree),
			claims.Between(trial.Gone.Of(prepare).Life(2), trial.Started.Life(2), formula.InitThenNext),
			claims.Between(trial.Gone.Of(leader).Life(2), trial.Started.Of(prepare).Life(3), formula.RestartAllFree),
			claims.Between(trial.Gone.Of(prepare).Life(3), trial.Started.Life(3), formula.InitThenNext),
			claims.Between(trial.Started.Of(probed).Life(3), trial.FirstProbe(victim.Readiness).Of(probed).Life(3),
				formula.FirstProbe),
		},
	}
}

// restartAllByInit returns the trial of an init container whose end restarts the sidecar before it and itself.
func restartAllByInit() trial.Trial {
	const sidecar, leader = "sidecar", "leader"
	leading := victim.Run{ExitAfter: []time.Duration{4 * time.Second, time.Second}, ExitCodes: []int{42, 0}}
	return trial.Trial{
		ID: "termination/restart-all-by-init",
		About: "An init container's end restarts all containers that ran: the sidecar before it, and then itself. " +
			"The main container starts after its success.",
		Pod: fixtures.With(
			fixtures.Pod(20, fixtures.Victim(victim.Run{})),
			fixtures.Init(fixtures.Named(sidecar, fixtures.Ignoring, fixtures.Sidecar()),
				fixtures.Named(leader, leading, leads(42)...)),
		),
		Needs:     []formula.Change{formula.RestartAll},
		KillCause: formula.ByRestartAll,
		Lasts:     16 * time.Second,
		Claims: []trial.Claim{
			claims.Between(trial.Gone.Of(leader), trial.SIGTERM.Of(sidecar), formula.RestartAllKills),
			claims.New(trial.Between(trial.SIGTERM, trial.Gone).Of(sidecar), formula.Remainder, formula.NoMinimum),
			claims.Between(trial.Gone.Of(sidecar), trial.Started.Of(sidecar).Life(2), formula.RestartAllFree),
			claims.Between(trial.Started.Of(sidecar).Life(2), trial.Started.Of(leader).Life(2),
				formula.SidecarsStartAgain),
			claims.Between(trial.Gone.Of(leader).Life(2), trial.Started, formula.InitThenNext),
		},
	}
}

// restartAllThenCrash returns the trial of a leader that restarts all, and then crashes twice without doing so.
func restartAllThenCrash() trial.Trial {
	const leader = "leader"
	leading := victim.Run{
		ExitAfter: []time.Duration{3 * time.Second, 3 * time.Second, 3 * time.Second, -1}, ExitCodes: []int{42, 1, 1},
	}
	return trial.Trial{
		ID: "termination/restart-all-then-crash",
		About: "Crashes after a restart of all containers begin a series of their own: none, then ten seconds. The " +
			"other container is not restarted with them.",
		Pod: fixtures.Pod(20, fixtures.Victim(fixtures.Ignoring), fixtures.Named(leader, leading,
			fixtures.ContainerRestartPolicy(corev1.ContainerRestartPolicyOnFailure),
			fixtures.RestartOn(corev1.ContainerRestartRuleActionRestartAllContainers, 42))),
		Needs:     []formula.Change{formula.RestartAll},
		KillCause: formula.ByRestartAll,
		Lasts:     34 * time.Second,
		Claims: []trial.Claim{
			claims.Between(trial.Gone.Of(leader), trial.SIGTERM, formula.RestartAllKills),
			claims.Between(trial.Gone, trial.Started.Of(leader).Life(2), formula.RestartAllFree),
			claims.Between(trial.Gone.Of(leader).Life(2), trial.Started.Of(leader).Life(3), formula.FirstCrash),
			claims.Between(trial.Gone.Of(leader).Life(3), trial.Started.Of(leader).Life(4),
				formula.DelayAfterRestartAll),
			claims.New(trial.Starts(trial.Main, trial.Gone.Of(leader).Life(3), 10*time.Second), formula.RestartedOnce),
		},
	}
}

// restartAllTwice returns the trial of a kubelet that restarts while it restarts all containers.
func restartAllTwice() trial.Trial {
	const leader = "leader"
	leading := victim.Run{ExitAfter: []time.Duration{6 * time.Second, -1}, ExitCode: 42}
	return trial.Trial{
		ID: "termination/restart-all-kubelet-restart",
		About: "A kubelet that restarts within a restart of all containers begins it again. A container that ignores " +
			"SIGTERM has two more seconds, and all start.",
		Pod:       fixtures.Pod(20, fixtures.Victim(fixtures.Ignoring), fixtures.Named(leader, leading, leads(42)...)),
		Needs:     []formula.Change{formula.RestartAll},
		Worker:    &trial.Worker{Name: "restart-all-kubelet-restart", Alone: true},
		KillCause: formula.ByRestartAll,
		Faults:    []trial.Fault{{Action: trial.RestartKubelet, When: trial.SIGTERM, After: 300 * time.Millisecond}},
		Lasts:     40 * time.Second,
		Claims: slices.Concat([]trial.Claim{
			claims.Between(trial.Gone.Of(leader), trial.SIGTERM, formula.RestartAllKills),
			claims.New(trial.StopSignals(), formula.StopSignals),
			claims.Between(trial.Gone, trial.Started.Life(2), formula.RestartAllFree),
			claims.Between(trial.Gone, trial.Started.Of(leader).Life(2), formula.RestartAllFree),
		}, claims.Needing(formula.StopsAgain, []trial.Claim{
			claims.Between(trial.FaultDone, trial.Gone, formula.RestartAllAgain),
		})),
	}
}

// endsDuringKill returns the trial of a container that ends with a rule's exit code while its neighbour is killed.
func endsDuringKill(what, about string, rule corev1.ContainerRestartRuleAction) trial.Trial {
	return trial.Trial{
		ID: "termination/" + what, About: about,
		Pod: fixtures.Pod(9,
			fixtures.Victim(victim.Run{ExitAfter: []time.Duration{6500 * time.Millisecond, -1}, ExitCode: 42},
				fixtures.ContainerRestartPolicy(corev1.ContainerRestartPolicyNever), fixtures.RestartOn(rule, 42)),
			fixtures.Named(neighbour, victim.Run{Term: victim.Ignore, Liveness: "F/S"}, fixtures.Liveness(atOnce))),
		Labels:    []string{"liveness"},
		KillCause: formula.ByLiveness,
		Lasts:     22 * time.Second,
		Claims:    claims.Death(neighbour, formula.Remainder),
	}
}

// ruleDuringKill returns the trial of a rule that restarts its own container.
func ruleDuringKill() trial.Trial {
	t := endsDuringKill("rule-during-kill",
		"A container ends while its neighbour is killed. Its rule restarts it when that kill has ended.",
		corev1.ContainerRestartRuleActionRestart)
	t.Needs = []formula.Change{formula.ContainerRestartRules}
	t.Claims = append(t.Claims, claims.Between(trial.Gone.Of(neighbour), trial.Started.Life(2), formula.RestartHeld))
	return t
}

// restartAllDuringKill returns the trial of a rule that restarts all containers. The neighbour's next life may be
// killed before its first mark, so no claim is on it.
func restartAllDuringKill() trial.Trial {
	t := endsDuringKill("restart-all-during-kill",
		"A container's end restarts all while its neighbour is killed. That kill is not cut. The neighbour starts "+
			"again, and is killed once more.",
		corev1.ContainerRestartRuleActionRestartAllContainers)
	t.Needs = []formula.Change{formula.RestartAll}
	t.Claims = append(t.Claims,
		claims.Between(trial.Gone.Of(neighbour), trial.Started.Life(2), formula.RestartAllHeld))
	return t
}
