package nodes

import (
	"context"
	"fmt"
	"time"
)

const (
	// kubeletRoot is the kubelet's root directory, which is on its nodefs.
	kubeletRoot = "/var/lib/kubelet"
	// nodeFSName is the source of a small file system, as findmnt prints it.
	nodeFSName = "podclock-nodefs"
	// statsTimeout is how long a restarted kubelet may take to report its file systems.
	statsTimeout = 30 * time.Second
)

// NodeFS is a file system in memory for a kubelet's root directory, which a trial can fill without the host's disk.
// Images and writable layers stay on disk. Its content counts as memory of the process that writes it.
type NodeFS struct {
	// SizeMiB is the capacity in MiB, at least 16.
	SizeMiB int
	// Inodes is the maximum number of files and folders, at least 1000.
	Inodes int
}

func (f NodeFS) validate() error {
	if f.SizeMiB < 16 || f.Inodes < 1000 {
		const format = "a file system of %d MiB and %d inodes is too small for a kubelet; give at least 16 MiB and 1000"
		return fmt.Errorf(format, f.SizeMiB, f.Inodes)
	}
	return nil
}

func (s *Set) awaitNodeFS(ctx context.Context, nodeName string, want NodeFS) error {
	var last error
	err := await(ctx, statsTimeout, func(ctx context.Context) (bool, error) {
		fs, err := s.NodeFS(ctx, nodeName)
		if err != nil {
			last = err
			return false, nil
		}
		last = fmt.Errorf("it has %d bytes and %d inodes", fs.CapacityBytes, fs.Inodes)
		return fs.CapacityBytes == uint64(want.SizeMiB)<<20 && fs.Inodes == uint64(want.Inodes), nil
	})
	if err == nil {
		return nil
	}
	const format = "its kubelet did not report a file system of %d MiB and %d inodes within %v: %w: %w"
	return fmt.Errorf(format, want.SizeMiB, want.Inodes, statsTimeout, Because(ctx, err), last)
}
