//go:build !kubelet1_37

package machine

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/podclock/podclock/harness/virtual/_node/cadvisor"
)

func (c *measuring) MachineInfo() (*cadvisor.MachineInfo, error) { return machineInfo(), nil }

func (s *sharing) GetCapacity(localStorage bool) corev1.ResourceList { return s.capacity(localStorage) }
