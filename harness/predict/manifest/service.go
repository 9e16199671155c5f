package manifest

import (
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Service is a Service that routes connections to the pods that it selects: one with a selector and an address.
type Service struct {
	Namespace, Name string
	// PublishNotReady keeps a pod's endpoints ready until its object is gone (publishNotReadyAddresses).
	PublishNotReady bool

	selector labels.Selector
	targets  []intstr.IntOrString
}

// Targets reports whether a port of the Service leads to a container's. Containers may leave out their ports, so one
// without ports can be any target.
func (s Service) Targets(c *corev1.Container) bool {
	return len(c.Ports) == 0 || slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool {
		return slices.ContainsFunc(s.targets, func(target intstr.IntOrString) bool {
			if target.Type == intstr.String {
				return target.StrVal == p.Name
			}
			return target.IntVal == p.ContainerPort
		})
	})
}

// ServicesOf returns those that select an object's pods. Of several with one name, the last counts.
func (m Manifest) ServicesOf(o Object) (all []Service) {
	for i, s := range m.Services {
		same := func(other Service) bool { return other.Namespace == s.Namespace && other.Name == s.Name }
		if s.Namespace == o.Namespace && s.selector.Matches(labels.Set(o.Pod.Labels)) &&
			!slices.ContainsFunc(m.Services[i+1:], same) {
			all = append(all, s)
		}
	}
	return all
}

// service keeps an object that is a Service. One that cannot be read stops no answer, as it makes no pods. Clients of a
// headless Service choose pods by DNS, so no proxy routes them.
func (r *reading) service(kind schema.GroupVersionKind, text []byte) {
	var s corev1.Service
	if kind != corev1.SchemeGroupVersion.WithKind("Service") || json.Unmarshal(text, &s) != nil ||
		len(s.Spec.Selector) == 0 || s.Spec.ClusterIP == corev1.ClusterIPNone ||
		s.Spec.Type == corev1.ServiceTypeExternalName {
		return
	}
	found := Service{
		Namespace: s.Namespace, Name: s.Name, PublishNotReady: s.Spec.PublishNotReadyAddresses,
		selector: labels.SelectorFromSet(s.Spec.Selector),
	}
	for _, p := range s.Spec.Ports { // pkg/apis/core/v1/defaults.go SetDefaults_Service
		if p.TargetPort == (intstr.IntOrString{}) || p.TargetPort.Type == intstr.String && p.TargetPort.StrVal == "" {
			p.TargetPort = intstr.FromInt32(p.Port)
		}
		found.targets = append(found.targets, p.TargetPort)
	}
	r.found.Services = append(r.found.Services, found)
}
