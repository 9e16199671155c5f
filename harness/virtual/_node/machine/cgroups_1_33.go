//go:build kubelet1_33

package machine

import (
	"fmt"
	"path"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/kubelet/cm"
)

// cgroupPeriod is the kernel's default period of a CPU quota, in microseconds.
const cgroupPeriod uint64 = 100_000

// podConfigs are the resources of pods' cgroups by the pods' UIDs.
type podConfigs map[types.UID]cm.ResourceConfig

// NewPodContainerManager returns a manager of the machine's cgroups of pods. They are only what a resize reads and
// writes, and are never removed.
func (s *sharing) NewPodContainerManager() cm.PodContainerManager {
	return &podCgroups{s.ContainerManager.NewPodContainerManager(), s.machine}
}

type podCgroups struct {
	cm.PodContainerManager
	machine *Machine
}

// GetPodContainerName names the cgroup by which the kubelet measures a pod, see [Machine.cgroups].
func (p *podCgroups) GetPodContainerName(pod *corev1.Pod) (cm.CgroupName, string) {
	suffix := cm.GetPodCgroupNameSuffix(pod.UID)
	return cm.CgroupName{strings.TrimPrefix(podsCgroup, "/"), suffix}, path.Join(podsCgroup, suffix)
}

func (p *podCgroups) Exists(pod *corev1.Pod) bool {
	p.machine.mu.Lock()
	defer p.machine.mu.Unlock()
	_, exists := p.machine.pods[pod.UID]
	return exists
}

// GetPodCgroupConfig is that of version 2 (cgroup_v2_manager_linux.go): what is not limited is -1.
func (p *podCgroups) GetPodCgroupConfig(pod *corev1.Pod, resource corev1.ResourceName) (*cm.ResourceConfig, error) {
	p.machine.mu.Lock()
	defer p.machine.mu.Unlock()
	config, exists := p.machine.pods[pod.UID]
	if !exists {
		return nil, fmt.Errorf("pod %s/%s has no cgroup", pod.Namespace, pod.Name)
	}
	if resource == corev1.ResourceMemory {
		return &cm.ResourceConfig{Memory: config.Memory}, nil
	}
	return &cm.ResourceConfig{
		CPUShares: config.CPUShares, CPUQuota: config.CPUQuota, CPUPeriod: config.CPUPeriod,
	}, nil
}

// create makes a cgroup with the resources of a pod.
func (p *podCgroups) create(pod *corev1.Pod, config *cm.ResourceConfig) error {
	unlimited, period, shares := int64(-1), cgroupPeriod, uint64(cm.MinShares)
	p.machine.mu.Lock()
	p.machine.pods[pod.UID] = cm.ResourceConfig{
		Memory: &unlimited, CPUQuota: &unlimited, CPUPeriod: &period, CPUShares: &shares,
	}
	p.machine.mu.Unlock()
	return p.change(pod, config)
}

// change writes what a configuration has.
func (p *podCgroups) change(pod *corev1.Pod, by *cm.ResourceConfig) error {
	p.machine.mu.Lock()
	defer p.machine.mu.Unlock()
	config, exists := p.machine.pods[pod.UID]
	if !exists {
		return fmt.Errorf("pod %s/%s has no cgroup", pod.Namespace, pod.Name)
	}
	if by.Memory != nil {
		config.Memory = by.Memory
	}
	if by.CPUQuota != nil {
		config.CPUQuota, config.CPUPeriod = by.CPUQuota, by.CPUPeriod
	}
	if by.CPUShares != nil {
		config.CPUShares = by.CPUShares
	}
	p.machine.pods[pod.UID] = config
	return nil
}
