package judge

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/trial"
)

// secondCauseFirst applies if the second cause fired before the kill that it was meant to interrupt. The trial can't
// choose when the kubelet evicts.
func secondCauseFirst(c *trialCase) string {
	for _, claim := range c.trial.Claims {
		if claim.KillCause == "" || claim.KillCause == c.trial.KillCause || !claim.Measure.From.IsEvent() {
			continue
		}
		second, first := claim.Measure.From.In(c.timeline), trial.SIGTERM.In(c.timeline)
		if second != nil && first != nil && second.At < first.At {
			early := time.Duration(first.At - second.At).Round(time.Millisecond)
			return fmt.Sprintf("%s came %v before the kill that it was meant to interrupt", claim.Measure.From, early)
		}
	}
	return ""
}

// deadlineBeforeStart applies if a pod's deadline was over before the container started that it was meant to kill, and
// not a moment sooner did the pod fail.
func deadlineBeforeStart(c *trialCase) string {
	seconds := c.trial.Pod.Spec.ActiveDeadlineSeconds
	if c.trial.KillCause != formula.ByDeadline || seconds == nil || trial.Started.In(c.timeline) != nil {
		return ""
	}
	accepted, failed := trial.PodStartTime.In(c.timeline), trial.Phase(string(corev1.PodFailed)).In(c.timeline)
	if accepted == nil || failed == nil || failed.At < accepted.At+*seconds*int64(time.Second) {
		return ""
	}
	return fmt.Sprintf("activeDeadlineSeconds, %d, were over before %s started", *seconds, trial.Main)
}
