package formula

import (
	"slices"
	"time"
)

// Mistakes of the restart formulas.
var (
	// NoBackOff restarts at once.
	NoBackOff = mistake("no back-off: every restart is as quick as the first", "kuberuntime_manager.go doBackOff",
		func(in Input) Window { return in.waits(0) })
	// FirstBackedOff backs off the first restart.
	FirstBackedOff = mistake("the first restart is backed off, so that each waits what the next one should",
		"kubernetes#133472", func(in Input) Window { return in.restarts(in.Kubelet.Growth().After) })
	// NeverForgotten lets the back-off grow on after a long life.
	NeverForgotten = mistake("the back-off is not forgotten after ten minutes", "kubelet.go HasExpiredFunc",
		func(in Input) Window {
			b := time.Duration(0)
			for n := 1; n < in.Life-1; n++ {
				b = in.Kubelet.Growth().After(b)
			}
			return in.waits(b)
		})
	// AlwaysForgotten treats every back-off as expired.
	AlwaysForgotten = mistake("the back-off never grows: each restart but the first waits its first value",
		"client-go util/flowcontrol/backoff.go Next",
		func(in Input) Window { return in.waits(in.Kubelet.Growth().Initial) })
	// PollsBackOff syncs a waiting pod every ten to fifteen seconds, as up to 1.34.
	PollsBackOff = mistake("a pod in back-off is synced every ten to fifteen seconds", "kubernetes#123602",
		func(in Input) Window {
			k := in
			k.Kubelet.Gates, k.Kubelet.Version = nil, "v1.34.0"
			life := max(1, in.Life-1)
			var windows []Window
			for _, b := range in.backOffs(life) {
				windows = append(windows, k.waits(max(b, backOffPeriod)))
			}
			return EitherOf(windows...)
		})
	// LooksWithoutBound syncs a waiting pod up to half of its back-off late.
	LooksWithoutBound = distorted(
		"a pod in back-off may be synced up to half of the back-off late, however long that is",
		"pod_workers.go completeWork",
		func(in Input) Input {
			in.Kubelet.SyncFrequency = 24 * time.Hour
			return in
		})
	// CountsThisKill counts the instance that a probe just killed, as documented.
	CountsThisKill = mistake("every kill by a probe waits for the back-off of its own", "kubernetes#22240",
		func(in Input) Window {
			b, _ := in.documentedBackOff(max(1, in.Life-1))
			return in.slowly(in.waits(b))
		})
	// KeepsCollected keeps the instance that a back-off counts from.
	KeepsCollected = mistake("a created container does not count as dead, so the garbage collection keeps the dead one",
		"kuberuntime_gc.go evictableContainers",
		func(in Input) Window { return in.slowly(in.collecting(false).restarts(itself)) })
	// PullsWithoutGrowth waits the first value each time.
	PullsWithoutGrowth = distorted("the pull's back-off does not grow", "image_manager.go EnsureImageExists",
		func(in Input) Input {
			in.Attempt = min(in.Attempt, 2)
			return in
		})
	// KeepsBackOff keeps waiting.
	KeepsBackOff = mistake("the back-off survives the restart of the kubelet, or the change of the image",
		"kuberuntime/helpers.go GetBackoffKey", func(in Input) Window {
			waited := Range{}
			for _, fault := range slices.Concat(in.Restarts, in.Changes) {
				if ended := in.life(in.Life - 1).Gone; ended != 0 && fault > ended {
					waited = Range{Low: fault - ended, High: fault - ended + kubeletStop}
				}
			}
			in.Restarts, in.Changes = nil, nil
			return in.restarts(itself).With(between("waited before", -waited.High, -waited.Low))
		})
)
