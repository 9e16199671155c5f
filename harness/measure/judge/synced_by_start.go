package judge

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// syncedByStart applies if a sync of a neighbour's start came after the initial delay: that sync caused the probe out
// of turn, which another one was meant to cause.
func syncedByStart(c *trialCase) string {
	main, sync := trial.Started.In(c.timeline), formula.SyncOfStart(c.kubelet)
	containers := c.trial.Pod.Spec.Containers
	for _, claim := range c.trial.Claims {
		probe := claim.Measure.To.In(c.timeline)
		probed := slices.IndexFunc(containers, func(v corev1.Container) bool {
			return v.Name == trial.Main && v.ReadinessProbe != nil
		})
		if claim.Formula.ID != formula.OutOfTurn.ID || probe == nil || probed < 0 || main == nil {
			continue
		}
		if end := claim.Measure.From.In(c.timeline); end != nil && end.At <= probe.At {
			continue // that end may have caused it, as it should
		}
		// StartedAt has whole seconds, so the initial delay may seem to end up to a second early (prober/worker.go
		// doProbe).
		since := main.At - int64(c.delays.OfStart(main.At))
		initialDelay := time.Duration(containers[probed].ReadinessProbe.InitialDelaySeconds-1) * time.Second
		if probe.At-since < int64(initialDelay) {
			continue
		}
		for _, neighbour := range containers {
			started := trial.Started.Of(neighbour.Name).In(c.timeline)
			if neighbour.Name != trial.Main && started != nil && c.synced(sync, started.At, probe.At) {
				return fmt.Sprintf("%s started %v after %s, and its start synced the pod after the initial delay",
					neighbour.Name, time.Duration(started.At-main.At).Round(time.Millisecond), trial.Main)
			}
		}
	}
	return ""
}

// synced reports whether what a sync of a start causes may have come at an instant.
func (c *trialCase) synced(sync formula.Window, started, at int64) bool {
	late := max(0, c.delays.Likely(started, at, longestWork(sync)))
	after := at - started
	return after >= sync.Earliest-int64(c.delays.OfStart(started)) && after-int64(late) <= sync.Latest
}
