package judge

import (
	"fmt"
	"strings"
)

// assumedConfiguration applies to a miss that the kubelet's configuration could explain, if nobody could read it: the
// window depends on a field, or holds the value with a feature gate the other way.
func assumedConfiguration(c *claimCase) (why string, applies bool) {
	if fields := c.finding.Assumes; len(fields) > 0 {
		miss := "it never came"
		if c.finding.Measured != nil {
			miss = c.measured() + " is outside"
		}
		return fmt.Sprintf("%s, but the window assumes the release's %s, which could not be read", miss,
			strings.Join(fields, " and ")), true
	}
	if c.finding.Measured == nil {
		return "", false
	}
	for _, change := range c.claim.Formula.Gated(c.input) {
		other := c.input
		other.Kubelet, _ = other.Kubelet.Neighbour(change)
		if c.finding.Measured.Widen(c.claim.Formula.Implemented(other)).Contains(c.finding.Measured.Value) {
			return fmt.Sprintf("%s is as if the feature gate %s were the other way, which could not be read",
				c.measured(), change.Gate), true
		}
	}
	return "", false
}
