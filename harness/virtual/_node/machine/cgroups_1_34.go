//go:build kubelet1_33 && !kubelet1_35

package machine

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm"
)

func (p *podCgroups) EnsureExists(pod *corev1.Pod) error {
	return p.create(pod, cm.ResourceConfigForPod(pod, true, cgroupPeriod, false))
}

func (p *podCgroups) SetPodCgroupConfig(pod *corev1.Pod, config *cm.ResourceConfig) error {
	return p.change(pod, config)
}
