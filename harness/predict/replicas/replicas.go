// Package replicas counts: how many pods a controller replaces at a time, and how many a PodDisruptionBudget lets go.
package replicas

import (
	"github.com/podclock/podclock/harness/predict/manifest"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Range is a number of pods between two bounds, both included.
type Range struct{ Least, Most int }

// Of returns how many pods an object's controller keeps, nil if that is not known. An autoscaler sets it.
func Of(o manifest.Object, autoscalers []manifest.Autoscaler) *Range {
	if o.Controller == nil || o.Controller.PerNode {
		return nil
	}
	for _, a := range autoscalers {
		if a.Scales(o.Namespace, o.Kind, o.Name) {
			return &Range{int(a.Min), int(max(a.Min, a.Max))}
		}
	}
	return &Range{int(o.Controller.Replicas), int(o.Controller.Replicas)}
}

// UnavailableOfStatefulSets is the change with which a StatefulSet obeys maxUnavailable.
var UnavailableOfStatefulSets = formula.Change{
	Name:      "a StatefulSet replaces maxUnavailable pods at a time",
	Reference: "KEP-961",
	Since:     "v1.37.0",
	Gate:      "MaxUnavailableStatefulSet",
}

// AtOnce returns how many of some pods a rolling update replaces at a time, from 1 to all of them, while all others are
// available. The control plane has the kubelet's version.
func AtOnce(c *manifest.Controller, pods int, k formula.Kubelet) int {
	n := 1
	switch {
	case !c.Ordered:
		// Up to maxSurge new pods come before old ones go, and maxUnavailable more replace old ones that go first
		// (pkg/controller/deployment/rolling.go; util/deployment_util.go NewRSNewReplicas, ResolveFenceposts).
		n = manifest.Scaled(c.MaxSurge, pods, true) + manifest.Scaled(c.MaxUnavailable, pods, false)
	case k.Has(UnavailableOfStatefulSets):
		// pkg/controller/statefulset/stateful_set_utils.go getStatefulSetMaxUnavailable
		n = manifest.Scaled(c.MaxUnavailable, pods, false)
	}
	return max(1, min(n, pods))
}

// Batches returns how many batches of some pods there are.
func Batches(pods, atOnce int) int { return (pods + atOnce - 1) / atOnce }
