package eviction

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/suites/claims"
)

// Three pods store something in their layers, in a volume, or in both. Their order differs by layers alone, by volumes
// alone, and by the sum.
const storesLayer, storesVolume = "stores-layer", "stores-volume"

// diskSignals returns the trials of each threshold for disks, on a node with one disk and on one with a disk for
// images.
func diskSignals() (all []trial.Trial) {
	byAll := []string{trial.Main, storesLayer, storesVolume}
	byLayers := []string{storesLayer, trial.Main, storesVolume}
	byVolumes := []string{trial.Main, storesVolume, storesLayer}
	for _, unit := range []string{"available", "inodesFree"} {
		all = append(all, diskSignal("nodefs", unit, false, byAll), diskSignal("imagefs", unit, false, byAll),
			diskSignal("nodefs", unit, true, byVolumes), diskSignal("imagefs", unit, true, byLayers))
	}
	return all
}

// diskSignal returns the trial of one threshold. The first two pods in the order are evicted.
func diskSignal(disk, unit string, imageDisk bool, order []string) trial.Trial {
	const done, beside = "done", "stores-beside"
	signal, one := disk+"."+unit, int64(1)
	if unit == "inodesFree" {
		one = 100 // files for a MiB
	}
	storing := func(dir string, mib int64, after time.Duration) victim.Run {
		run := filling(fixtures.Ignoring, dir, mib, after)
		if one > 1 {
			run.FillBytes, run.FillFiles = 0, one*mib
		}
		return run
	}
	// A virtual machine's disk has 1 Ti bytes and 64 Mi inodes, and layers are all that it counts.
	worker, kind, free, unused := trial.Worker{}, "one-disk", int64(1<<20), "1Gi"
	where, counted := "On a node with one disk", "layers and volumes"
	if one > 1 {
		free = 1 << 26
	}
	if imageDisk {
		kind = "image-disk"
		where, counted = "On a node with a disk for images", "layers"
		worker.NodeFSMiB, worker.NodeFSInodes, unused = 128, 20_000, "32Mi"
	}
	if imageDisk && disk == "nodefs" {
		free, counted = 128, "volumes"
		if one > 1 {
			free = 20_000
		}
	}
	quantity := func(n int64) string {
		if one > 1 {
			return fmt.Sprint(n)
		}
		return fmt.Sprintf("%dMi", n)
	}
	worker.Name, worker.Alone = fmt.Sprintf("eviction-%s-%s", kind, signal), true
	worker.KubeletConfig = map[string]any{
		// None of these is crossed. Each would be as a threshold of inodes.
		"evictionHard": map[string]any{
			memory: "1Gi", "nodefs.available": unused, "imagefs.available": "1Gi",
		},
		"evictionSoft":            map[string]any{signal: quantity(free - 40*one), memory: "1Gi"},
		"evictionSoftGracePeriod": map[string]any{signal: "25s", memory: "0s"},
		"evictionMinimumReclaim":  map[string]any{signal: quantity(28 * one)},
		// Without limits for pods, thresholds count all the same.
		"localStorageCapacityIsolation": !imageDisk,
	}
	ended := storing(fixtures.LayerDir, 45, fillAfter)
	ended.ExitAfter = []time.Duration{2 * fillAfter}
	const late = 60 * time.Second // when the dead container is collected
	last := trial.Filled.Of(storesVolume)
	return trial.Trial{
		ID: fmt.Sprintf("eviction/%s-%s", kind, strings.ToLower(strings.ReplaceAll(signal, ".", "-"))),
		About: fmt.Sprintf("%s, %s first collects dead containers. Then it evicts the pods that store most in %s, "+
			"until the minimum is reclaimed. No threshold replaces that of another signal, and a soft one may have no "+
			"grace period.", where, signal, counted),
		Pod: fixtures.With(fixtures.Pod(8, fixtures.Victim(storing(fixtures.LayerDir, 15, late)),
			fixtures.Named(beside, storing(fixtures.DataDir, 25, late))), fixtures.EmptyDir("")),
		Companions: []*corev1.Pod{
			companion(storesLayer, fixtures.Pod(8, fixtures.Named(storesLayer, storing(fixtures.LayerDir, 30, late)))),
			companion(storesVolume, fixtures.With(fixtures.Pod(8,
				fixtures.Named(storesVolume, storing(fixtures.DataDir, 20, late+time.Second))), fixtures.EmptyDir(""))),
			companion(done, fixtures.With(fixtures.Pod(8, fixtures.Named(done, ended)),
				fixtures.RestartPolicy(corev1.RestartPolicyNever))),
		},
		Worker:    &worker,
		FillsNode: true,
		Nightly:   true,
		KillCause: formula.BySoftEviction,
		Lasts:     115 * time.Second,
		Claims: slices.Concat([]trial.Claim{
			claims.Between(last, trial.SIGTERM.Of(order[0]), formula.SoftEvictionFound, formula.SoftGraceIgnored),
			next(trial.Gone.Of(order[0]), trial.SIGTERM.Of(order[1])),
			claims.New(trial.Ended(order[2], trial.Gone.Of(order[1]), 12*time.Second), formula.NotEvicted),
		}, evictedWithoutGrace(), evictedForGood),
	}
}
