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

// Eviction is the area of pods that the kubelet itself ends for want of room: because they exceed a limit
// of their own, because the node is under pressure, or for a critical pod.
func Eviction() []trial.Trial {
	return slices.Concat(storageLimits(), stuckEvictions(), diskPressure(), memoryPressure(), preemption())
}

// fillAfter is how long after its start a victim fills what it fills: its pod's status has settled by then.
const fillAfter = 2 * time.Second

// filling makes a main process fill a folder with so many MiB.
func filling(run victim.Run, dir string, mib int64) victim.Run {
	run.FillDir, run.FillAfter, run.FillBytes = dir, fillAfter, mib<<20
	return run
}

// What must be true of every pod that the kubelet ends for good. Its phase comes after its death. The exit
// code is not claimed: of a pod that it evicted the kubelet sometimes shows ContainerStatusUnknown and a
// restart that never was …
var endedForGood = []trial.Claim{
	{
		Measure: trial.Between(
			trial.Gone,
			trial.Phase("Failed"),
		),
		Formula: formula.PhaseAfterDeath,
		Rivals:  []formula.Rival{formula.FailedWhileDying},
		Needs:   []formula.Change{formula.TerminalPhaseLast},
	},
	{
		Measure: trial.HasCondition("DisruptionTarget", trial.Phase("Failed"), 2*time.Second),
		Formula: formula.DisruptionTarget,
	},
	{
		Measure: trial.Starts(trial.Main, trial.Phase("Failed"), 5*time.Second),
		Formula: formula.EndedForGood,
		Rivals:  []formula.Rival{formula.EvictedAndRestarted},
	},
	{Measure: trial.Objects(trial.Phase("Failed"), 5*time.Second), Formula: formula.ObjectStays},
}

// … and of every one that it evicts, whose process had to be killed.
var evictedForGood = append(slices.Clone(endedForGood), trial.Claim{
	Measure: trial.HasReason("Evicted", trial.Phase("Failed"), 2*time.Second), Formula: formula.EvictedReason,
})

// withoutGrace are what an eviction that leaves two seconds could be doing otherwise.
var withoutGrace = []formula.Rival{formula.PodGraceOnEviction, formula.NoMinimum}

// … of an evicted one that ignores its stop signal …
func evictedIgnoring(container string, rivals ...formula.Rival) []trial.Claim {
	return []trial.Claim{
		{
			Measure: trial.Between(trial.SIGTERM, trial.Gone).Of(container),
			Formula: formula.EvictionRemainder,
			Rivals:  rivals,
		},
		{Measure: trial.StopSignals().Of(container), Formula: formula.StopSignals},
	}
}

// … and of one whose hook hangs.
func evictedHookHangs(container string) []trial.Claim {
	return []trial.Claim{
		{Measure: trial.HookRuns().Of(container), Formula: formula.HookRuns},
		{Measure: trial.Between(trial.HookBegan, trial.SIGTERM).Of(container), Formula: formula.EvictionHookBound},
	}
}

// limits is a worker of their own for pods that exceed limits of their own: their evictions keep the
// eviction manager from looking, which would be in the way of others that measure it.
var limits = &trial.Worker{Name: "eviction-limits"}

// storageLimits are pods that store more than they may. They run side by side.
func storageLimits() []trial.Trial {
	const others = 2 // of the three trials on this worker
	evicted := trial.Event("Evicted")
	return []trial.Trial{
		{
			ID:    "eviction/emptydir-limit",
			About: "A pod that stores more in an emptyDir than its sizeLimit is evicted without its grace period of eight seconds.",
			Pod: fixtures.With(
				fixtures.Pod(8, fixtures.Victim(filling(ignoring, fixtures.DataDir, 30))),
				fixtures.EmptyDir("20Mi"),
			),
			Worker:    limits,
			KillCause: formula.ByStorageLimit,
			Lasts:     45 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				{Measure: trial.Between(trial.Filled, trial.SIGTERM), Formula: formula.VolumeLimitFound(others)},
				{Measure: trial.Between(evicted, trial.SIGTERM), Formula: formula.EventThenKill},
			}, evictedIgnoring(trial.Main, withoutGrace...), evictedForGood),
		},
		{
			ID:    "eviction/layer-limit",
			About: "A pod is evicted as a whole when one container's own layer exceeds that container's ephemeral-storage limit, though the pod's sum does not.",
			Pod: fixtures.Pod(
				8,
				fixtures.Victim(
					filling(ignoring, fixtures.LayerDir, 30),
					fixtures.Limit(corev1.ResourceEphemeralStorage, "20Mi"),
				),
				fixtures.Named("layer-neighbour", victim.Run{Term: victim.ExitAfter, TermDelay: 500 * time.Millisecond},
					fixtures.Limit(corev1.ResourceEphemeralStorage, "100Mi")),
			),
			Worker:    limits,
			KillCause: formula.ByStorageLimit,
			Lasts:     40 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				{Measure: trial.Between(trial.Filled, trial.SIGTERM), Formula: formula.LayerLimitFound(others)},
				{
					Measure: trial.Between(trial.SIGTERM, trial.SIGTERM.Of("layer-neighbour")),
					Formula: formula.KilledTogether,
				},
				{
					Measure: trial.Between(trial.SIGTERM, trial.Gone).Of("layer-neighbour"),
					Formula: formula.ObeyedSignal,
				},
			}, evictedIgnoring(trial.Main, withoutGrace...), evictedForGood),
		},
		{
			ID:    "eviction/pod-limit-hook-hangs",
			About: "What is stored in an emptyDir counts against the pod's ephemeral-storage limit. An eviction without grace leaves a hook one second, then the process two.",
			Pod: fixtures.With(fixtures.Pod(8, fixtures.Victim(
				filling(ignoring, fixtures.DataDir, 30),
				fixtures.Limit(
					corev1.ResourceEphemeralStorage,
					"20Mi",
				),
				fixtures.ExecPreStop(victim.Hook{Hang: true}),
			)), fixtures.EmptyDir("")),
			Worker:    limits,
			KillCause: formula.ByStorageLimit,
			Lasts:     50 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				{Measure: trial.Between(trial.Filled, trial.HookBegan), Formula: formula.VolumeLimitFound(others)},
			}, evictedHookHangs(trial.Main), evictedIgnoring(trial.Main, withoutGrace...), evictedForGood),
		},
	}
}

// stuckEvictions are evictions of pods that do not die in time.
func stuckEvictions() []trial.Trial {
	const next = "next"
	probe := atOnce
	probe.TerminationGracePeriodSeconds = fixtures.Seconds(90)
	limit := fixtures.Limit(corev1.ResourceEphemeralStorage, "20Mi")
	// The look that evicts the first pod comes 6 seconds after its start at the earliest, when the probe
	// has failed, and 27 seconds after it at the latest. The second pod's layer is full after that, and
	// measured before the next look.
	late := filling(ignoring, fixtures.LayerDir, 30)
	late.FillAfter = 29 * time.Second
	dying := failing
	dying.FillDir, dying.FillAfter, dying.FillBytes = fixtures.LayerDir, 6*time.Second, 30<<20
	evicted, exceeded := trial.Event("Evicted"), trial.Event("ExceededGracePeriod")
	return []trial.Trial{
		{
			ID:         "eviction/cleanup-limit",
			About:      "A pod is evicted while a liveness probe's kill with ninety seconds of its own is under way. The eviction manager waits ten seconds for its death and thirty for its cleanup, then it evicts the next pod that exceeds a limit.",
			Pod:        fixtures.Pod(8, fixtures.Victim(dying, fixtures.Liveness(probe), limit)),
			Companions: []*corev1.Pod{companion(next, fixtures.Pod(8, fixtures.Named(next, late, limit)))},
			Labels:     []string{"liveness"},
			Worker:     &trial.Worker{Name: "eviction-cleanup"},
			KillCause:  formula.ByStorageLimit,
			Lasts:      85 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				{
					Measure: trial.Between(evicted, exceeded),
					Formula: formula.ExceededGrace,
					Rivals:  []formula.Rival{formula.WaitsOneGrace},
				},
				{Measure: trial.Between(exceeded, trial.SIGTERM.Of(next)), Formula: formula.CleanupLimit},
			}, evictedIgnoring(next, withoutGrace...)),
		},
	}
}
