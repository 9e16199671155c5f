//go:build kubelet1_35 && !kubelet1_36

package machine

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/kubelet/cm"
)

func configOf(pod *corev1.Pod) *cm.ResourceConfig {
	return cm.ResourceConfigForPod(pod, true, cgroupPeriod, false)
}
