package machine

import (
	"path"
	"time"

	cadvisorv1 "github.com/google/cadvisor/info/v1"
	cadvisorv2 "github.com/google/cadvisor/info/v2"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/kubelet/cm"

	"github.com/podclock/podclock/harness/virtual/_node/cri"
)

const (
	rootCgroup = "/"
	// podsCgroup holds the pods' cgroups. They are all on one level, regardless of the pods' quality of service,
	// because the kubelet finds them by their base names.
	podsCgroup = "/kubepods"
)

const (
	// systemMemory is the machine's usage without any pod, in bytes.
	systemMemory = 1 << 30
	// processMemory is the usage of a victim's process without ballast, in bytes.
	processMemory = 6 << 20
	// share is the part of a core that a victim's process uses, as a divisor. A process without any usage would be
	// taken for dead.
	share = 1000
)

// usage is the usage of a cgroup's processes.
type usage struct {
	memory    uint64
	cpu       time.Duration
	processes uint64
}

func (u *usage) add(other usage) {
	u.memory += other.memory
	u.cpu += other.cpu
	u.processes += other.processes
}

// usageOf returns the usage of a container's process.
func usageOf(c cri.Container) usage {
	return usage{memory: processMemory + uint64(c.Ballast)<<20, cpu: time.Since(c.CreatedAt) / share, processes: 1}
}

// cgroups returns all current cgroups: the machine's, the one of all pods, and those of running pods and containers.
func (m *Machine) cgroups() map[string]cadvisorv2.ContainerInfo {
	all := usage{memory: systemMemory, cpu: time.Since(m.booted) / share, processes: 1}
	pods, byPod := usage{}, map[string]usage{}
	infos := map[string]cadvisorv2.ContainerInfo{}
	for _, c := range m.options.Containers() {
		if !c.Running {
			continue
		}
		used, pod := usageOf(c), path.Join(podsCgroup, cm.GetPodCgroupNameSuffix(types.UID(c.PodUID)))
		sum := byPod[pod]
		sum.add(used)
		byPod[pod] = sum
		pods.add(used)
		info := used.info()
		info.Spec.CreationTime, info.Spec.Labels = c.CreatedAt, c.Labels
		infos[path.Join(pod, c.ID)] = info
	}
	for pod, used := range byPod {
		infos[pod] = used.info()
	}
	all.add(pods)
	infos[podsCgroup], infos[rootCgroup] = pods.info(), all.info()
	return infos
}

// info returns the usage in cAdvisor's types, measured now.
func (u usage) info() cadvisorv2.ContainerInfo {
	return cadvisorv2.ContainerInfo{
		Spec: cadvisorv2.ContainerSpec{
			HasCpu:       true,
			HasMemory:    true,
			HasProcesses: true,
			Memory:       cadvisorv2.MemorySpec{Limit: memoryBytes},
		},
		Stats: []*cadvisorv2.ContainerStats{{
			Timestamp: time.Now(),
			Cpu:       &cadvisorv1.CpuStats{Usage: cadvisorv1.CpuUsage{Total: uint64(u.cpu)}},
			CpuInst:   &cadvisorv2.CpuInstStats{Usage: cadvisorv2.CpuInstUsage{Total: uint64(time.Second / share)}},
			Memory:    &cadvisorv1.MemoryStats{Usage: u.memory, WorkingSet: u.memory, RSS: u.memory},
			Processes: &cadvisorv1.ProcessStats{ProcessCount: u.processes},
		}},
	}
}
