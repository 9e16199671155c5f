package manifest

import (
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Budget is a PodDisruptionBudget of policy/v1.
type Budget struct {
	Namespace, Name string
	// Of MinAvailable and MaxUnavailable at most one is set.
	MinAvailable, MaxUnavailable *intstr.IntOrString
	// AlwaysAllow is set if it allows every eviction of a pod that is not ready.
	AlwaysAllow bool

	selector labels.Selector
}

// Selects reports whether pods of a namespace with these labels are the budget's. A missing selector selects none, an
// empty one all of the namespace (pkg/registry/core/pod/storage/eviction.go getPodDisruptionBudgets).
func (b Budget) Selects(namespace string, pods labels.Set) bool {
	return b.Namespace == namespace && b.selector.Matches(pods)
}

// Autoscaler is a HorizontalPodAutoscaler, which sets the replicas of its target.
type Autoscaler struct {
	Namespace, Name string
	// Kind and Target name what it scales.
	Kind, Target string
	// Min and Max bound the replicas.
	Min, Max int32
}

// Scales reports whether the autoscaler sets the replicas of an object.
func (a Autoscaler) Scales(namespace, kind, name string) bool {
	return a.Namespace == namespace && a.Kind == kind && a.Target == name
}
