// Package cri is the container runtime of a virtual node. It plays victims as goroutines, in its caller's time, and
// does to them what containerd does to processes. Its behaviour is that of containerd v2.3 (internal/cri/server);
// doc comments name the file and the function. The only program of its images is the fault program.
//
// Calls that read take no time, and no lock is held while time passes: see the constants of latency.go.
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

// Options are the parts of the node that the runtime uses.
type Options struct {
	Recorder *recorder.Recorder
	// Images are the stop signals of the node's images by reference, empty for SIGTERM.
	Images map[string]string
	// Fill fills a folder of a running container; its error is what stopped it. A victim that fills needs it.
	Fill func(c Container, run victim.Run) error
	// Stats measures a container, without its Attributes. If it is nil, every container uses nothing.
	Stats func(c Container) *runtimeapi.ContainerStats
	// Stderr gets the standard error of victims; the default is the process' own.
	Stderr io.Writer
}

// Container is the public part of a container.
type Container struct {
	ID, Name, PodUID, PodName, PodNamespace string
	Labels, Annotations                     map[string]string
	// Mounts are host paths by container paths.
	Mounts  map[string]string
	Running bool
	// Ballast is the memory that its main process keeps resident, in MiB.
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

// Containers returns all containers that were not removed, in the order of their creation.
func (r *Runtime) Containers() []Container {
	var views []Container
	for _, c := range r.allContainers() {
		views = append(views, c.view())
	}
	return views
}

// number returns the number of a new sandbox or container. Lists are in this order, so that they are the same in
// every run.
func (r *Runtime) number() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	return r.last
}

// signalName returns a signal's name with SIG. Images and the CRI may omit it.
func signalName(name string) string {
	if strings.HasPrefix(name, "SIG") {
		return name
	}
	return "SIG" + name
}
