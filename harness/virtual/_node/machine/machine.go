// Package machine is a virtual node's machine: its size, the data on its disks, and each container's memory and
// disk usage. Victims' files in volumes exist on the host's disk, because the kubelet walks volumes itself; the
// rest is simulated.
//
// A machine outlives its kubelets.
package machine

import (
	"sync"
	"time"

	"github.com/podclock/podclock/harness/virtual/_node/cri"
)

// Options describe a machine.
type Options struct {
	// Root is the host's folder for the kubelet's root directory.
	Root string
	// NodeFSBytes and NodeFSInodes size Root's file system. 0 is one that is never full and also holds the images.
	NodeFSBytes, NodeFSInodes int64
	Containers                func() []cri.Container
}

// Machine is one machine. It is safe for concurrent use.
type Machine struct {
	options Options
	booted  time.Time

	mu     sync.Mutex
	layers map[string]layer
	pods   podConfigs
}

func New(o Options) *Machine {
	return &Machine{options: o, booted: time.Now(), layers: map[string]layer{}, pods: podConfigs{}}
}

// The machine's size. It exceeds the requests of every trial's pods but those that fill it (Trial.FillsNode).
const (
	cores       = 8
	memoryBytes = 16 << 30
)

type layer struct {
	since         time.Time
	bytes, inodes uint64
}
