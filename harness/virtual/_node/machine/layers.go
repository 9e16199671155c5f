package machine

import (
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/podclock/podclock/harness/virtual/_node/cri"
)

const (
	// layerPeriod is the period in which containerd measures the layers of all containers (its CRI configuration
	// stats_collect_period). In between it answers with the last measurement.
	layerPeriod = 10 * time.Second
	// layerPhase is the time from the machine's boot to the first measurement: no kubelet acts at that instant.
	layerPhase = 3137 * time.Millisecond
)

// layer is the data in a container's own layer.
type layer struct {
	since         time.Time
	bytes, inodes uint64
}

// Stats returns the usage of a container in the runtime's types, without attributes.
func (m *Machine) Stats(c cri.Container) *runtimeapi.ContainerStats {
	now, used := time.Now().UnixNano(), usageOf(c)
	return &runtimeapi.ContainerStats{
		Cpu: &runtimeapi.CpuUsage{Timestamp: now, UsageCoreNanoSeconds: value(uint64(used.cpu))},
		Memory: &runtimeapi.MemoryUsage{
			Timestamp:       now,
			WorkingSetBytes: value(used.memory),
			UsageBytes:      value(used.memory),
			RssBytes:        value(used.memory),
		},
		WritableLayer: m.layerUsage(c.ID, m.layersMeasured()),
	}
}

// layersMeasured returns the time of the last measurement of layers.
func (m *Machine) layersMeasured() time.Time {
	first := m.booted.Add(layerPhase)
	return first.Add(time.Since(first).Truncate(layerPeriod))
}

func (m *Machine) layerUsage(id string, measured time.Time) *runtimeapi.FilesystemUsage {
	m.mu.Lock()
	defer m.mu.Unlock()
	filled := m.layers[id]
	if filled.since.After(measured) {
		filled = layer{}
	}
	return &runtimeapi.FilesystemUsage{
		Timestamp: measured.UnixNano(), FsId: &runtimeapi.FilesystemIdentifier{Mountpoint: cri.LayerRoot},
		UsedBytes: value(filled.bytes), InodesUsed: value(filled.inodes),
	}
}

// fillLayer fills a container's own layer.
func (m *Machine) fillLayer(id string, bytes, inodes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.layers[id] = layer{since: time.Now(), bytes: uint64(bytes), inodes: uint64(inodes)}
}

func value(v uint64) *runtimeapi.UInt64Value { return &runtimeapi.UInt64Value{Value: v} }
