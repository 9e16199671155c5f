package trial

import (
	"github.com/podclock/podclock/harness/formula"
	"github.com/podclock/podclock/harness/timeline"
)

// Missing names the first point that no claim of the trial has yet; empty when everything that the claims
// measure is there.
func Missing(t Trial, tl *timeline.Timeline, k formula.Kubelet) string {
	for _, c := range t.Claims {
		if c.Lacks(k) != "" {
			continue
		}
		if m, missing := c.Measure.Read(tl); m == nil {
			return missing
		}
	}
	return ""
}
