//go:build kubelet1_35

package machine

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/cm"
)

func (p *podCgroups) EnsureExists(_ klog.Logger, pod *corev1.Pod) error {
	return p.create(pod, configOf(pod))
}

func (p *podCgroups) SetPodCgroupConfig(_ klog.Logger, pod *corev1.Pod, config *cm.ResourceConfig) error {
	return p.change(pod, config)
}
