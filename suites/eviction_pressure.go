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

// fewInodes is a node whose kubelet has 20,000 inodes and is under pressure from the 12,000th on. The
// transition period is longer than what the node's looks and reports may take without one, so that an end
// that ignores it comes before any that does not.
var fewInodes = &trial.Worker{
	Name: "eviction-inodes", NodeFSMiB: 64, NodeFSInodes: 20_000,
	KubeletConfig: map[string]any{
		"evictionHard":                     map[string]any{"nodefs.inodesFree": "40%"},
		"evictionPressureTransitionPeriod": "40s",
	},
}

// smallDisk is a node whose kubelet has 128 MiB and is under pressure when half of it is used, softly. The
// soft grace period is two looks long: after one, it could not be told from none. It says nothing of
// evictionMaxPodGracePeriod.
var smallDisk = &trial.Worker{
	Name: "eviction-disk", NodeFSMiB: 128, NodeFSInodes: 20_000, Alone: true,
	KubeletConfig: map[string]any{
		"evictionSoft":            map[string]any{"nodefs.available": "50%"},
		"evictionSoftGracePeriod": map[string]any{"nodefs.available": "15s"},
	},
}

// diskPressure are evictions from nodes whose file system is filled.
func diskPressure() []trial.Trial {
	inodes := ignoring
	inodes.FillDir, inodes.FillAfter, inodes.FillFiles = fixtures.DataDir, fillAfter, 13_000
	evicted := trial.Event("Evicted")
	return []trial.Trial{
		{
			ID:        "eviction/inodes-hard",
			About:     "A hard threshold is documented to kill at once; the process gets SIGTERM and two seconds. The node's pressure stays for the transition period.",
			Pod:       fixtures.With(fixtures.Pod(8, fixtures.Victim(inodes)), fixtures.EmptyDir("")),
			Worker:    fewInodes,
			KillCause: formula.ByHardEviction,
			Lasts:     85 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				{Measure: trial.Between(trial.Filled, trial.SIGTERM), Formula: formula.HardEvictionFound},
				{Measure: trial.Between(evicted, trial.SIGTERM), Formula: formula.EventThenKill},
				{
					Measure: trial.Between(trial.Filled, trial.NodeCondition("DiskPressure")),
					Formula: formula.PressureBegins,
				},
				{
					Measure: trial.Between(
						trial.SIGTERM,
						trial.NoNodeCondition("DiskPressure"),
					),
					Formula: formula.PressureEnds,
					Rivals:  []formula.Rival{formula.NoTransition},
				},
			}, evictedIgnoring(trial.Main, withoutGrace...), evictedForGood),
		},
		{
			ID:    "eviction/bytes-soft",
			About: "A soft threshold is acted upon when it was met for fifteen seconds; without a configured maximum the pod gets no grace, which is two seconds.",
			Pod: fixtures.With(
				fixtures.Pod(8, fixtures.Victim(filling(ignoring, fixtures.DataDir, 80))),
				fixtures.EmptyDir(""),
			),
			Worker:    smallDisk,
			KillCause: formula.BySoftEviction,
			Lasts:     45 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				{
					Measure: trial.Between(trial.Filled, trial.SIGTERM),
					Formula: formula.SoftEvictionFound,
					Rivals:  []formula.Rival{formula.SoftGraceIgnored},
				},
				{Measure: trial.Between(evicted, trial.SIGTERM), Formula: formula.EventThenKill},
			}, evictedIgnoring(trial.Main, withoutGrace...), evictedForGood),
		},
	}
}

// The signal that memory thresholds are of, and thresholds that every node meets: a percentage for a hard
// one, since what it keeps back must not be more than the node has.
const (
	memory            = "memory.available"
	hardlyAllMemory   = "99.999%"
	moreThanAnyoneHas = "1Pi"
)

// tune is the cue that restarts the kubelet with a changed configuration, when the pods have run for three seconds.
func tune(patch map[string]any) []trial.Cue {
	return []trial.Cue{{Action: trial.TuneKubelet, Patch: patch, After: 3 * time.Second}}
}

// softMemory is a soft threshold that every node meets, with a soft grace period of three looks: one that
// was ignored would be over before the kubelet is found ready, or with the look after that.
func softMemory(maxPodGracePeriod int) []trial.Cue {
	return tune(map[string]any{
		"evictionSoft":              map[string]any{memory: moreThanAnyoneHas},
		"evictionSoftGracePeriod":   map[string]any{memory: "25s"},
		"evictionMaxPodGracePeriod": maxPodGracePeriod,
	})
}

// softTuned is what must be true of the first eviction after it.
var softTuned = trial.Claim{
	Measure: trial.Between(
		trial.CueDone,
		trial.SIGTERM,
	),
	Formula: formula.SoftEvictionTuned,
	Rivals:  []formula.Rival{formula.SoftGraceIgnoredTuned},
}

// memoryPressure are evictions from nodes on which a threshold of memory is moved until it is met, and
// nobody's memory is filled.
func memoryPressure() []trial.Trial {
	evicted := trial.Event("Evicted")
	hard := slices.Concat(withoutGrace, []formula.Rival{formula.SoftMaximumOnHard})
	return []trial.Trial{
		{
			ID:    "eviction/memory-hard",
			About: "Pods evicted by a hard threshold: one ignores SIGTERM, one has a hook that hangs, which gets a second, and one obeys. The six seconds that are set for soft thresholds count for none.",
			Pod:   fixtures.Pod(8, fixtures.Victim(ignoring)),
			Companions: []*corev1.Pod{
				companion(
					"hooked",
					fixtures.Pod(8, fixtures.Named("hooked", ignoring, fixtures.ExecPreStop(victim.Hook{Hang: true}))),
				),
				companion(
					"obedient",
					fixtures.Pod(
						8,
						fixtures.Named(
							"obedient",
							victim.Run{Term: victim.ExitAfter, TermDelay: 500 * time.Millisecond},
						),
					),
				),
			},
			Worker:    &trial.Worker{Name: "eviction-memory-hard", Alone: true},
			KillCause: formula.ByHardEviction,
			Cues: tune(
				map[string]any{"evictionHard": map[string]any{memory: hardlyAllMemory}, "evictionMaxPodGracePeriod": 6},
			),
			Lasts: 60 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				{Measure: trial.Between(evicted, trial.SIGTERM), Formula: formula.EventThenKill},
				{Measure: trial.Between(trial.SIGTERM, trial.Gone).Of("obedient"), Formula: formula.ObeyedSignal},
			}, evictedIgnoring(trial.Main, hard...), evictedHookHangs("hooked"), evictedIgnoring("hooked", hard...), evictedForGood),
		},
		memoryOrder(),
		{
			ID:        "eviction/soft-maximum-negative",
			About:     "A negative evictionMaxPodGracePeriod is documented to leave the pod its own grace period of ten seconds; it gets none, which is two seconds.",
			Pod:       fixtures.Pod(10, fixtures.Victim(ignoring)),
			Worker:    &trial.Worker{Name: "eviction-maximum", Alone: true},
			KillCause: formula.BySoftEviction,
			Cues:      softMemory(-1),
			Lasts:     75 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				softTuned,
				{Measure: trial.Between(evicted, trial.SIGTERM), Formula: formula.EventThenKill},
			}, evictedIgnoring(trial.Main, formula.NegativeMaximumDefers, formula.NoMinimum), evictedForGood),
		},
	}
}

// memoryOrder is the trial of the ranking. By memory in use alone the order would be entitled, important,
// victim, modest.
func memoryOrder() trial.Trial {
	holding := func(mib int) victim.Run { return victim.Run{Term: victim.Ignore, Ballast: mib} }
	next := func(from, to trial.Point) trial.Claim {
		return trial.Claim{
			Measure: trial.Between(from, to),
			Formula: formula.NextEviction,
			Rivals:  []formula.Rival{formula.RankedOtherwise, formula.KilledSideBySide},
		}
	}
	return trial.Trial{
		ID: "eviction/memory-order",
		About: "Pods are evicted one at a time: those that exceed their requests first, of those the less important, of those the one that exceeds most. " +
			"Each gets the lesser of six seconds and its own grace period.",
		Pod: fixtures.Pod(20, fixtures.Victim(holding(24))),
		Companions: []*corev1.Pod{
			companion("modest", fixtures.Pod(3, fixtures.Named("modest", ignoring))),
			companion("important", fixtures.With(fixtures.Pod(20, fixtures.Named(
				"important",
				holding(40),
				fixtures.ExecPreStop(
					victim.Hook{Sleep: 2500 * time.Millisecond},
				),
			)), fixtures.Priority(fixtures.Important))),
			companion(
				"entitled",
				fixtures.Pod(
					5,
					fixtures.Named("entitled", holding(64), fixtures.Request(corev1.ResourceMemory, "128Mi")),
				),
			),
		},
		Worker:    &trial.Worker{Name: "eviction-order", Alone: true},
		KillCause: formula.BySoftEviction,
		// Later looks than the first find the pods' memory measured anew after the restart.
		Cues:  softMemory(6),
		Lasts: 105 * time.Second,
		Claims: slices.Concat(
			[]trial.Claim{
				softTuned,
				{Measure: trial.Between(trial.Event("Evicted"), trial.SIGTERM), Formula: formula.EventThenKill},
				next(trial.Gone, trial.SIGTERM.Of("modest")),
				next(trial.Gone.Of("modest"), trial.HookBegan.Of("important")),
				next(trial.Gone.Of("important"), trial.SIGTERM.Of("entitled")),
				{Measure: trial.HookRuns().Of("important"), Formula: formula.HookRuns},
				{
					Measure: trial.Between(trial.HookEnded, trial.SIGTERM).Of("important"),
					Formula: formula.HookThenSignal,
				},
			},
			evictedIgnoring(trial.Main, formula.PodGraceOnEviction),
			evictedIgnoring("modest", formula.LengthenedBySoftMaximum),
			evictedIgnoring(
				"important",
				formula.PodGraceOnEviction,
				formula.FullGraceAgain,
			),
			evictedIgnoring("entitled", formula.LengthenedBySoftMaximum),
			evictedForGood,
		),
	}
}

// companion gives a pod the name that its trial knows it by.
func companion(name string, pod *corev1.Pod) *corev1.Pod {
	pod.Name = name
	return pod
}
