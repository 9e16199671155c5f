package judge

import "fmt"

// unknownVersion applies if no Kubernetes has the kubelet's version, so no formula applies.
func unknownVersion(c *trialCase) string {
	if c.kubelet.Valid() {
		return ""
	}
	return fmt.Sprintf("%q: no such version of Kubernetes", c.kubelet.Version)
}
