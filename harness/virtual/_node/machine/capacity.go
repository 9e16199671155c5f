package machine

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/kubernetes/pkg/kubelet/cm"
)

// ContainerManager returns the manager by which one kubelet shares the machine among pods. It reserves nothing for
// the system, and makes no cgroups.
func (m *Machine) ContainerManager() cm.ContainerManager {
	return &sharing{ContainerManager: cm.NewStubContainerManager(), machine: m}
}

type sharing struct {
	cm.ContainerManager
	machine *Machine
}

func (s *sharing) GetCapacity(localStorageCapacityIsolation bool) corev1.ResourceList {
	capacity := corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewQuantity(cores, resource.DecimalSI),
		corev1.ResourceMemory: *resource.NewQuantity(memoryBytes, resource.BinarySI),
	}
	if localStorageCapacityIsolation {
		capacity[corev1.ResourceEphemeralStorage] = *resource.NewQuantity(s.machine.storage(), resource.BinarySI)
	}
	return capacity
}

func (s *sharing) GetNodeAllocatableAbsolute() corev1.ResourceList { return s.GetCapacity(true) }

func (s *sharing) GetPodCgroupRoot() string { return podsCgroup }

// storage returns the size of the file system for pods' ephemeral storage, in bytes.
func (m *Machine) storage() int64 {
	if m.bounded() {
		return m.options.NodeFSBytes
	}
	return diskBytes
}
