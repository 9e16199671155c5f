// Package cri is the container runtime of a virtual node. It plays victims as goroutines in its caller's time, and
// behaves as containerd v2.3 does (internal/cri/server); doc comments name file and function. The only program of
// its images is the fault program.
//
// Calls that read take no time, and no lock is held while time passes: see latency.go.
package cri

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	criapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/podclock/podclock/harness/victim"
	"github.com/podclock/podclock/harness/virtual/_node/recorder"
)

// Options are the parts of the node that the runtime uses.
type Options struct {
	Recorder *recorder.Recorder
	// Images are the stop signals of the node's images by reference, empty for SIGTERM.
	Images map[string]string
	// Fill fills a folder of a running container, and returns what stopped it. Only victims that fill need it.
	Fill func(c Container, run victim.Run) error
	// Stats measures a container, without its Attributes. Nil measures nothing.
	Stats func(c Container) *criapi.ContainerStats
	// Stderr is the victims' standard error; by default the process' own.
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
	last       int
	sandboxes  map[string]*sandbox
	containers map[string]*container
}

func New(options Options) *Runtime {
	if options.Stderr == nil {
		options.Stderr = os.Stderr
	}
	if options.Stats == nil {
		options.Stats = func(Container) *criapi.ContainerStats { return &criapi.ContainerStats{} }
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

func (r *Runtime) number() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	return r.last
}

// signalName returns a signal's name with SIG, which is optional in images and the CRI.
func signalName(name string) string {
	if strings.HasPrefix(name, "SIG") {
		return name
	}
	return "SIG" + name
}

var errNotFound = errors.New("not found")

var errUnimplemented = errors.New("not implemented by the virtual node's runtime")

func noContainer(id string) error {
	return fmt.Errorf("an error occurred when try to find container %q: %w", id, errNotFound)
}

func noSandbox(id string) error {
	return fmt.Errorf("an error occurred when try to find sandbox %q: %w", id, errNotFound)
}

// rpc returns an error as a gRPC client gets it (errgrpc.ToGRPC of containerd/errdefs).
func rpc(err error) error {
	if err == nil {
		return nil
	}
	code := codes.Unknown
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		code = codes.DeadlineExceeded
	case errors.Is(err, context.Canceled):
		code = codes.Canceled
	case errors.Is(err, errNotFound):
		code = codes.NotFound
	case errors.Is(err, errUnimplemented):
		code = codes.Unimplemented
	}
	return status.Error(code, err.Error())
}
