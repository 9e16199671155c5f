package podspec

import (
	corev1 "k8s.io/api/core/v1"
)

// IsSidecar reports whether a container is one of the pod's restartable init containers.
func IsSidecar(p *corev1.Pod, name string) bool {
	for i := range p.Spec.InitContainers {
		if c := &p.Spec.InitContainers[i]; c.Name == name {
			return restartable(c)
		}
	}
	return false
}

func restartable(c *corev1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
}

// WaitsFor returns the containers whose death a sidecar waits for: first all main containers, then the later
// sidecars.
func WaitsFor(p *corev1.Pod, name string) []string {
	var names []string
	for i := range p.Spec.Containers {
		names = append(names, p.Spec.Containers[i].Name)
	}
	for i := len(p.Spec.InitContainers) - 1; i >= 0 && p.Spec.InitContainers[i].Name != name; i-- {
		if c := &p.Spec.InitContainers[i]; restartable(c) {
			names = append(names, c.Name)
		}
	}
	return names
}
