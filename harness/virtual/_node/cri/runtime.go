// Package cri is the container runtime of a virtual node. It plays victims as goroutines in its caller's time, and
// behaves as containerd v2.3 does (internal/cri/server); doc comments name file and function. The only program of
// its images is the fault program.
//
// Calls that read take no time, and no lock is held while time passes: see latency.go.
package cri

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	criapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/measure/victim/play"
	"github.com/podclock/podclock/harness/virtual/_node/journal"
	"github.com/podclock/podclock/harness/virtual/_node/recorder"
)

// Options are the parts of the node that the runtime uses.
type Options struct {
	Recorder *recorder.Recorder
	// Images are the stop signals of the node's images by reference, empty for SIGTERM.
	Images map[string]string
	// ContainerStart is the time from a container's creation to its process' first instruction, 0 for the usual one.
	ContainerStart time.Duration
	// Fill fills a folder of a running container, and returns what stopped it. Only victims that fill need it.
	Fill func(c Container, run victim.Run) error
	// Stats measures a container, without its Attributes. Nil measures nothing.
	Stats func(c Container) *criapi.ContainerStats
	// Journal keeps all calls. It may be nil.
	Journal *journal.Journal
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
	// until when calls fail; the zero time is the next request
	failing map[string]time.Time
	// nil until a kubelet watches
	stops chan stop
}

// stop is the end of a container, or of a sandbox.
type stop struct {
	id      string
	sandbox *sandbox
}

// keptStops is more than the containers that stop while no kubelet watches.
const keptStops = 1000

func (r *Runtime) watchStops() <-chan stop {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stops == nil {
		r.stops = make(chan stop, keptStops)
	}
	return r.stops
}

func (r *Runtime) stopped(s stop) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case r.stops <- s:
	default:
	}
}

func New(options Options) *Runtime {
	if options.Stderr == nil {
		options.Stderr = os.Stderr
	}
	options.ContainerStart = cmp.Or(options.ContainerStart, containerStart)
	if options.Stats == nil {
		options.Stats = func(Container) *criapi.ContainerStats { return &criapi.ContainerStats{} }
	}
	return &Runtime{
		options:    options,
		images:     newImages(options.Images),
		network:    newNetwork(),
		sandboxes:  map[string]*sandbox{},
		containers: map[string]*container{},
		failing:    map[string]time.Time{},
	}
}

func (r *Runtime) number() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	return r.last
}

var errNotFound = errors.New("not found")

func noContainer(id string) error {
	return fmt.Errorf("an error occurred when try to find container %q: %w", id, errNotFound)
}

func noSandbox(id string) error {
	return fmt.Errorf("an error occurred when try to find sandbox %q: %w", id, errNotFound)
}

// process is the main process of a container: PID 1, a Go program with a handler for its stop signals.
type process struct {
	runtime   *Runtime
	container *container
	startedAt time.Time
	// killed ends by SIGKILL. alive ends a moment later, for any reason of death: other processes
	// (pid_namespaces(7)) and connections end with it.
	killed, alive context.Context
	kill, die     context.CancelFunc
	outOfMemory   atomic.Bool
	rebooted      atomic.Bool
	signals       chan signal
	// closed by the mark Started; the fields below are set then
	started  chan struct{}
	run      victim.Run
	recorder *recorder.Process
	probes   *play.Probes
}

type signal struct {
	name string
	at   time.Time
}

type container struct {
	id        string
	number    int
	config    *criapi.ContainerConfig
	sandbox   *sandbox
	image     image
	createdAt time.Time
	// set after a stop with a timeout has sent its signal
	signalled atomic.Bool
	// closed when the runtime has noticed the exit
	stopped chan struct{}

	mu                 sync.Mutex
	main               *process
	starting, removing bool
	finishedAt         time.Time
	exitCode           int32
	reason, message    string
	resources          *criapi.ContainerResources
}

func (r *Runtime) container(id string) (*container, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.containers[id]; c != nil {
		return c, nil
	}
	return nil, noContainer(id)
}

func (r *Runtime) allContainers() []*container {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.SortedFunc(maps.Values(r.containers), func(a, b *container) int { return a.number - b.number })
}

func (r *Runtime) containersOf(sandbox string) []*container {
	return slices.DeleteFunc(r.allContainers(), func(c *container) bool { return c.sandbox.id != sandbox })
}

func newID(kind string, number int) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s %d", kind, number)))
}

// sandbox is a pod's network and the pause container that holds it.
type sandbox struct {
	id        string
	number    int
	config    *criapi.PodSandboxConfig
	handler   string
	createdAt time.Time
	// zero if the pod uses the host's network
	ip netip.Addr

	mu    sync.Mutex
	ready bool
}

func (r *Runtime) sandbox(id string) (*sandbox, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.sandboxes[id]; s != nil {
		return s, nil
	}
	return nil, noSandbox(id)
}

func (r *Runtime) allSandboxes() []*sandbox {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.SortedFunc(maps.Values(r.sandboxes), func(a, b *sandbox) int { return a.number - b.number })
}

type port interface {
	// The errors are the kernel's or the context's.
	connect(ctx context.Context) (net.Conn, error)
	owner() *process
}

type network struct {
	mu     sync.Mutex
	newest netip.Addr
	up     map[netip.Addr]bool
	ports  map[netip.AddrPort]port
}

// podNetwork's first two addresses are the network's and the node's.
var podNetwork = netip.MustParseAddr("10.88.0.1")

func newNetwork() network {
	return network{newest: podNetwork, up: map[netip.Addr]bool{}, ports: map[netip.AddrPort]port{}}
}
