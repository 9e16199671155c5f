package judge

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/rules/formula"
)

// deadlineBeforeStart applies if a pod's deadline was over before the container started that it was meant to kill, and
// not a moment sooner did the pod fail.
func deadlineBeforeStart(c *trialCase) string {
	started := func(k corev1.Container) bool { return trial.Started.Of(k.Name).In(c.timeline) != nil }
	if c.trial.KillCause != formula.ByDeadline || slices.ContainsFunc(c.trial.Pod.Spec.Containers, started) {
		return ""
	}
	seconds := c.trial.Pod.Spec.ActiveDeadlineSeconds
	accepted, failed := trial.PodStartTime.In(c.timeline), trial.Phase(string(corev1.PodFailed)).In(c.timeline)
	if seconds == nil || accepted == nil || failed == nil || failed.At < accepted.At+*seconds*int64(time.Second) {
		return ""
	}
	return fmt.Sprintf("activeDeadlineSeconds, %d, were over before %s started", *seconds,
		c.trial.Pod.Spec.Containers[0].Name)
}
