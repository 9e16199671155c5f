// Package eviction holds the trials of pods that the kubelet itself ends: because they exceed a limit of their own,
// because their node is under pressure, for a critical pod, or because their node shuts down.
package eviction

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

// Trials returns the trials of the area.
func Trials() []trial.Trial {
	return slices.Concat(storageLimits(), lostEnds(), stuckEvictions(), diskPressure(), memoryPressure(), orders(),
		diskSignals(), preemption(), shutdowns(), interrupted(),
		[]trial.Trial{criticalOverLimits(), preemptionOrder(), preemptionOfGuaranteed(), refused()})
}

// limits is a worker of its own, because its evictions delay the eviction manager's next check.
var limits = &trial.Worker{Name: "eviction-limits"}

// checked is a worker where no other eviction delays a check.
var checked = &trial.Worker{Name: "eviction-one-by-one", Alone: true}

func storageLimit(quantity string) fixtures.Option {
	return fixtures.Limit(corev1.ResourceEphemeralStorage, quantity)
}

// storageLimits returns the trials of pods that store more than they may, side by side.
func storageLimits() []trial.Trial {
	const others = 2 // of the three trials on this worker
	const neighbour, below, sidecar = "layer-neighbour", "below", "layer-sidecar"
	const preparing, waiting, unlimited = "preparing", "waiting", "unlimited"
	return []trial.Trial{
		{
			ID: "eviction/emptydir-limit",
			About: "A pod whose emptyDir exceeds its sizeLimit is evicted without its grace period of eight seconds. " +
				"One below its limit lives on. Other volumes have no limit.",
			Pod: fixtures.With(
				fixtures.Single(8, filling(fixtures.Ignoring, fixtures.DataDir, 30, fillAfter)),
				fixtures.Info, fixtures.EmptyDir("20Mi"),
			),
			Companions: []*corev1.Pod{companion(below, fixtures.With(
				fixtures.Pod(8, fixtures.Named(below, filling(fixtures.Ignoring, fixtures.DataDir, 15, fillAfter))),
				fixtures.EmptyDir("20Mi"),
			))},
			Worker:    limits,
			KillCause: formula.ByStorageLimit,
			Lasts:     45 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Filled, trial.SIGTERM, formula.VolumeLimitFound(others)),
				eventThenKill,
				claims.New(trial.Ended(below, trial.Filled.Of(below), 40*time.Second), formula.NotEvicted),
			}, evictedWithoutGrace(), evictedForGood),
		},
		{
			ID: "eviction/layer-limit",
			About: "A pod is evicted if one container's layer exceeds that container's limit, whatever the pod's " +
				"sum. No limit holds for the layer of an init container, or of a container that has none.",
			Pod: fixtures.Pod(8,
				fixtures.Victim(filling(fixtures.Ignoring, fixtures.LayerDir, 30, fillAfter), storageLimit("20Mi")),
				fixtures.Named(neighbour,
					victim.Run{Term: victim.ExitAfter, TermDelay: 500 * time.Millisecond}, storageLimit("100Mi")),
			),
			Companions: []*corev1.Pod{companion(preparing, fixtures.With(
				fixtures.Pod(8, fixtures.Named(waiting, victim.Run{}, storageLimit("100Mi"))),
				fixtures.Init(fixtures.Named(preparing, filling(fixtures.Ignoring, fixtures.LayerDir, 30, fillAfter),
					storageLimit("20Mi"))),
			)), companion(unlimited, fixtures.Pod(8,
				fixtures.Named(unlimited, filling(fixtures.Ignoring, fixtures.LayerDir, 30, fillAfter))))},
			Worker:    limits,
			KillCause: formula.ByStorageLimit,
			Lasts:     40 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Filled, trial.SIGTERM, formula.LayerLimitFound(others)),
				claims.Between(trial.SIGTERM, trial.SIGTERM.Of(neighbour), formula.KilledTogether),
				claims.New(trial.Between(trial.SIGTERM, trial.Gone).Of(neighbour), formula.ObeyedSignal),
				claims.New(trial.Ended(preparing, trial.Filled.Of(preparing), 35*time.Second), formula.NotEvicted),
				claims.New(trial.Ended(unlimited, trial.Filled.Of(unlimited), 35*time.Second), formula.NotEvicted),
			}, evictedWithoutGrace(), evictedForGood),
		},
		{
			ID: "eviction/sidecar-layer-limit",
			About: "A pod is evicted if a sidecar's layer exceeds the sidecar's limit. The sidecar ends last. No limit " +
				"holds for the layer of a sidecar that has none.",
			Pod: fixtures.With(
				fixtures.Pod(8, fixtures.Victim(
					victim.Run{Term: victim.ExitAfter, TermDelay: 500 * time.Millisecond, ExitCode: 3},
					storageLimit("100Mi"))),
				fixtures.Init(fixtures.Named(sidecar,
					filling(victim.Run{Term: victim.ExitNow}, fixtures.LayerDir, 30, fillAfter),
					storageLimit("20Mi"), fixtures.Sidecar())),
			),
			Companions: []*corev1.Pod{companion(unlimited, fixtures.With(
				fixtures.Pod(8, fixtures.Named(waiting, victim.Run{}, storageLimit("100Mi"))),
				fixtures.Init(fixtures.Named(unlimited, filling(fixtures.Ignoring, fixtures.LayerDir, 30, fillAfter),
					fixtures.Sidecar())),
			))},
			Worker:    checked,
			Needs:     []formula.Change{formula.Sidecars},
			KillCause: formula.ByStorageLimit,
			Lasts:     50 * time.Second,
			Claims: append(claims.Needing(formula.SidecarLayerLimits, slices.Concat([]trial.Claim{
				claims.Between(trial.Filled.Of(sidecar), trial.SIGTERM, formula.LayerLimitFound(0)),
				claims.New(trial.Between(trial.SIGTERM, trial.Gone), formula.ObeyedSignal),
				claims.Between(trial.SIGTERM, trial.SIGTERM.Of(sidecar), formula.SidecarSignal),
				claims.New(trial.Between(trial.SIGTERM, trial.Gone).Of(sidecar), formula.ObeyedSignal),
			}, evictedForGood)), claims.New(
				trial.Ended(sidecar, trial.Filled.Of(sidecar), 40*time.Second), formula.SidecarLayerLimit,
			), claims.New(
				trial.Ended(unlimited, trial.Filled.Of(unlimited), 40*time.Second), formula.NotEvicted,
			)),
		},
		{
			ID: "eviction/succeeds-on-sigterm",
			About: "A pod that is evicted for its emptyDir ends with 0 on SIGTERM. From 1.27 to 1.37 it has " +
				"succeeded, without the reason Evicted.",
			Pod: fixtures.With(
				fixtures.Single(8, filling(victim.Run{Term: victim.ExitNow}, fixtures.DataDir, 30, fillAfter)),
				fixtures.EmptyDir("20Mi"),
			),
			Worker:    checked,
			KillCause: formula.ByStorageLimit,
			Lasts:     45 * time.Second,
			Claims: []trial.Claim{
				claims.Between(trial.Filled, trial.SIGTERM, formula.VolumeLimitFound(0)),
				claims.New(trial.Between(trial.SIGTERM, trial.Gone), formula.ObeyedSignal),
				claims.New(trial.HasReason("Evicted", trial.Gone, 4*time.Second), formula.SuccessReason),
			},
		},
		{
			ID:    "eviction/pod-limit-hook-hangs",
			About: "Data in an emptyDir counts against the pod's storage limit. The eviction leaves a hook one second.",
			Pod: fixtures.With(fixtures.Single(8,
				filling(fixtures.Ignoring, fixtures.DataDir, 30, fillAfter),
				storageLimit("20Mi"), fixtures.ExecPreStop(victim.Hook{Hang: true}),
			), fixtures.EmptyDir("")),
			Worker:    limits,
			KillCause: formula.ByStorageLimit,
			Lasts:     50 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Filled, trial.HookBegan, formula.VolumeLimitFound(others)),
			}, hookHangs(trial.Main), evictedWithoutGrace(), evictedForGood),
		},
	}
}

// lostEnds returns the trial of a container whose end the kubelet loses.
func lostEnds() []trial.Trial {
	const obedient, below = "obedient-first", "below-limit"
	return []trial.Trial{
		{
			ID: "eviction/exit-code-lost",
			About: "A container of an evicted pod obeys and ends with 3 while another one still runs. The API may " +
				"show 137.",
			Pod: fixtures.With(
				fixtures.Pod(8,
					fixtures.Victim(filling(fixtures.Ignoring, fixtures.DataDir, 30, fillAfter),
						fixtures.ExecPreStop(victim.Hook{Hang: true})),
					fixtures.Named(obedient, victim.Run{Term: victim.ExitNow, ExitCode: 3})),
				fixtures.EmptyDir("20Mi"),
			),
			Companions: []*corev1.Pod{companion(below, fixtures.With(
				fixtures.Pod(8, fixtures.Named(below, filling(fixtures.Ignoring, fixtures.DataDir, 12, fillAfter))),
				fixtures.EmptyDir("20Mi"),
			))},
			KillCause: formula.ByStorageLimit,
			Lasts:     50 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.New(trial.Ended(below, trial.Filled.Of(below), 40*time.Second), formula.NotEvicted),
				claims.Between(trial.Filled, trial.HookBegan, formula.VolumeLimitFound(0)),
				claims.New(trial.Between(trial.SIGTERM, trial.Gone).Of(obedient), formula.ObeyedSignal),
				claims.New(trial.DeathCode().Of(obedient), formula.LostCode),
			}, hookHangs(trial.Main), evictedWithoutGrace(), evictedForGood),
		},
		{
			ID: "eviction/exit-code-lost-layer",
			About: "A container whose layer is full is evicted with its neighbour, which obeys and ends with 4. The " +
				"API may show 137.",
			Pod: fixtures.Pod(8,
				fixtures.Victim(filling(fixtures.Ignoring, fixtures.LayerDir, 30, fillAfter), storageLimit("20Mi"),
					fixtures.ExecPreStop(victim.Hook{Hang: true})),
				fixtures.Named(obedient, victim.Run{Term: victim.ExitNow, ExitCode: 4})),
			Worker:    checked,
			KillCause: formula.ByStorageLimit,
			Lasts:     50 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Filled, trial.HookBegan, formula.LayerLimitFound(0)),
				claims.New(trial.Between(trial.SIGTERM, trial.Gone).Of(obedient), formula.ObeyedSignal),
				claims.New(trial.DeathCode().Of(obedient), formula.LostCode),
			}, hookHangs(trial.Main), evictedWithoutGrace(), evictedForGood),
		},
	}
}

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
			About: "An evicted pod does not die in time. The eviction manager waits forty seconds, then evicts the " +
				"next pod.",
			Pod: fixtures.Single(8, dying, killing(90), storageLimit("20Mi")),
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

// criticalOverLimits returns the trial of a critical pod that exceeds every limit.
func criticalOverLimits() trial.Trial {
	const data, layer = "critical-data", "critical-layer"
	critical := companion("critical", fixtures.With(
		fixtures.Pod(8,
			fixtures.Named(data, filling(fixtures.Ignoring, fixtures.DataDir, 30, fillAfter)),
			fixtures.Named(layer, filling(fixtures.Ignoring, fixtures.LayerDir, 30, fillAfter), storageLimit("20Mi"))),
		fixtures.EmptyDir("20Mi"), fixtures.Priority(fixtures.NodeCritical),
	))
	spared := func(container string) trial.Claim {
		return claims.New(
			trial.Ended(container, trial.Gone, 25*time.Second), formula.NotEvicted, formula.CriticalEvicted,
		)
	}
	return trial.Trial{
		ID: "eviction/critical-over-limits",
		About: "A critical pod is not evicted if its emptyDir, a layer and all of it exceed their limits. An ordinary one " +
			"beside it is.",
		Pod: fixtures.With(
			fixtures.Single(8, filling(fixtures.Ignoring, fixtures.DataDir, 30, fillAfter)),
			fixtures.EmptyDir("20Mi"),
		),
		Companions: []*corev1.Pod{critical},
		Worker:     checked,
		KillCause:  formula.ByStorageLimit,
		Lasts:      75 * time.Second,
		Claims: slices.Concat([]trial.Claim{
			claims.Between(trial.Filled, trial.SIGTERM, formula.VolumeLimitFound(0)),
			spared(data), spared(layer),
		}, evictedWithoutGrace(), evictedForGood),
	}
}

// preemption returns the trials of pods that are ended for a critical one. Both ask for storage.
func preemption() []trial.Trial {
	const critical = "critical"
	share := fixtures.Request(corev1.ResourceEphemeralStorage, "80Mi")
	preemptor := func() []*corev1.Pod {
		return []*corev1.Pod{companion(critical, fixtures.With(
			fixtures.Pod(1, fixtures.Named(critical, victim.Run{Term: victim.ExitNow}, share)),
			fixtures.Priority(fixtures.NodeCritical),
		))}
	}
	var smallPods []*corev1.Pod
	var smallLiveOn []trial.Claim
	for _, name := range []string{"small-1", "small-2", "small-3"} {
		smallPods = append(smallPods, companion(name, fixtures.Pod(1,
			fixtures.Named(name, victim.Run{}, fixtures.Request(corev1.ResourceEphemeralStorage, "5Mi")))))
		smallLiveOn = append(smallLiveOn, claims.New(trial.Ended(name, trial.Injected, 12*time.Second),
			formula.NotEvicted))
	}
	create := trial.Fault{Action: trial.CreatePod, Pod: critical, After: 3 * time.Second}
	preempting := trial.Event("Preempting")
	exceeded := claims.Between(
		preempting, trial.Event("ExceededGracePeriod"), formula.ExceededGrace, formula.WaitsOneGrace,
	)
	exceeded.KillCause = formula.ByPreemption
	return []trial.Trial{
		{
			ID: "eviction/preemption",
			About: "A critical pod that does not fit ends the one that makes room with its six seconds, and starts " +
				"after the death, although that one is Guaranteed. Three small best-effort pods, which are not " +
				"enough, live on.",
			Pod: fixtures.Single(6, fixtures.Ignoring, slices.Concat([]fixtures.Option{share},
				needs(corev1.ResourceCPU, enoughCPU), needs(corev1.ResourceMemory, "64Mi"))...),
			Companions: append(preemptor(), smallPods...),
			Worker:     smallDisk,
			KillCause:  formula.ByPreemption,
			Faults:     []trial.Fault{create}, Lasts: 22 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Injected, trial.SIGTERM, formula.PreemptionStart),
				claims.Between(preempting, trial.SIGTERM, formula.EventThenKill),
				claims.Between(trial.SIGTERM, trial.Gone, formula.Remainder),
				claims.Between(trial.Gone, trial.Started.Of(critical), formula.PreemptorStart, formula.PreemptorFirst),
			}, smallLiveOn, endedForGood),
		},
		{
			ID: "eviction/preemption-hook",
			About: "The hook of a pod that makes room for a critical one is part of its eight seconds. Three small " +
				"pods live on.",
			Pod: fixtures.Single(8,
				fixtures.Ignoring, share, fixtures.ExecPreStop(victim.Hook{Sleep: 2500 * time.Millisecond})),
			Companions: append(preemptor(), smallPods...),
			Worker:     smallDisk,
			KillCause:  formula.ByPreemption,
			Faults:     []trial.Fault{create}, Lasts: 24 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Injected, trial.HookBegan, formula.PreemptionStart),
				claims.New(trial.HookRuns(), formula.HookRuns),
				claims.Between(trial.HookEnded, trial.SIGTERM, formula.HookThenSignal),
				claims.Between(trial.SIGTERM, trial.Gone, formula.Remainder),
				claims.Between(trial.Gone, trial.Started.Of(critical), formula.PreemptorStart, formula.PreemptorFirst),
			}, smallLiveOn, endedForGood),
		},
		{
			ID: "eviction/preemption-exceeds-grace",
			About: "A preemption during a liveness probe's longer kill is reported after eighteen seconds, and " +
				"shortens nothing.",
			Pod:        fixtures.Single(12, failing, killing(40), share),
			Companions: preemptor(),
			Labels:     []string{"liveness"},
			Worker:     smallDisk,
			KillCause:  formula.ByLiveness,
			Faults:     []trial.Fault{create.At(trial.SIGTERM, time.Second)},
			Lasts:      48 * time.Second,
			// No claim is on what follows the death: the kill's own sync may still begin a life, which gets the
			// pod's twelve seconds.
			Claims: slices.Concat(
				[]trial.Claim{exceeded}, claims.Death(trial.Main, formula.Remainder, formula.PodGraceOnProbe),
			),
		},
	}
}
