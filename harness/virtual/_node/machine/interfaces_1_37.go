//go:build kubelet1_37

package machine

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/podclock/podclock/harness/virtual/_node/cadvisor"
)

func (c *measuring) MachineInfo(klog.Logger) (*cadvisor.MachineInfo, error) {
	return machineInfo(), nil
}

func (s *sharing) GetCapacity(_ klog.Logger, localStorage bool) corev1.ResourceList {
	return s.capacity(localStorage)
}
