// Package machine is the machine of a virtual node as its kubelet sees it: its size, the data on its disks, and the
// memory and disk usage of each container. The files of victims in volumes exist on the host's disk, because the
// kubelet walks volumes itself; everything else is simulated.
//
// A machine outlives its kubelets: a restarted kubelet finds it unchanged.
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
	// NodeFSBytes and NodeFSInodes are the size of Root's file system. 0 is a file system that is never full and
	// also holds the images.
	NodeFSBytes, NodeFSInodes int64
	// Containers returns the containers of the machine's runtime.
	Containers func() []cri.Container
}

// Machine is one machine. It is safe for concurrent use.
type Machine struct {
	options Options
	booted  time.Time

	mu sync.Mutex
	// layers are the containers' own layers by container ID.
	layers map[string]layer
}

// New boots a machine.
func New(o Options) *Machine {
	return &Machine{options: o, booted: time.Now(), layers: map[string]layer{}}
}

// The machine's size. It exceeds the requests of every trial's pods.
const (
	cores       = 8
	memoryBytes = 16 << 30
)
