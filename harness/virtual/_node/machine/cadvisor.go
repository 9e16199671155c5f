package machine

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/google/cadvisor/cache/memory"
	cadvisorv1 "github.com/google/cadvisor/info/v1"
	cadvisorv2 "github.com/google/cadvisor/info/v2"
	"k8s.io/kubernetes/pkg/kubelet/cadvisor"
)

// Cadvisor returns the interface by which one kubelet measures the machine.
func (m *Machine) Cadvisor() cadvisor.Interface { return &measuring{machine: m} }

// measuring measures at every call. cAdvisor caches measurements for some seconds unless the caller asks for new
// ones; the kubelet's eviction manager gets new ones in both cases.
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

// GetRequestedContainersInfo serves the kubelet's statistics page, which is not used.
func (c *measuring) GetRequestedContainersInfo(
	string, cadvisorv2.RequestOptions,
) (map[string]*cadvisorv1.ContainerInfo, error) {
	return map[string]*cadvisorv1.ContainerInfo{}, nil
}
