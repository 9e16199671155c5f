package machine

import (
	"fmt"
	"maps"
	"path"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
	kubecadvisor "k8s.io/kubernetes/pkg/kubelet/cadvisor"
	"k8s.io/kubernetes/pkg/kubelet/cm"

	"github.com/podclock/podclock/harness/virtual/_node/cadvisor"
)

// Cadvisor returns the interface by which one kubelet measures the machine.
func (m *Machine) Cadvisor() kubecadvisor.Interface { return &measuring{machine: m} }

// measuring measures at every call. cAdvisor caches, unless the caller asks for new measurements, as the kubelet's
// eviction manager does.
type measuring struct {
	// nil: the kubelet calls only the methods below
	kubecadvisor.Interface
	machine *Machine
}

func (c *measuring) Start() error { return nil }

func machineInfo() *cadvisor.MachineInfo {
	return &cadvisor.MachineInfo{
		NumCores: cores, NumPhysicalCores: cores, NumSockets: 1, MemoryCapacity: memoryBytes,
		MachineID: "virtual", SystemUUID: "virtual", BootID: "virtual", InstanceID: "virtual",
	}
}

func (c *measuring) VersionInfo() (*cadvisor.VersionInfo, error) {
	return &cadvisor.VersionInfo{KernelVersion: "virtual", ContainerOsVersion: "virtual"}, nil
}

func (c *measuring) RootFsInfo() (cadvisor.FsInfo, error) { return c.machine.nodeFS() }

func (c *measuring) GetDirFsInfo(path string) (cadvisor.FsInfo, error) {
	if c.machine.inRoot(path) {
		return c.machine.nodeFS()
	}
	return c.machine.disk(), nil
}

func (c *measuring) ContainerInfoV2(
	name string, options cadvisor.RequestOptions,
) (map[string]cadvisor.ContainerInfo, error) {
	all := c.machine.cgroups()
	if _, ok := all[name]; !ok {
		return nil, fmt.Errorf("cgroup %s: %w", name, cadvisor.ErrDataNotFound)
	}
	below := strings.TrimSuffix(name, "/") + "/"
	maps.DeleteFunc(all, func(other string, _ cadvisor.ContainerInfo) bool {
		return other != name && !(options.Recursive && strings.HasPrefix(other, below))
	})
	return all, nil
}

func (c *measuring) GetRequestedContainersInfo(
	string, cadvisor.RequestOptions,
) (map[string]*cadvisor.RequestedInfo, error) {
	return map[string]*cadvisor.RequestedInfo{}, nil
}

const (
	rootCgroup = "/"
	// podsCgroup holds the pods' cgroups on one level: the kubelet finds them by base name.
	podsCgroup = "/kubepods"
)

func (m *Machine) cgroups() map[string]cadvisor.ContainerInfo {
	all := usage{memory: systemMemory, cpu: time.Since(m.booted) / share, processes: 1}
	pods, byPod := usage{}, map[string]usage{}
	infos := map[string]cadvisor.ContainerInfo{}
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

func (u usage) info() cadvisor.ContainerInfo {
	return cadvisor.ContainerInfo{
		Spec: cadvisor.ContainerSpec{
			HasCpu:       true,
			HasMemory:    true,
			HasProcesses: true,
			Memory:       cadvisor.MemorySpec{Limit: memoryBytes},
		},
		Stats: []*cadvisor.ContainerStats{{
			Timestamp: time.Now(),
			Cpu:       &cadvisor.CPUStats{Usage: cadvisor.CPUUsage{Total: uint64(u.cpu)}},
			CpuInst:   &cadvisor.CPUInstStats{Usage: cadvisor.CPUInstUsage{Total: uint64(time.Second / share)}},
			Memory:    &cadvisor.MemoryStats{Usage: u.memory, WorkingSet: u.memory, RSS: u.memory},
			Processes: &cadvisor.ProcessStats{ProcessCount: u.processes},
		}},
	}
}
