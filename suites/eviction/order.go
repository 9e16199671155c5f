package eviction

import (
	"maps"
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

// Pods that wait for a ConfigMap never have a process, so the kubelet has no statistics of them.
const pending, unborn = "pending", "unborn"

func waitingPods() (pods []*corev1.Pod, created []trial.Fault) {
	for _, name := range []string{pending, unborn} {
		pod := fixtures.Pod(8, fixtures.Named(name, victim.Run{}, fixtures.NeedsConfigMap()))
		pods = append(pods, companion(name, pod))
		created = append(created, trial.Fault{Action: trial.CreatePod, Pod: name, After: time.Second})
	}
	return pods, created
}

// afterWaiting is for the first pod with a process after those that wait.
var afterWaiting = []trial.Claim{
	claims.New(trial.HasReason("Evicted", trial.Phase("Failed").Of(pending), 2*time.Second), formula.EvictedReason),
	claims.Between(trial.Phase("Failed").Of(pending), trial.SIGTERM, formula.NextAfterWaiting, formula.RankedOtherwise),
	claims.Between(trial.Phase("Failed").Of(unborn), trial.SIGTERM, formula.NextAfterWaiting, formula.RankedOtherwise),
}

// Both disks must be relieved of more than crossed their thresholds. The thresholds are soft: a hard one would reserve
// room that pods then could not request. containerfs has no thresholds of its own, whatever the configuration says.
var (
	orderedBytes = &trial.Worker{
		Name: "eviction-bytes-order", NodeFSMiB: 128, NodeFSInodes: 20_000, Alone: true,
		KubeletConfig: map[string]any{
			"evictionHard": map[string]any{
				"containerfs.available": moreThanAnyoneHas, "containerfs.inodesFree": moreThanAnyoneHas,
			},
			"evictionSoft": map[string]any{
				"nodefs.available":      "50%",
				"containerfs.available": moreThanAnyoneHas, "containerfs.inodesFree": moreThanAnyoneHas,
			},
			"evictionSoftGracePeriod": map[string]any{
				"nodefs.available": "25s", "containerfs.available": "1s", "containerfs.inodesFree": "1s",
			},
			"evictionMinimumReclaim": map[string]any{"nodefs.available": "20Mi"},
		},
	}
	orderedInodes = &trial.Worker{
		Name: "eviction-inodes-order", NodeFSMiB: 128, NodeFSInodes: 20_000, Alone: true,
		KubeletConfig: map[string]any{
			"evictionSoft":            map[string]any{"nodefs.inodesFree": "40%"},
			"evictionSoftGracePeriod": map[string]any{"nodefs.inodesFree": "25s"},
			"evictionMinimumReclaim":  map[string]any{"nodefs.inodesFree": "20%"},
		},
	}
)

// later is when the last pod fills the disk. Two of the node's checks come before, and the volumes of the others are
// measured.
const later = fillAfter + 25*time.Second

// orders returns the trials of the choice among several pods.
func orders() []trial.Trial {
	const large, small, important, entitled, late = "large", "small", "important", "entitled", "late"
	stored := func(name string, run victim.Run, options ...fixtures.Option) *corev1.Pod {
		pod := fixtures.With(fixtures.Pod(8, fixtures.Named(name, run, options...)), fixtures.EmptyDir(""))
		if name == trial.Main {
			return pod
		}
		return companion(name, pod)
	}
	storing := func(name string, mib int64, after time.Duration, options ...fixtures.Option) *corev1.Pod {
		return stored(name, filling(fixtures.Ignoring, fixtures.DataDir, mib, after), options...)
	}
	filing := func(name string, files int64, after time.Duration, options ...fixtures.Option) *corev1.Pod {
		run := fixtures.Ignoring
		run.FillDir, run.FillAfter, run.FillFiles = path.Join(fixtures.DataDir, name), after, files
		return stored(name, run, options...)
	}
	asks := func(quantity string) fixtures.Option {
		return fixtures.Request(corev1.ResourceEphemeralStorage, quantity)
	}
	livesOn := func(name string, after trial.Point) trial.Claim {
		return claims.New(trial.Ended(name, after, 12*time.Second), formula.NotEvicted)
	}
	waiting, created := waitingPods()
	// Nothing crosses the thresholds of the images' disk, nor those for containerfs, which are ignored.
	disks := map[string]any{
		"imagefs.available": "1", "imagefs.inodesFree": "1",
		"containerfs.available": moreThanAnyoneHas, "containerfs.inodesFree": moreThanAnyoneHas,
	}
	softly, grace := maps.Clone(disks), map[string]any{memory: "25s"}
	for signal := range disks {
		grace[signal] = "1s"
	}
	softly[memory] = moreThanAnyoneHas
	tuned := tune(map[string]any{
		"evictionHard": disks, "evictionSoft": softly, "evictionSoftGracePeriod": grace,
	})
	failed, refused := trial.Phase("Failed").Of(pending), trial.Phase("Failed").Of(late)
	return []trial.Trial{
		{
			ID: "eviction/bytes-order",
			About: "A full disk evicts pods without statistics first, then those that store more than they request, " +
				"the less important before the larger, until the minimum is reclaimed. New pods are refused. " +
				"Thresholds for containerfs are ignored.",
			Pod: storing(trial.Main, 10, fillAfter),
			Companions: append([]*corev1.Pod{
				storing(large, 30, fillAfter, asks("26Mi")),
				fixtures.With(storing(important, 14, fillAfter), fixtures.Priority(fixtures.Important)),
				storing(entitled, 40, later, asks("60Mi")),
				companion(late, fixtures.Pod(8, fixtures.Named(late, victim.Run{}))),
			}, waiting...),
			Worker:    orderedBytes,
			Needs:     []formula.Change{formula.ContainerFSSignals},
			KillCause: formula.BySoftEviction,
			Faults: append(slices.Clone(created),
				// A check has seen the threshold crossed by then.
				trial.Fault{Action: trial.CreatePod, Pod: late}.At(trial.Filled.Of(entitled), 14*time.Second)),
			Lasts: 120 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Injected.Number(3), refused, formula.Refusal),
				claims.New(trial.HasReason("Evicted", refused, 2*time.Second), formula.RefusalFor),
				claims.New(trial.Starts(late, refused, 5*time.Second), formula.RefusedNever),
				claims.Between(trial.Filled.Of(entitled), failed, formula.SoftEvictionShown, formula.SoftGraceIgnored),
				next(trial.Gone, trial.SIGTERM.Of(large)),
				next(trial.Gone.Of(large), trial.SIGTERM.Of(important)),
				livesOn(entitled, trial.Gone.Of(important)),
			}, afterWaiting, evictedWithoutGrace(), evictedForGood),
		},
		{
			ID: "eviction/inodes-order",
			About: "For inodes, a pod's usage less its request for bytes of storage decides: a pod that requests any " +
				"bytes is evicted last.",
			Pod: filing(trial.Main, 3_000, fillAfter),
			Companions: []*corev1.Pod{
				filing(small, 2_500, fillAfter), filing(entitled, 6_800, later, asks("1Mi")),
			},
			Worker:    orderedInodes,
			KillCause: formula.BySoftEviction,
			Lasts:     110 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.Filled.Of(entitled), trial.SIGTERM, formula.SoftEvictionFound,
					formula.SoftGraceIgnored),
				next(trial.Gone, trial.SIGTERM.Of(small)),
				livesOn(entitled, trial.Gone.Of(small)),
			}, evictedWithoutGrace(), evictedForGood),
		},
		{
			ID: "eviction/memory-unknown",
			About: "If memory is scarce, pods without statistics are evicted before those with a process. Thresholds for " +
				"containerfs are ignored on a node with one disk, too.",
			Pod:        fixtures.Single(8, holding(40)),
			Companions: waiting,
			Worker:     &trial.Worker{Name: "eviction-memory-unknown", Alone: true},
			Needs:      []formula.Change{formula.ContainerFSSignals},
			KillCause:  formula.BySoftEviction,
			Faults:     append(slices.Clone(created), tuned...), Lasts: 90 * time.Second,
			Claims: slices.Concat([]trial.Claim{
				claims.Between(trial.FaultDone.Number(3), failed, formula.SoftEvictionTunedShown,
					formula.SoftGraceIgnoredTuned),
			}, afterWaiting, evictedWithoutGrace(), evictedForGood),
		},
	}
}
