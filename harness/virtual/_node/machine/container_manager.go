package machine

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/kubernetes/pkg/kubelet/cm"
)

// ContainerManager returns a manager without system reservations. Its cgroups are those of pods, and limit nothing.
func (m *Machine) ContainerManager() cm.ContainerManager {
	return &sharing{ContainerManager: cm.NewStubContainerManager(), machine: m}
}

type sharing struct {
	cm.ContainerManager
	machine *Machine
}

func (s *sharing) capacity(localStorage bool) corev1.ResourceList {
	capacity := corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewQuantity(cores, resource.DecimalSI),
		corev1.ResourceMemory: *resource.NewQuantity(memoryBytes, resource.BinarySI),
	}
	if localStorage {
		capacity[corev1.ResourceEphemeralStorage] = *resource.NewQuantity(s.machine.storage(), resource.BinarySI)
	}
	return capacity
}

func (s *sharing) GetNodeAllocatableAbsolute() corev1.ResourceList { return s.capacity(true) }

func (s *sharing) GetPodCgroupRoot() string { return podsCgroup }

func (m *Machine) storage() int64 {
	if m.bounded() {
		return m.options.NodeFSBytes
	}
	return diskBytes
}
