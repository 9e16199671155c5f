package machine

import (
	"context"
	"fmt"
	"maps"
	"path"
	"strings"
	"time"

	"github.com/google/cadvisor/cache/memory"
	cadvisorv1 "github.com/google/cadvisor/info/v1"
	cadvisorv2 "github.com/google/cadvisor/info/v2"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/kubelet/cadvisor"
	"k8s.io/kubernetes/pkg/kubelet/cm"
)

// Cadvisor returns the interface by which one kubelet measures the machine.
func (m *Machine) Cadvisor() cadvisor.Interface { return &measuring{machine: m} }

// measuring measures at every call. cAdvisor caches, unless the caller asks for new measurements, as the kubelet's
// eviction manager does.
type measuring struct{ machine *Machine }

func (c *measuring) Start() error { return nil }

func (c *measuring) MachineInfo() (*cadvisorv1.MachineInfo, error) {
	return &cadvisorv1.MachineInfo{
		NumCores: cores, NumPhysicalCores: cores, NumSockets: 1, MemoryCapacity: memoryBytes,
		MachineID: "virtual", SystemUUID: "virtual", BootID: "virtual", InstanceID: "virtual",
	}, nil
}

func (c *measuring) VersionInfo() (*cadvisorv1.VersionInfo, error) {
	return &cadvisorv1.VersionInfo{KernelVersion: "virtual", ContainerOsVersion: "virtual"}, nil
}

func (c *measuring) RootFsInfo() (cadvisorv2.FsInfo, error) { return c.machine.nodeFS() }

func (c *measuring) ImagesFsInfo(context.Context) (cadvisorv2.FsInfo, error) { return disk(), nil }

func (c *measuring) ContainerFsInfo(context.Context) (cadvisorv2.FsInfo, error) { return disk(), nil }

func (c *measuring) GetDirFsInfo(path string) (cadvisorv2.FsInfo, error) {
	if c.machine.inRoot(path) {
		return c.machine.nodeFS()
	}
	return disk(), nil
}

func (c *measuring) ContainerInfoV2(
	name string, options cadvisorv2.RequestOptions,
) (map[string]cadvisorv2.ContainerInfo, error) {
	all := c.machine.cgroups()
	if _, ok := all[name]; !ok {
		return nil, fmt.Errorf("cgroup %s: %w", name, memory.ErrDataNotFound)
	}
	below := strings.TrimSuffix(name, "/") + "/"
	maps.DeleteFunc(all, func(other string, _ cadvisorv2.ContainerInfo) bool {
		return other != name && !(options.Recursive && strings.HasPrefix(other, below))
	})
	return all, nil
}

func (c *measuring) GetRequestedContainersInfo(
	string, cadvisorv2.RequestOptions,
) (map[string]*cadvisorv1.ContainerInfo, error) {
	return map[string]*cadvisorv1.ContainerInfo{}, nil
}

const (
	rootCgroup = "/"
	// podsCgroup holds the pods' cgroups on one level: the kubelet finds them by base name.
	podsCgroup = "/kubepods"
)

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
