package runner

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/measure/victim"
)

// External is what a pod needs on a node that podclock did not make.
type External struct {
	// Recorder is the address of the node's recorder.
	Recorder string
	// Owner is deleted if podclock dies, and the trial's objects with it.
	Owner metav1.OwnerReference
	// PriorityClass is the lowest one, or empty.
	PriorityClass string
	// PullSecrets are for podclock's images.
	PullSecrets []corev1.LocalObjectReference
}

// A victim's requests and limits. It has up to four processes of 10 MB.
var (
	requests = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("10m"), corev1.ResourceMemory: resource.MustParse("16Mi"),
	}
	limits = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("1"), corev1.ResourceMemory: resource.MustParse("128Mi"),
	}
)

// settle changes a pod that is about to be created.
func (g External) settle(pod *corev1.Pod) {
	pod.Spec.PriorityClassName = cmp.Or(pod.Spec.PriorityClassName, g.PriorityClass)
	pod.Spec.ImagePullSecrets = g.PullSecrets
	for _, list := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range list {
			c := &list[i]
			for j := range c.Env {
				if c.Env[j].Name == victim.EnvRecorder {
					c.Env[j] = corev1.EnvVar{Name: victim.EnvRecorder, Value: g.Recorder}
				}
			}
			Bound(&c.Resources)
		}
	}
}

// Bound adds a request and a limit for each resource without one.
func Bound(r *corev1.ResourceRequirements) {
	for name, request := range requests {
		limit, limited := r.Limits[name]
		own, requested := r.Requests[name]
		if !requested {
			if own = request; limited && limit.Cmp(own) < 0 {
				own = limit
			}
			r.Requests = with(r.Requests, name, own)
		}
		if !limited {
			if limit = limits[name]; limit.Cmp(own) < 0 {
				limit = own
			}
			r.Limits = with(r.Limits, name, limit)
		}
	}
}

func with(l corev1.ResourceList, name corev1.ResourceName, q resource.Quantity) corev1.ResourceList {
	if l == nil {
		l = corev1.ResourceList{}
	}
	l[name] = q
	return l
}
