// Package cri is the container runtime of a virtual node: it plays victims as goroutines, in whatever time
// its caller lives in, and does to them what containerd does to processes. Its semantics are those of
// containerd v2.3 (internal/cri/server); doc comments name the file and function that a behaviour was taken
// from. It has no image but the fault program's.
//
// Everything that reads answers without letting time pass, and no lock is held while time passes: see the
// constants of latency.go.
package cri

import (
	"io"
	"os"
	"strings"
	"sync"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/podclock/podclock/harness/victim"
	"github.com/podclock/podclock/harness/virtual/_node/recorder"
)

// Options are what the runtime runs on.
type Options struct {
	Recorder *recorder.Recorder
	// Images are the references of the images that the node has, with their stop signals, empty for SIGTERM.
	Images map[string]string
	// Fill fills a folder of a running container, and says what stopped it. A victim that fills needs it.
	Fill func(c Container, run victim.Run) error
	// Stats measures a container; its Attributes are filled in here. Without it nothing uses anything.
	Stats func(c Container) *runtimeapi.ContainerStats
	// Stderr takes what the victims write to their standard error; the default is the process' own.
	Stderr io.Writer
}

// Container is what others may know of a container.
type Container struct {
	ID, Name, PodUID, PodName, PodNamespace string
	Labels, Annotations                     map[string]string
	// Mounts are host paths by container paths.
	Mounts  map[string]string
	Running bool
	// Ballast is how many MiB of memory its main process keeps resident.
	Ballast   int
	SandboxID string
	Attempt   uint32
	CreatedAt time.Time
}

// Runtime is one container runtime. It outlives the kubelets that connect to it.
type Runtime struct {
	options Options
	images  images
	network network

	mu         sync.Mutex
	last       int // the number of the newest sandbox or container
	sandboxes  map[string]*sandbox
	containers map[string]*container
}

// New makes a runtime without any pod.
func New(options Options) *Runtime {
	if options.Stderr == nil {
		options.Stderr = os.Stderr
	}
	if options.Stats == nil {
		options.Stats = func(Container) *runtimeapi.ContainerStats { return &runtimeapi.ContainerStats{} }
	}
	return &Runtime{
		options:    options,
		images:     newImages(options.Images),
		network:    newNetwork(),
		sandboxes:  map[string]*sandbox{},
		containers: map[string]*container{},
	}
}

// Containers are all containers that were not removed, in the order of their creation.
func (r *Runtime) Containers() []Container {
	var views []Container
	for _, c := range r.allContainers() {
		views = append(views, c.view())
	}
	return views
}

// number is given to a new sandbox or container: lists are in its order, so that they are the same in every run.
func (r *Runtime) number() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	return r.last
}

// signalName is the name of a signal as images and the CRI spell it, with or without SIG.
func signalName(name string) string {
	if strings.HasPrefix(name, "SIG") {
		return name
	}
	return "SIG" + name
}
