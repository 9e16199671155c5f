package judge

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// deadlineBeforeStart applies if a pod's deadline was over before the life began that it was meant to kill, and not a
// moment sooner did the pod fail. On a busy node, pods take long to start and to restart.
func deadlineBeforeStart(c *trialCase) string {
	seconds := c.trial.Pod.Spec.ActiveDeadlineSeconds
	accepted, failed := trial.PodStartTime.In(c.timeline), trial.Phase(string(corev1.PodFailed)).In(c.timeline)
	if c.trial.KillCause != formula.ByDeadline || seconds == nil || accepted == nil || failed == nil {
		return ""
	}
	over := accepted.At + *seconds*int64(time.Second)
	late := c.unstarted(over)
	if late == "" || failed.At < over {
		return ""
	}
	return fmt.Sprintf("activeDeadlineSeconds, %d, were over before %s started", *seconds, late)
}

// unstarted returns what had not started at a moment: the pod, whose first container it names, or a second life of
// which a claim wants the kill, if the first crash was so late that it need not have been restarted.
func (c *trialCase) unstarted(at int64) string {
	started := func(k corev1.Container) bool { return trial.Started.Of(k.Name).In(c.timeline) != nil }
	if !slices.ContainsFunc(c.trial.Pod.Spec.Containers, started) {
		return c.trial.Pod.Spec.Containers[0].Name
	}
	for _, claim := range c.trial.Claims {
		killed := claim.Measure.To
		if killed.Event != trial.SIGTERM.Event || killed.LifeNumber != 2 {
			continue
		}
		crash := trial.Gone.Of(killed.Container).In(c.timeline)
		if crash == nil || trial.Started.Of(killed.Container).Life(2).In(c.timeline) != nil {
			continue
		}
		restart := formula.FirstCrash.Implemented(formula.Input{Kubelet: c.kubelet}).Latest
		if at <= crash.At+restart+int64(c.delays.Total(crash.At, at)) {
			return "life 2 of " + killed.Container
		}
	}
	return ""
}
