package external

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/measure/trial"
	"github.com/podclock/podclock/harness/measure/victim"
)

// Unsupported returns why a trial can't run in this cluster, or "".
func (c *Cluster) Unsupported(t trial.Trial) string {
	switch {
	case t.Static:
		return "it puts a file on the node, and this node is not podclock's"
	case t.Service != nil:
		return "it needs a kube-proxy whose mode is known, and this cluster may route Services otherwise"
	case needsOwnNode(t):
		return "it configures or restarts the kubelet, and this node is not podclock's"
	case t.Pod.Spec.HostNetwork:
		return "its pod has its node's network, which no Pod Security Standard of podclock's pods allows"
	case pulls(t):
		return "it needs a registry on the node that refuses pulls"
	}
	for _, h := range HarmsOf(t) {
		if !slices.Contains(c.Allow, h) {
			return "it " + h.Does() + ": --allow=" + string(h) + " enables that"
		}
	}
	for _, r := range c.Refused {
		if r.costs != nil && r.costs(t) {
			return "the user may not " + r.String()
		}
	}
	return ""
}

// Security returns the Pod Security Standard that podclock's pods satisfy.
func (c *Cluster) Security() string {
	if slices.Contains(c.Allow, RawSockets) {
		return "baseline"
	}
	return "restricted"
}

func pulls(t trial.Trial) bool {
	return slices.ContainsFunc(containersOf(t), func(c corev1.Container) bool {
		return c.Image == victim.UnpullableImage || c.Image == victim.SlowImage
	})
}
