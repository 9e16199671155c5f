package machine

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	cadvisorv2 "github.com/google/cadvisor/info/v2"
	"k8s.io/kubernetes/pkg/volume/util/fs"
)

// The machine's own disk is never full: stored data does not count on it.
const (
	diskDevice = "/dev/vda"
	diskBytes  = 1 << 40
	diskInodes = 1 << 26
)

// nodeFSDevice is the file system of the kubelet's root directory if it is not the disk.
const nodeFSDevice = "nodefs"

// disk returns the file system of images, and of everything else if the node has no file system of its own size.
func disk() cadvisorv2.FsInfo {
	return fsInfo(diskDevice, diskBytes, diskInodes, fs.UsageInfo{})
}

// nodeFS returns the file system of the kubelet's root directory.
func (m *Machine) nodeFS() (cadvisorv2.FsInfo, error) {
	if !m.bounded() {
		return disk(), nil
	}
	used, err := m.used()
	if err != nil {
		return cadvisorv2.FsInfo{}, err
	}
	return fsInfo(nodeFSDevice, m.options.NodeFSBytes, m.options.NodeFSInodes, used), nil
}

// bounded reports whether the file system of the kubelet's root directory can become full.
func (m *Machine) bounded() bool { return m.options.NodeFSBytes > 0 }

// used measures what is stored there on the host's disk, so that removed files do not count.
func (m *Machine) used() (fs.UsageInfo, error) {
	used, err := fs.DiskUsage(m.options.Root)
	if err != nil {
		return used, fmt.Errorf("measure what is stored under the kubelet's root directory: %w", err)
	}
	return used, nil
}

// free returns what still fits there.
func (m *Machine) free() (bytes, inodes int64, err error) {
	info, err := m.nodeFS()
	if err != nil {
		return 0, 0, err
	}
	return int64(info.Available), int64(*info.InodesFree), nil
}

func fsInfo(device string, bytes, inodes int64, used fs.UsageInfo) cadvisorv2.FsInfo {
	// The host's file system may use more blocks for the same data.
	usedBytes, usedInodes := min(used.Bytes, bytes), min(used.Inodes, inodes)
	allInodes, freeInodes := uint64(inodes), uint64(inodes-usedInodes)
	return cadvisorv2.FsInfo{
		Timestamp: time.Now(), Device: device, Mountpoint: "/",
		Capacity: uint64(bytes), Available: uint64(bytes - usedBytes), Usage: uint64(usedBytes),
		Inodes: &allInodes, InodesFree: &freeInodes,
	}
}

// inRoot reports whether a path is on the file system of the kubelet's root directory.
func (m *Machine) inRoot(path string) bool {
	relative, err := filepath.Rel(m.options.Root, path)
	return err == nil && relative != ".." && !strings.HasPrefix(relative, "../")
}
