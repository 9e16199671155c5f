package machine

import (
	"time"

	criapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/podclock/podclock/harness/virtual/_node/cri"
)

const (
	// systemMemory is the usage without any pod, in bytes.
	systemMemory = 1 << 30
	// processMemory is a victim's usage without ballast, in bytes.
	processMemory = 6 << 20
	// share divides a core: a victim uses this part. The kubelet would take a process without usage for dead.
	share = 1000
)

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

func usageOf(c cri.Container) usage {
	return usage{memory: processMemory + uint64(c.Ballast)<<20, cpu: time.Since(c.CreatedAt) / share, processes: 1}
}

// Stats returns a container's usage in the runtime's types, without attributes.
func (m *Machine) Stats(c cri.Container) *criapi.ContainerStats {
	now, used := time.Now().UnixNano(), usageOf(c)
	return &criapi.ContainerStats{
		Cpu: &criapi.CpuUsage{Timestamp: now, UsageCoreNanoSeconds: value(uint64(used.cpu))},
		Memory: &criapi.MemoryUsage{
			Timestamp:       now,
			WorkingSetBytes: value(used.memory),
			UsageBytes:      value(used.memory),
			RssBytes:        value(used.memory),
		},
		WritableLayer: m.layerUsage(c.ID, m.layersMeasured()),
	}
}
