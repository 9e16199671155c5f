// Package eviction holds the trials of pods that the kubelet itself ends for lack of room: because they exceed
// a limit of their own, because their node is under pressure, or for a critical pod.
package eviction

import (
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
	return slices.Concat(storageLimits(), stuckEvictions(), diskPressure(), memoryPressure(), preemption())
}

// limits is a worker for pods that exceed limits of their own. Their evictions delay the eviction manager's
// next check, which other trials measure.
var limits = &trial.Worker{Name: "eviction-limits"}

// storageLimit is a container's limit of ephemeral storage.
func storageLimit(quantity string) fixtures.Option {
	return fixtures.Limit(corev1.ResourceEphemeralStorage, quantity)
}

// storageLimits returns the trials of pods that store more than they may. They run side by side.
func storageLimits() []trial.Trial {
	const others = 2 // of the three trials on this worker
	const neighbour = "layer-neighbour"
	return []trial.Trial{
		{
			ID: "eviction/emptydir-limit",
			About: "A pod that stores more in an emptyDir than its sizeLimit is evicted " +
				"without its grace period of eight seconds.",
			Pod: fixtures.With(
				fixtures.Pod(8, fixtures.Victim(filling(fixtures.Ignoring, fixtures.DataDir, 30, fillAfter))),
				fixtures.EmptyDir("20Mi"),
			),
			Worker:    limits,
			KillCause: formula.ByStorageLimit,
			Lasts:     45 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Filled, trial.SIGTERM, formula.VolumeLimitFound(others)),
				eventThenKill,
			}, evictedWithoutGrace(), evictedForGood),
		},
		{
			ID: "eviction/layer-limit",
			About: "If one container's own layer exceeds that container's ephemeral-storage limit, the pod is " +
				"evicted as a whole, though its sum is within its limit.",
			Pod: fixtures.Pod(8,
				fixtures.Victim(filling(fixtures.Ignoring, fixtures.LayerDir, 30, fillAfter), storageLimit("20Mi")),
				fixtures.Named(neighbour,
					victim.Run{Term: victim.ExitAfter, TermDelay: 500 * time.Millisecond}, storageLimit("100Mi")),
			),
			Worker:    limits,
			KillCause: formula.ByStorageLimit,
			Lasts:     40 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Filled, trial.SIGTERM, formula.LayerLimitFound(others)),
				claims.Between(trial.SIGTERM, trial.SIGTERM.Of(neighbour), formula.KilledTogether),
				claims.New(trial.Between(trial.SIGTERM, trial.Gone).Of(neighbour), formula.ObeyedSignal),
			}, evictedWithoutGrace(), evictedForGood),
		},
		{
			ID: "eviction/pod-limit-hook-hangs",
			About: "Data in an emptyDir counts against the pod's ephemeral-storage limit. " +
				"An eviction without a grace period leaves a hook one second, then the process two.",
			Pod: fixtures.With(fixtures.Pod(8, fixtures.Victim(
				filling(fixtures.Ignoring, fixtures.DataDir, 30, fillAfter),
				storageLimit("20Mi"), fixtures.ExecPreStop(victim.Hook{Hang: true}),
			)), fixtures.EmptyDir("")),
			Worker:    limits,
			KillCause: formula.ByStorageLimit,
			Lasts:     50 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Filled, trial.HookBegan, formula.VolumeLimitFound(others)),
			}, hookHangs(trial.Main), evictedWithoutGrace(), evictedForGood),
		},
	}
}

// stuckEvictions returns the trial of an eviction of a pod that does not die in time.
func stuckEvictions() []trial.Trial {
	const next = "next"
	// The check that evicts the first pod comes between 6 seconds after its start, when the probe has failed,
	// and 27 seconds after it. The second pod's layer is full after that, and measured before the next check.
	dying := filling(failing, fixtures.LayerDir, 30, 6*time.Second)
	late := filling(fixtures.Ignoring, fixtures.LayerDir, 30, 29*time.Second)
	exceeded := trial.Event("ExceededGracePeriod")
	return []trial.Trial{
		{
			ID: "eviction/cleanup-limit",
			About: "A pod is evicted during a liveness probe's kill with its own ninety seconds. " +
				"The eviction manager waits ten seconds for the death and thirty for the cleanup. " +
				"Then it evicts the next pod that exceeds a limit.",
			Pod: fixtures.Pod(8, fixtures.Victim(dying, killing(90), storageLimit("20Mi"))),
			Companions: []*corev1.Pod{
				companion(next, fixtures.Pod(8, fixtures.Named(next, late, storageLimit("20Mi")))),
			},
			Labels:    []string{"liveness"},
			Worker:    &trial.Worker{Name: "eviction-cleanup"},
			KillCause: formula.ByStorageLimit,
			Lasts:     85 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Event("Evicted"), exceeded, formula.ExceededGrace, formula.WaitsOneGrace),
				claims.Between(exceeded, trial.SIGTERM.Of(next), formula.CleanupLimit),
			}, evictedIgnoring(next, formula.PodGraceOnEviction, formula.NoMinimum)),
		},
	}
}

// preemption returns the trials of pods that are ended for a critical one. Both ask for storage; the node has
// the size of its worker's file system.
func preemption() []trial.Trial {
	const critical = "critical"
	share := fixtures.Request(corev1.ResourceEphemeralStorage, "80Mi")
	preemptor := func() []*corev1.Pod {
		return []*corev1.Pod{companion(critical, fixtures.With(
			fixtures.Pod(1, fixtures.Named(critical, victim.Run{Term: victim.ExitNow}, share)),
			fixtures.Priority("system-node-critical"),
		))}
	}
	create := trial.Cue{Action: trial.CreatePod, Pod: critical, After: 3 * time.Second}
	preempting := trial.Event("Preempting")
	exceeded := claims.Between(
		preempting, trial.Event("ExceededGracePeriod"), formula.ExceededGrace, formula.WaitsOneGrace,
	)
	exceeded.KillCause = formula.ByPreemption
	return []trial.Trial{
		{
			ID: "eviction/preemption",
			About: "A critical pod that does not fit ends another pod with all of its grace period of six seconds. " +
				"The critical pod starts after the death.",
			Pod:        fixtures.Pod(6, fixtures.Victim(fixtures.Ignoring, share)),
			Companions: preemptor(),
			Worker:     smallDisk,
			KillCause:  formula.ByPreemption,
			Cues:       []trial.Cue{create},
			Lasts:      22 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Cued, trial.SIGTERM, formula.PreemptionStart),
				claims.Between(preempting, trial.SIGTERM, formula.EventThenKill),
				claims.Between(trial.SIGTERM, trial.Gone, formula.Remainder),
				claims.Between(trial.Gone, trial.Started.Of(critical), formula.PreemptorStart, formula.PreemptorFirst),
			}, endedForGood),
		},
		{
			ID: "eviction/preemption-exceeds-grace",
			About: "A critical pod ends a pod of twelve seconds during a liveness probe's kill with its own forty. " +
				"The kubelet waits for eighteen, reports that, and shortens nothing.",
			Pod:        fixtures.Pod(12, fixtures.Victim(failing, killing(40), share)),
			Companions: preemptor(),
			Labels:     []string{"liveness"},
			Worker:     smallDisk,
			KillCause:  formula.ByLiveness,
			Cues:       []trial.Cue{create.At(trial.SIGTERM, time.Second)},
			Lasts:      48 * time.Second,
			// No claim is on what follows the death: the kill's own sync may still begin a life, which gets the
			// pod's twelve seconds.
			Claims: slices.Concat(
				[]trial.Claim{exceeded}, claims.Death(trial.Main, formula.Remainder, formula.PodGraceOnProbe),
			),
		},
	}
}
