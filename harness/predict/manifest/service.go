package manifest

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
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
