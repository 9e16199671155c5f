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

// collisions are kills that meet something else: another kill, or the kubelet's own end.
func collisions() []trial.Trial {
	return []trial.Trial{inTurn(), deleteMeanwhile(), restartAll(), exceededGrace(), restartedKubelet()}
}

// atOnce is a liveness probe whose first failure kills.
var atOnce = fixtures.Probe{Handler: fixtures.HTTP, PeriodSeconds: 2, TimeoutSeconds: 1, FailureThreshold: 1}

// failing ignores SIGTERM and fails every liveness probe.
var failing = victim.Run{Term: victim.Ignore, Liveness: "F"}

func inTurn() trial.Trial {
	probe := atOnce
	probe.FailureThreshold = 2
	return trial.Trial{
		ID:    "termination/liveness-in-turn",
		About: "Two containers that fail their liveness probes together are killed one after the other, each for its whole grace period.",
		Pod: fixtures.Pod(
			5,
			fixtures.Victim(failing, fixtures.Liveness(probe)),
			fixtures.Named("neighbour", failing, fixtures.Liveness(probe)),
		),
		Labels:    []string{"liveness"},
		KillCause: formula.ByLiveness,
		Lasts:     19 * time.Second,
		Claims: []trial.Claim{
			{
				Measure: trial.Apart(trial.SIGTERM, trial.SIGTERM.Of("neighbour")),
				Formula: formula.KilledInTurn,
				Rivals:  []formula.Rival{formula.KilledAtOnce},
			},
			{Measure: trial.Between(trial.SIGTERM, trial.Gone), Formula: formula.Remainder},
			{Measure: trial.Between(trial.SIGTERM, trial.Gone).Of("neighbour"), Formula: formula.Remainder},
		},
	}
}

func deleteMeanwhile() trial.Trial {
	return trial.Trial{
		ID:        "termination/delete-during-liveness-kill",
		About:     "A delete with two seconds waits for a liveness probe's kill that is under way: the process lives out its nine.",
		Pod:       fixtures.Pod(9, fixtures.Victim(failing, fixtures.Liveness(atOnce))),
		Labels:    []string{"liveness"},
		KillCause: formula.ByLiveness,
		Cues:      []trial.Cue{trial.DeleteWithin(2).At(trial.SIGTERM, time.Second)},
		Lasts:     14 * time.Second,
		Claims: []trial.Claim{
			{Measure: trial.DeletionGrace(1), Formula: formula.DeletionGrace, KillCause: formula.ByDelete},
			{Measure: trial.Between(trial.SIGTERM, trial.Gone), Formula: formula.Remainder},
			{
				Measure: trial.Between(trial.Cued, trial.Gone),
				Formula: formula.KillWaits,
				Rivals:  []formula.Rival{formula.DeleteNotWaiting},
			},
			{Measure: trial.StopSignals(), Formula: formula.StopSignals},
			// The restart still begins a next life, which is killed before it can be sure to have said
			// anything: nothing is claimed of it.
		},
	}
}

// restartAll makes its leader end by itself in three lives; a rule restarts the whole pod each time.
func restartAll() trial.Trial {
	const leader, code = "leader", 42
	leading := victim.Run{
		ExitAfter: []time.Duration{3 * time.Second, 3 * time.Second, 3 * time.Second, -1},
		ExitCode:  code,
	}
	t := trial.Trial{
		ID:    "termination/restart-all",
		About: "A container whose end restarts all others leaves them two seconds and no hook, and none of the restarts is backed off.",
		Pod: fixtures.Pod(20,
			fixtures.Victim(ignoring, fixtures.ExecPreStop(victim.Hook{Sleep: 500 * time.Millisecond})),
			fixtures.Named(leader, leading, fixtures.ContainerRestartPolicy(corev1.ContainerRestartPolicyNever),
				fixtures.RestartOn(corev1.ContainerRestartRuleActionRestartAllContainers, code))),
		Needs:     []formula.Change{formula.RestartAll},
		KillCause: formula.ByRestartAll,
		Lasts:     30 * time.Second,
		Claims: []trial.Claim{
			{Measure: trial.Between(trial.Gone.Of(leader), trial.SIGTERM), Formula: formula.RestartAllKills},
			{
				Measure: trial.Between(trial.SIGTERM, trial.Gone),
				Formula: formula.Remainder,
				Rivals:  []formula.Rival{formula.NoMinimum},
			},
			{Measure: trial.HookRuns(), Formula: formula.HookRuns},
			{Measure: trial.StopSignals(), Formula: formula.StopSignals},
		},
	}
	for life := 2; life <= 4; life++ {
		t.Claims = append(t.Claims, trial.Claim{
			Measure: trial.Between(
				trial.Gone.Life(life-1),
				trial.Started.Life(life),
			),
			Formula: formula.RestartAllFree,
			Rivals:  []formula.Rival{formula.BackedOff},
		})
	}
	return t
}

// overrun is a node on which an eviction is held up for ten seconds, so that others would come late.
var overrun = &trial.Worker{Name: "eviction-overrun"}

func exceededGrace() trial.Trial {
	run := failing
	// The probe kills within some two seconds; the kubelet looks for what is too full every ten, and would
	// come first where it is full before.
	run.FillDir, run.FillAfter, run.FillBytes = fixtures.DataDir, 6*time.Second, 8<<20
	return trial.Trial{
		ID:    "termination/exceeded-grace-period",
		About: "An eviction of a pod that is being killed already waits ten seconds, says that its grace was exceeded, and shortens nothing.",
		Pod: fixtures.With(
			fixtures.Pod(90, fixtures.Victim(run, fixtures.Liveness(atOnce))),
			fixtures.EmptyDir("2Mi"),
		),
		Labels:    []string{"liveness"},
		KillCause: formula.ByLiveness,
		Worker:    overrun,
		Lasts:     95 * time.Second,
		Claims: []trial.Claim{
			{
				Measure: trial.Between(
					trial.Event("Evicted"),
					trial.Event("ExceededGracePeriod"),
				),
				Formula:   formula.ExceededGrace,
				KillCause: formula.ByStorageLimit,
				Rivals:    []formula.Rival{formula.WaitsWithoutMinimum},
			},
			{Measure: trial.Between(trial.SIGTERM, trial.Gone), Formula: formula.Remainder},
			{Measure: trial.StopSignals(), Formula: formula.StopSignals},
		},
	}
}

// restarted is a node whose kubelet is restarted.
var restarted = &trial.Worker{Name: "kubelet-restart-in-mid-grace"}

func restartedKubelet() trial.Trial {
	return trial.Trial{
		ID:    "termination/kubelet-restart",
		About: "A kubelet that is restarted in the midst of a kill begins it anew: the hook runs again, and the process has the full grace period again, without a second SIGTERM.",
		// The hook is long enough for v1.23.1, which gives nine seconds beside it, not to look like the
		// nine seconds that hold it.
		Pod: fixtures.Pod(
			9,
			fixtures.Victim(ignoring, fixtures.ExecPreStop(victim.Hook{Sleep: 3500 * time.Millisecond})),
		),
		Worker: restarted,
		Cues: []trial.Cue{
			trial.Delete(),
			trial.Cue{Action: trial.RestartKubelet}.At(trial.SIGTERM, 1500*time.Millisecond),
		},
		Lasts: 39 * time.Second,
		Claims: slices.Concat([]trial.Claim{
			{Measure: trial.Between(trial.Cued, trial.HookBegan), Formula: formula.KillStart},
			{Measure: trial.HookRuns(), Formula: formula.HookRunsAgain},
			{
				Measure: trial.Between(trial.HookBegan.Number(2), trial.Gone),
				Formula: formula.GraceAgain,
				Rivals:  []formula.Rival{formula.GraceLeft},
			},
			{Measure: trial.StopSignals(), Formula: formula.StopSignals},
		}, hookCompletes, deletedGracefully),
	}
}
