// Package machine is a virtual node's machine: its size, the data on its disks, and each container's memory and
// disk usage. Victims' files in volumes exist on the host's disk, because the kubelet walks volumes itself; the
// rest is simulated.
//
// A machine outlives its kubelets.
package machine

import (
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/kubernetes/pkg/kubelet/cm"

	"github.com/podclock/podclock/harness/virtual/_node/cri"
)

// Options describe a machine.
type Options struct {
	// Root is the host's folder for the kubelet's root directory.
	Root string
	// NodeFSBytes and NodeFSInodes size Root's file system. 0 is one that is never full and also holds the images.
	NodeFSBytes, NodeFSInodes int64
	Containers                func() []cri.Container
}

// Machine is one machine. It is safe for concurrent use.
type Machine struct {
	options Options
	booted  time.Time

	mu     sync.Mutex
	layers map[string]layer
}

func New(o Options) *Machine {
	return &Machine{options: o, booted: time.Now(), layers: map[string]layer{}}
}

// The machine's size. It exceeds the requests of every trial's pods.
const (
	cores       = 8
	memoryBytes = 16 << 30
)

// ContainerManager returns a manager without system reservations and cgroups.
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

func (m *Machine) storage() int64 {
	if m.bounded() {
		return m.options.NodeFSBytes
	}
	return diskBytes
}
