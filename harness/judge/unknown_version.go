package judge

import "fmt"

// unknownVersion applies if the kubelet's version is no version of Kubernetes, so no formula applies to it.
func unknownVersion(c *trialCase) string {
	if c.kubelet.Valid() {
		return ""
	}
	return fmt.Sprintf("%q: no such version of Kubernetes", c.kubelet.Version)
}
