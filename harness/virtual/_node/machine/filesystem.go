package machine

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	criapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/kubernetes/pkg/volume/util/fs"

	"github.com/podclock/podclock/harness/virtual/_node/cadvisor"
	"github.com/podclock/podclock/harness/virtual/_node/cri"
)

// The machine's own disk is never full. Of stored data, containers' layers count on it.
const (
	diskDevice = "/dev/vda"
	diskBytes  = 1 << 40
	diskInodes = 1 << 26
)

const nodeFSDevice = "nodefs"

// disk holds the images, and everything if the node has no file system of its own size.
func (m *Machine) disk() cadvisor.FsInfo {
	containers := m.options.Containers()
	m.mu.Lock()
	defer m.mu.Unlock()
	used := fs.UsageInfo{}
	for _, c := range containers {
		used.Bytes += int64(m.layers[c.ID].bytes)
		used.Inodes += int64(m.layers[c.ID].inodes)
	}
	return fsInfo(diskDevice, diskBytes, diskInodes, used)
}

func (m *Machine) nodeFS() (cadvisor.FsInfo, error) {
	if !m.bounded() {
		return m.disk(), nil
	}
	used, err := m.used()
	if err != nil {
		return cadvisor.FsInfo{}, err
	}
	return fsInfo(nodeFSDevice, m.options.NodeFSBytes, m.options.NodeFSInodes, used), nil
}

func (m *Machine) bounded() bool { return m.options.NodeFSBytes > 0 }

// used measures the host's disk, so that removed files do not count.
func (m *Machine) used() (fs.UsageInfo, error) {
	used, err := fs.DiskUsage(m.options.Root)
	if err != nil {
		return used, fmt.Errorf("measure what is stored under the kubelet's root directory: %w", err)
	}
	return used, nil
}

func (m *Machine) free() (bytes, inodes int64, err error) {
	info, err := m.nodeFS()
	if err != nil {
		return 0, 0, err
	}
	return int64(info.Available), int64(*info.InodesFree), nil
}

func fsInfo(device string, bytes, inodes int64, used fs.UsageInfo) cadvisor.FsInfo {
	// The host's file system may use more blocks for the same data.
	usedBytes, usedInodes := min(used.Bytes, bytes), min(used.Inodes, inodes)
	allInodes, freeInodes := uint64(inodes), uint64(inodes-usedInodes)
	return cadvisor.FsInfo{
		Timestamp: time.Now(), Device: device, Mountpoint: "/",
		Capacity: uint64(bytes), Available: uint64(bytes - usedBytes), Usage: uint64(usedBytes),
		Inodes: &allInodes, InodesFree: &freeInodes,
	}
}

func (m *Machine) inRoot(path string) bool {
	relative, err := filepath.Rel(m.options.Root, path)
	return err == nil && relative != ".." && !strings.HasPrefix(relative, "../")
}

const (
	// layerPeriod is containerd's period of measuring layers (CRI configuration stats_collect_period). In between
	// it answers with the last measurement. layerPhase is from the boot to the first one: no kubelet acts then.
	layerPeriod = 10 * time.Second
	layerPhase  = 3137 * time.Millisecond
)

func (m *Machine) layersMeasured() time.Time {
	first := m.booted.Add(layerPhase)
	return first.Add(time.Since(first).Truncate(layerPeriod))
}

func (m *Machine) layerUsage(id string, measured time.Time) *criapi.FilesystemUsage {
	m.mu.Lock()
	defer m.mu.Unlock()
	filled := m.layers[id]
	if filled.since.After(measured) {
		filled = layer{}
	}
	return &criapi.FilesystemUsage{
		Timestamp: measured.UnixNano(), FsId: &criapi.FilesystemIdentifier{Mountpoint: cri.LayerRoot},
		UsedBytes: value(filled.bytes), InodesUsed: value(filled.inodes),
	}
}

func (m *Machine) fillLayer(id string, bytes, inodes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.layers[id] = layer{since: time.Now(), bytes: uint64(bytes), inodes: uint64(inodes)}
}

func value(v uint64) *criapi.UInt64Value { return &criapi.UInt64Value{Value: v} }
