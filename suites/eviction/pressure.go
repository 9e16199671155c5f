package eviction

import (
	"path"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

// fewInodes has 20,000 inodes and is under pressure from the 12,000th on, whatever it must reclaim then. The transition
// period is longer than the node's checks and reports take, so that its effect shows.
var fewInodes = &trial.Worker{
	Name: "eviction-inodes", NodeFSMiB: 64, NodeFSInodes: 20_000,
	KubeletConfig: map[string]any{
		"evictionHard":                     map[string]any{"nodefs.inodesFree": "40%"},
		"evictionMinimumReclaim":           map[string]any{"nodefs.inodesFree": "20%"},
		"evictionPressureTransitionPeriod": "40s",
	},
}

// fewBytes has 128 MiB and is under pressure if less than half of them is free. 0 % and 100 % are no thresholds.
var fewBytes = &trial.Worker{
	Name: "eviction-bytes", NodeFSMiB: 128, NodeFSInodes: 20_000,
	KubeletConfig: map[string]any{
		"evictionHard": map[string]any{
			"nodefs.available": "50%", "nodefs.inodesFree": "100%", "imagefs.available": "0%",
		},
		"evictionPressureTransitionPeriod": "25s",
	},
}

// filledThenEvicted is for a node whose disk a pod fills beyond a hard threshold.
var filledThenEvicted = slices.Concat([]trial.Claim{
	claims.Between(trial.Filled, trial.SIGTERM, formula.HardEvictionFound),
	eventThenKill,
	claims.Between(trial.Filled, trial.NodeCondition("DiskPressure"), formula.PressureBegins),
	claims.Between(trial.SIGTERM, trial.NoNodeCondition("DiskPressure"), formula.PressureEnds, formula.NoTransition),
}, evictedWithoutGrace(), evictedForGood)

func diskPressure() []trial.Trial {
	const before = "before"
	storing := func(container string, files int64, after time.Duration) corev1.Container {
		run := fixtures.Ignoring
		run.FillDir, run.FillAfter, run.FillFiles = path.Join(fixtures.DataDir, container), after, files
		return fixtures.Named(container, run)
	}
	return []trial.Trial{
		{
			ID: "eviction/inodes-hard",
			About: "A hard threshold leaves two seconds, not none as documented. The minimum to reclaim does not " +
				"raise it. The node's pressure lasts for the transition period.",
			// The first files are fewer than the threshold allows, and more than the threshold with that minimum would.
			// Two of the node's checks come before the others.
			Pod: fixtures.With(fixtures.Pod(8,
				storing(trial.Main, 5_000, fillAfter+25*time.Second), storing(before, 9_000, fillAfter),
			), fixtures.EmptyDir("")),
			Worker:    fewInodes,
			KillCause: formula.ByHardEviction,
			Lasts:     110 * time.Second,
			Claims:    filledThenEvicted,
		},
		{
			ID: "eviction/bytes-hard",
			About: "A hard threshold for bytes leaves two seconds, too. The node's pressure lasts for the transition " +
				"period. 0 % and 100 % are no thresholds.",
			Pod: fixtures.With(
				fixtures.Single(8, filling(fixtures.Ignoring, fixtures.DataDir, 80, fillAfter)),
				fixtures.EmptyDir(""),
			),
			Worker:    fewBytes,
			KillCause: formula.ByHardEviction,
			Lasts:     80 * time.Second,
			Claims:    filledThenEvicted,
		},
		{
			ID:    "eviction/bytes-soft",
			About: "A soft threshold evicts after fifteen seconds. Without a configured maximum it leaves two seconds.",
			Pod: fixtures.With(
				fixtures.Single(8, filling(fixtures.Ignoring, fixtures.DataDir, 80, fillAfter)),
				fixtures.EmptyDir(""),
			),
			Worker:    smallDisk,
			KillCause: formula.BySoftEviction,
			Lasts:     45 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Filled, trial.SIGTERM, formula.SoftEvictionFound, formula.SoftGraceIgnored),
				eventThenKill,
			}, evictedWithoutGrace(), evictedForGood),
		},
	}
}

// The signal of memory thresholds, and thresholds that every node crosses. The hard one is a percentage,
// because a node cannot reserve more memory than it has.
const (
	memory            = "memory.available"
	hardlyAllMemory   = "99.999%"
	moreThanAnyoneHas = "1Pi"
)

// tune returns the fault that restarts the kubelet with a changed configuration.
func tune(patch map[string]any) []trial.Fault {
	return []trial.Fault{{Action: trial.TuneKubelet, Patch: patch, After: 3 * time.Second}}
}

// softMemory sets a soft threshold that every node crosses. Its soft grace period is three checks long: without it the
// eviction would come before the kubelet is found ready, or with the next check.
func softMemory(maxPodGracePeriod int) []trial.Fault {
	return tune(map[string]any{
		"evictionSoft":              map[string]any{memory: moreThanAnyoneHas},
		"evictionSoftGracePeriod":   map[string]any{memory: "25s"},
		"evictionMaxPodGracePeriod": maxPodGracePeriod,
	})
}

var softTuned = claims.Between(trial.FaultDone, trial.SIGTERM, formula.SoftEvictionTuned, formula.SoftGraceIgnoredTuned)

// memoryPressure moves the threshold: nothing fills memory.
func memoryPressure() []trial.Trial {
	const hooked, obedient, critical = "hooked", "obedient", "critical"
	// The critical pod is the last in the order of evictions, so it lives until all others are dead, and longer.
	criticalLives := func(dead string) trial.Claim {
		return claims.New(
			trial.Ended(critical, trial.Gone.Of(dead), 15*time.Second), formula.NotEvicted, formula.CriticalEvicted,
		)
	}
	ignoresHard := func(container string) []trial.Claim {
		return evictedIgnoring(container, formula.PodGraceOnEviction, formula.NoMinimum, formula.SoftMaximumOnHard)
	}
	return []trial.Trial{
		{
			ID: "eviction/memory-hard",
			About: "A hard threshold evicts three pods, without the six seconds for soft ones. One ignores SIGTERM, " +
				"one has a hook that hangs, and one obeys. A critical pod lives on.",
			Pod: fixtures.Single(8, fixtures.Ignoring),
			Companions: []*corev1.Pod{
				companion(hooked, fixtures.Pod(8,
					fixtures.Named(hooked, fixtures.Ignoring, fixtures.ExecPreStop(victim.Hook{Hang: true})))),
				companion(obedient, fixtures.Pod(8,
					fixtures.Named(obedient, victim.Run{Term: victim.ExitAfter, TermDelay: 500 * time.Millisecond}))),
				companion(critical, fixtures.With(
					fixtures.Pod(8, fixtures.Named(critical, fixtures.Ignoring)),
					fixtures.Priority(fixtures.NodeCritical),
				)),
			},
			Worker:    &trial.Worker{Name: "eviction-memory-hard", Alone: true},
			KillCause: formula.ByHardEviction,
			Faults: tune(map[string]any{
				"evictionHard":              map[string]any{memory: hardlyAllMemory},
				"evictionMaxPodGracePeriod": 6,
			}),
			Lasts: 60 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				eventThenKill,
				claims.New(trial.Between(trial.SIGTERM, trial.Gone).Of(obedient), formula.ObeyedSignal),
				criticalLives(trial.Main), criticalLives(hooked), criticalLives(obedient),
			}, ignoresHard(trial.Main), hookHangs(hooked), ignoresHard(hooked), evictedForGood),
		},
		memoryOrder(), memoryAboveRequests(), refusedForMemory(),
		{
			ID:        "eviction/soft-maximum-negative",
			About:     "A negative evictionMaxPodGracePeriod leaves two seconds, not the pod's own ten as documented.",
			Pod:       fixtures.Single(10, fixtures.Ignoring),
			Worker:    &trial.Worker{Name: "eviction-maximum", Alone: true},
			KillCause: formula.BySoftEviction,
			Faults:    softMemory(-1), Lasts: 75 * time.Second,
			Claims: slices.Concat(
				[]trial.Claim{softTuned, eventThenKill},
				evictedIgnoring(trial.Main, formula.NegativeMaximumDefers, formula.NoMinimum), evictedForGood,
			),
		},
	}
}

// refusedForMemory returns the trial of pods that come while only memory is short. The soft grace period is longer than
// the trial, so nobody is evicted.
func refusedForMemory() trial.Trial {
	const modest, burstable, critical = "best-effort", "burstable", "critical"
	late := func(name string, options ...fixtures.Option) *corev1.Pod {
		// A pod without tolerations would get those of every taint.
		return companion(name, fixtures.With(
			fixtures.Pod(1, fixtures.Named(name, victim.Run{}, options...)),
			fixtures.Tolerate("podclock.dev/other", nil)))
	}
	t := trial.Trial{
		ID: "eviction/refused-for-memory",
		About: "While only memory is short, a kubelet refuses a best-effort pod that does not tolerate that. It admits a " +
			"burstable pod, and a best-effort one of class system-cluster-critical.",
		Pod: fixtures.Single(3, victim.Run{}),
		Companions: []*corev1.Pod{
			late(modest), late(burstable, fixtures.Request(corev1.ResourceMemory, "16Mi")),
			fixtures.With(late(critical), fixtures.Priority(fixtures.ClusterCritical)),
		},
		Worker: &trial.Worker{Name: "eviction-memory-refused", Alone: true},
		Faults: tune(map[string]any{
			"evictionSoft":            map[string]any{memory: moreThanAnyoneHas},
			"evictionSoftGracePeriod": map[string]any{memory: "10m"},
		}),
		Lasts: 45 * time.Second,
	}
	for i, p := range t.Companions {
		create := trial.Fault{Action: trial.CreatePod, Pod: p.Name}
		if i == 0 {
			create = create.At(trial.NodeCondition("MemoryPressure"), 2*time.Second)
		} else {
			create = create.At(trial.Injected.Number(i+1), time.Second)
		}
		t.Faults = append(t.Faults, create)
	}
	failed := trial.Phase("Failed").Of(modest)
	refusal := claims.New(trial.HasReason("Evicted", failed, 2*time.Second), formula.RefusalFor)
	refusal.KillCause = formula.BySoftEviction // as the event says
	t.Claims = []trial.Claim{
		claims.Between(trial.Injected.Number(2), failed, formula.Refusal),
		refusal,
		claims.New(trial.Starts(modest, failed, 5*time.Second), formula.RefusedNever),
		claims.Between(trial.Injected.Number(3), trial.Started.Of(burstable), formula.PodStarts),
		claims.Between(trial.Injected.Number(4), trial.Started.Of(critical), formula.PodStarts),
		claims.New(trial.Ended(trial.Main, trial.Injected.Number(2), 10*time.Second), formula.NotEvicted),
	}
	return t
}

func holding(mib int) victim.Run { return victim.Run{Term: victim.Ignore, Ballast: mib} }

// next returns the claim that one pod is evicted right after another has died.
func next(from, to trial.Point) trial.Claim {
	return claims.Between(from, to, formula.NextEviction, formula.RankedOtherwise, formula.KilledSideBySide)
}

// memoryOrder has pods whose order by memory alone would be entitled, important, victim, modest.
func memoryOrder() trial.Trial {
	const modest, important, entitled = "modest", "important", "entitled"
	hook := fixtures.ExecPreStop(victim.Hook{Sleep: 2500 * time.Millisecond})
	return trial.Trial{
		ID: "eviction/memory-order",
		About: "Pods are evicted one at a time: those above their requests first, then the less important, then the " +
			"larger. Each has six seconds or its own shorter grace period.",
		Pod: fixtures.Single(20, holding(24)),
		Companions: []*corev1.Pod{
			companion(modest, fixtures.Pod(3, fixtures.Named(modest, fixtures.Ignoring))),
			companion(important, fixtures.With(
				fixtures.Pod(20, fixtures.Named(important, holding(40), hook)), fixtures.Priority(fixtures.Important),
			)),
			companion(entitled, fixtures.Pod(5,
				fixtures.Named(entitled, holding(64), fixtures.Request(corev1.ResourceMemory, "128Mi")))),
		},
		Worker:    &trial.Worker{Name: "eviction-order", Alone: true},
		KillCause: formula.BySoftEviction,
		// The checks after the first one see the pods' memory as measured after the restart.
		Faults: softMemory(6), Lasts: 105 * time.Second,
		Claims: slices.Concat([]trial.Claim{
			softTuned,
			eventThenKill,
			next(trial.Gone, trial.SIGTERM.Of(modest)),
			next(trial.Gone.Of(modest), trial.HookBegan.Of(important)),
			next(trial.Gone.Of(important), trial.SIGTERM.Of(entitled)),
			claims.New(trial.HookRuns().Of(important), formula.HookRuns),
			claims.New(trial.Between(trial.HookEnded, trial.SIGTERM).Of(important), formula.HookThenSignal),
		},
			evictedIgnoring(trial.Main, formula.PodGraceOnEviction),
			evictedIgnoring(modest, formula.LengthenedBySoftMaximum),
			evictedIgnoring(important, formula.PodGraceOnEviction, formula.FullGraceAgain),
			evictedIgnoring(entitled, formula.LengthenedBySoftMaximum),
			evictedForGood,
		),
	}
}

// memoryAboveRequests has pods whose order by memory alone would be entitled, large, important, victim.
func memoryAboveRequests() trial.Trial {
	const large, important, entitled, critical = "large", "important", "entitled", "critical"
	return trial.Trial{
		ID: "eviction/memory-above-requests",
		About: "Of equally important pods the one with the most memory above its request is evicted first, not the " +
			"largest. Without a configured maximum each has two seconds.",
		Pod: fixtures.Single(20, holding(32)),
		Companions: []*corev1.Pod{
			companion(large, fixtures.Pod(20,
				fixtures.Named(large, holding(64), fixtures.Request(corev1.ResourceMemory, "56Mi")))),
			companion(important, fixtures.With(
				fixtures.Pod(20, fixtures.Named(important, holding(48))), fixtures.Priority(fixtures.Important),
			)),
			companion(entitled, fixtures.Pod(20,
				fixtures.Named(entitled, holding(80), fixtures.Request(corev1.ResourceMemory, "128Mi")))),
			companion(critical, fixtures.With(
				fixtures.Pod(20, fixtures.Named(critical, fixtures.Ignoring)), fixtures.Priority(fixtures.NodeCritical),
			)),
		},
		Worker:    &trial.Worker{Name: "eviction-requests", Alone: true},
		KillCause: formula.BySoftEviction,
		Faults:    softMemory(0), Lasts: 90 * time.Second,
		Claims: slices.Concat([]trial.Claim{
			softTuned,
			next(trial.Gone, trial.SIGTERM.Of(large)),
			next(trial.Gone.Of(large), trial.SIGTERM.Of(important)),
			next(trial.Gone.Of(important), trial.SIGTERM.Of(entitled)),
			claims.New(trial.Ended(critical, trial.Gone.Of(important), 10*time.Second), formula.NotEvicted,
				formula.CriticalEvicted),
		}, evictedIgnoring(trial.Main, formula.PodGraceOnEviction), evictedForGood),
	}
}
