package existing

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/trial"
	"github.com/podclock/podclock/harness/victim"
)

// Unsupported returns why a trial can't run in this cluster, or "".
func (c *Cluster) Unsupported(t trial.Trial) string {
	switch {
	case t.Worker != nil:
		return "it configures, restarts, taints or fills a node, and this node is not podclock's"
	case t.Static:
		return "it puts a file on the node, and this node is not podclock's"
	case pulls(t):
		return "it needs a registry on the node that refuses pulls"
	case !unprivileged(t) && !slices.Contains(c.allow, RawSockets):
		return "counting TCP probes needs root with CAP_NET_RAW: --allow=" + string(RawSockets) + " enables it"
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
	if slices.Contains(c.allow, RawSockets) {
		return "baseline"
	}
	return "restricted"
}

func podsOf(t trial.Trial) []*corev1.Pod { return append([]*corev1.Pod{t.Pod}, t.Companions...) }

func unprivileged(t trial.Trial) bool {
	return !slices.ContainsFunc(podsOf(t), func(p *corev1.Pod) bool { return !fixtures.Restricted(p) })
}

func pulls(t trial.Trial) bool {
	for _, p := range podsOf(t) {
		for _, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
			if c.Image == victim.UnpullableImage {
				return true
			}
		}
	}
	return false
}
