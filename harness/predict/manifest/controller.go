package manifest

import (
	"cmp"
	"math"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Controller is how many pods a Deployment, StatefulSet, DaemonSet, ReplicaSet or ReplicationController keeps, and how
// it replaces them when its template changes. The API's defaults are filled in (pkg/apis/apps/v1/defaults.go,
// pkg/apis/core/v1/defaults.go).
type Controller struct {
	// Replicas is 0 for a DaemonSet. Given is set if the manifest has the field.
	Replicas int32
	Given    bool
	// PerNode is set for a DaemonSet.
	PerNode bool
	// Strategy is RollingUpdate, Recreate or OnDelete. It is empty if the controller replaces no pods.
	Strategy string
	// MaxSurge and MaxUnavailable are those of a rolling update.
	MaxSurge, MaxUnavailable intstr.IntOrString
	// Ordered is set for a StatefulSet. Parallel and Partition are its own.
	Ordered, Parallel bool
	Partition         int32
	MinReadySeconds   int32
	// ProgressDeadlineSeconds is a Deployment's, nil for no deadline.
	ProgressDeadlineSeconds *int32
	// Paused is set for a Deployment that replaces no pods now.
	Paused bool

	strategyField string
	// whether the fields of a rolling update are given
	rolling bool
}

// The strategies of controllers.
const (
	RollingUpdate = string(appsv1.RollingUpdateDeploymentStrategyType)
	Recreate      = string(appsv1.RecreateDeploymentStrategyType)
	OnDelete      = string(appsv1.OnDeleteStatefulSetStrategyType)
)

// The API server's defaults of a Deployment.
const (
	defaultProgressDeadline = 600
	defaultShare            = "25%"
)

// controllerOf returns nil for an object that is no controller of pods, or whose version Kubernetes 1.16 removed.
func controllerOf(object runtime.Object) *Controller {
	replicas := func(n *int32) (int32, bool) {
		if n == nil {
			return 1, false
		}
		return *n, true
	}
	or := func(value *intstr.IntOrString, usual intstr.IntOrString) intstr.IntOrString {
		return *cmp.Or(value, &usual)
	}
	c := &Controller{}
	switch o := object.(type) {
	case *corev1.ReplicationController:
		c.Replicas, c.Given = replicas(o.Spec.Replicas)
		c.MinReadySeconds = o.Spec.MinReadySeconds
	case *appsv1.ReplicaSet:
		c.Replicas, c.Given = replicas(o.Spec.Replicas)
		c.MinReadySeconds = o.Spec.MinReadySeconds
	case *appsv1.Deployment:
		c.Replicas, c.Given = replicas(o.Spec.Replicas)
		c.MinReadySeconds, c.Paused, c.strategyField = o.Spec.MinReadySeconds, o.Spec.Paused, "strategy"
		c.ProgressDeadlineSeconds = cmp.Or(o.Spec.ProgressDeadlineSeconds, new(int32(defaultProgressDeadline)))
		if *c.ProgressDeadlineSeconds == math.MaxInt32 { // deployment_util.go HasProgressDeadline
			c.ProgressDeadlineSeconds = nil
		}
		c.Strategy = cmp.Or(string(o.Spec.Strategy.Type), RollingUpdate)
		c.rolling = o.Spec.Strategy.RollingUpdate != nil
		rolling := cmp.Or(o.Spec.Strategy.RollingUpdate, &appsv1.RollingUpdateDeployment{})
		c.MaxSurge = or(rolling.MaxSurge, intstr.FromString(defaultShare))
		c.MaxUnavailable = or(rolling.MaxUnavailable, intstr.FromString(defaultShare))
	case *appsv1.StatefulSet:
		c.Replicas, c.Given = replicas(o.Spec.Replicas)
		c.MinReadySeconds, c.Ordered, c.strategyField = o.Spec.MinReadySeconds, true, "updateStrategy"
		c.Parallel = o.Spec.PodManagementPolicy == appsv1.ParallelPodManagement
		c.Strategy = cmp.Or(string(o.Spec.UpdateStrategy.Type), RollingUpdate)
		c.rolling = o.Spec.UpdateStrategy.RollingUpdate != nil
		rolling := cmp.Or(o.Spec.UpdateStrategy.RollingUpdate, &appsv1.RollingUpdateStatefulSetStrategy{})
		c.Partition = *cmp.Or(rolling.Partition, new(int32))
		c.MaxUnavailable = or(rolling.MaxUnavailable, intstr.FromInt32(1))
	case *appsv1.DaemonSet:
		c.PerNode, c.MinReadySeconds, c.strategyField = true, o.Spec.MinReadySeconds, "updateStrategy"
		c.Strategy = cmp.Or(string(o.Spec.UpdateStrategy.Type), RollingUpdate)
		rolling := cmp.Or(o.Spec.UpdateStrategy.RollingUpdate, &appsv1.RollingUpdateDaemonSet{})
		c.MaxSurge = or(rolling.MaxSurge, intstr.FromInt32(0))
		c.MaxUnavailable = or(rolling.MaxUnavailable, intstr.FromInt32(1))
	default:
		return nil
	}
	return c
}

// controller validates the fields of a controller (pkg/apis/apps/validation/validation.go ValidateDeploymentSpec,
// ValidateStatefulSetSpec, ValidateDaemonSetSpec and what they call).
func (v *validator) controller(c *Controller) {
	if c == nil {
		return
	}
	spec := field.NewPath("spec")
	v.nonnegative(int64(c.Replicas), spec.Child("replicas"))
	v.nonnegative(int64(c.MinReadySeconds), spec.Child("minReadySeconds"))
	if d := c.ProgressDeadlineSeconds; d != nil {
		v.nonnegative(int64(*d), spec.Child("progressDeadlineSeconds"))
		if *d <= c.MinReadySeconds {
			v.invalid(spec.Child("progressDeadlineSeconds"), *d, "must be greater than minReadySeconds")
		}
	}
	if c.Strategy == "" {
		return
	}
	path := spec.Child(c.strategyField)
	other := OnDelete
	if !c.Ordered && !c.PerNode {
		other = Recreate
	}
	oneOf(v, path.Child("type"), c.Strategy, RollingUpdate, other)
	path = path.Child("rollingUpdate")
	if c.Strategy != RollingUpdate {
		if c.rolling {
			v.add(field.Forbidden(path, "may not be specified when the type is "+c.Strategy))
		}
		return
	}
	v.nonnegative(int64(c.Partition), path.Child("partition"))
	surge, unavailable := path.Child("maxSurge"), path.Child("maxUnavailable")
	v.share(c.MaxUnavailable, unavailable, true)
	v.share(c.MaxSurge, surge, c.PerNode)
	none := func(s intstr.IntOrString) bool { return Scaled(s, 100, true) == 0 }
	switch {
	case c.Ordered && none(c.MaxUnavailable):
		v.invalid(unavailable, c.MaxUnavailable, "cannot be 0")
	case !c.Ordered && none(c.MaxUnavailable) && none(c.MaxSurge):
		v.invalid(unavailable, c.MaxUnavailable, "may not be 0 when `maxSurge` is 0")
	case c.PerNode && !none(c.MaxUnavailable) && !none(c.MaxSurge):
		v.invalid(surge, c.MaxSurge, "may not be set when maxUnavailable is non-zero")
	}
}

// share validates a number of pods or a percentage, of at most 100 % if it is limited (ValidatePositiveIntOrPercent,
// IsNotMoreThan100Percent).
func (v *validator) share(s intstr.IntOrString, path *field.Path, limited bool) {
	if s.Type == intstr.Int {
		v.nonnegative(int64(s.IntVal), path)
		return
	}
	v.invalid(path, s, validation.IsValidPercent(s.StrVal)...)
	if limited && Scaled(s, 100, true) > 100 {
		v.invalid(path, s, "must not be greater than 100%")
	}
}

// Scaled returns a number of pods, or a percentage of all pods, rounded up or down. It is 0 for what an API server
// refuses.
func Scaled(s intstr.IntOrString, all int, up bool) int {
	n, err := intstr.GetScaledValueFromIntOrPercent(&s, all, up)
	if err != nil {
		return 0
	}
	return n
}
