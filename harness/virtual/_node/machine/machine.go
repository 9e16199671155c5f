// Package machine is what a virtual node's kubelet believes about the machine that it runs on: its size,
// what is stored on its disks, and how much memory and how much of a disk each container uses. What victims
// fill in volumes is really there, on the host's disk, since the kubelet walks volumes itself; all else is
// made up.
//
// A machine outlives its kubelets: one that is started again finds it as it was.
package machine

import (
	"sync"
	"time"

	"github.com/podclock/podclock/harness/virtual/_node/cri"
)

// Options say what a machine is like.
type Options struct {
	// Root is the folder of the host that is the kubelet's root directory.
	Root string
	// NodeFSBytes and NodeFSInodes are the size of the file system that Root is on; 0 is one that is never
	// full, which holds the images as well.
	NodeFSBytes, NodeFSInodes int64
	// Containers are those that the machine's runtime has.
	Containers func() []cri.Container
}

// Machine is one machine. It may be used by many goroutines.
type Machine struct {
	options Options
	booted  time.Time

	mu sync.Mutex
	// layers is what was filled in containers' own layers, by the containers' IDs.
	layers map[string]layer
}

// New boots a machine.
func New(o Options) *Machine {
	return &Machine{options: o, booted: time.Now(), layers: map[string]layer{}}
}

// The machine's size, which no trial asks about: it is only more than all of a trial's pods ask for.
const (
	cores       = 8
	memoryBytes = 16 << 30
)
