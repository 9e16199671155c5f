package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"sigs.k8s.io/e2e-framework/klient/wait"
)

const (
	// kubeletRoot is the kubelet's root directory. What the kubelet calls
	// nodefs is the file system that it is on.
	kubeletRoot = "/var/lib/kubelet"
	// nodeFSName is what findmnt calls the source of a small file system.
	nodeFSName = "podclock-nodefs"
)

// NodeFS is a file system in memory for a kubelet's root directory, so that it
// can be filled without touching the host's disk. Images and the writable
// layers of containers stay where they are. What is stored there is memory of
// whoever writes it.
type NodeFS struct {
	// SizeMiB is the capacity in MiB, at least 16: the kubelet's own files and
	// the emptyDirs of the node's pods must fit.
	SizeMiB int
	// Inodes is the number of files and folders that fit, at least 1000.
	Inodes int
}

func (f NodeFS) validate() error {
	if f.SizeMiB < 16 || f.Inodes < 1000 {
		return fmt.Errorf(
			"a file system of %d MiB and %d inodes is too small for a kubelet; give at least 16 MiB and 1000",
			f.SizeMiB,
			f.Inodes,
		)
	}
	return nil
}

// FSStats is what a kubelet knows of a file system.
type FSStats struct {
	CapacityBytes  uint64 `json:"capacityBytes"`
	AvailableBytes uint64 `json:"availableBytes"`
	Inodes         uint64 `json:"inodes"`
	InodesFree     uint64 `json:"inodesFree"`
}

// MemoryStats is what a kubelet knows of its node's memory.
type MemoryStats struct {
	// AvailableBytes is what memory.available of an eviction threshold means.
	AvailableBytes  uint64 `json:"availableBytes"`
	WorkingSetBytes uint64 `json:"workingSetBytes"`
}

// NodeStats is what a kubelet compares with its eviction thresholds
// (k8s.io/kubelet/pkg/apis/stats/v1alpha1 Summary).
type NodeStats struct {
	Memory MemoryStats
	// NodeFS holds the kubelet's root directory: emptyDirs and logs.
	NodeFS FSStats
	// ImageFS holds the images.
	ImageFS FSStats
}

// NodeStats asks the kubelet of a node for its summary. The kubelet measures
// every 10 s, so memory is as old as that; file systems are measured on request.
func (c *Cluster) NodeStats(ctx context.Context, nodeName string) (*NodeStats, error) {
	raw, err := c.askKubelet(ctx, nodeName, "stats/summary")
	if err != nil {
		return nil, fmt.Errorf("reading the statistics of node %s: %w", nodeName, err)
	}
	stats, err := parseSummary(raw)
	if err != nil {
		return nil, fmt.Errorf("reading the statistics of node %s: %w", nodeName, err)
	}
	return stats, nil
}

func parseSummary(raw []byte) (*NodeStats, error) {
	var summary struct {
		Node struct {
			Memory  *MemoryStats
			FS      *FSStats
			Runtime struct{ ImageFS *FSStats }
		}
	}
	if err := json.Unmarshal(raw, &summary); err != nil {
		return nil, err
	}
	n := summary.Node
	if n.Memory == nil || n.FS == nil || n.Runtime.ImageFS == nil {
		return nil, errors.New("the kubelet has not measured everything yet")
	}
	return &NodeStats{Memory: *n.Memory, NodeFS: *n.FS, ImageFS: *n.Runtime.ImageFS}, nil
}

// waitNodeFS waits until a restarted kubelet has noticed its file system.
func (c *Cluster) waitNodeFS(ctx context.Context, nodeName string, want NodeFS) error {
	var last error
	err := wait.For(func(ctx context.Context) (bool, error) {
		stats, err := c.NodeStats(ctx, nodeName)
		if err != nil {
			last = err
			return false, nil
		}
		last = fmt.Errorf("it has %d bytes and %d inodes", stats.NodeFS.CapacityBytes, stats.NodeFS.Inodes)
		return stats.NodeFS.CapacityBytes == uint64(want.SizeMiB)<<20 && stats.NodeFS.Inodes == uint64(want.Inodes), nil
	}, wait.WithContext(ctx), wait.WithTimeout(statsTimeout), wait.WithInterval(pollInterval), wait.WithImmediate())
	if err == nil {
		return nil
	}
	return fmt.Errorf(
		"its kubelet did not report a file system of %d MiB and %d inodes within %v: %w: %w",
		want.SizeMiB,
		want.Inodes,
		statsTimeout,
		because(ctx, err),
		last,
	)
}
