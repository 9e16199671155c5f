package judge

import (
	"fmt"
	"time"

	"github.com/podclock/podclock/harness/measure/trial"
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
