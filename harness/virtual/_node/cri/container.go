package cri

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/podclock/podclock/harness/victim/play"
)

// container is one container. It runs at most once.
type container struct {
	id        string
	number    int
	config    *runtimeapi.ContainerConfig
	sandbox   *sandbox
	image     image
	createdAt time.Time
	// signalled is set after a stop with a timeout has sent its signal.
	signalled atomic.Bool
	// stopped is closed when the runtime has noticed the exit.
	stopped chan struct{}

	mu                 sync.Mutex
	main               *process // nil before the start
	starting, removing bool
	finishedAt         time.Time
	exitCode           int32
	reason, message    string
	resources          *runtimeapi.ContainerResources
}

// newID returns an ID in containerd's format that is the same in every run.
func newID(kind string, number int) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s %d", kind, number)))
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
	var all []*container
	for _, c := range r.containers {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *container) int { return a.number - b.number })
	return all
}

func (r *Runtime) containersOf(sandbox string) []*container {
	return slices.DeleteFunc(r.allContainers(), func(c *container) bool { return c.sandbox.id != sandbox })
}

// createContainer makes a container in a sandbox (container_create.go, CreateContainer).
func (r *Runtime) createContainer(
	ctx context.Context, sandboxID string, config *runtimeapi.ContainerConfig,
) (string, error) {
	s, err := r.sandbox(sandboxID)
	if err != nil {
		return "", err
	}
	if config.GetMetadata() == nil {
		return "", errors.New("container config must include metadata")
	}
	image, ok := r.images.find(config.GetImage().GetImage())
	if !ok {
		return "", fmt.Errorf("failed to resolve image %q: %w", config.GetImage().GetImage(), errNotFound)
	}
	number := r.number()
	c := &container{
		id:        newID("container", number),
		number:    number,
		config:    config,
		sandbox:   s,
		image:     image,
		createdAt: time.Now(),
		stopped:   make(chan struct{}),
		resources: &runtimeapi.ContainerResources{Linux: config.GetLinux().GetResources()},
	}
	if !play.Sleep(ctx, containerCreate) {
		return "", fmt.Errorf("failed to create container: %w", ctx.Err())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.containers[c.id] = c
	return c.id, nil
}

// removeContainer kills a running container and forgets it. An unknown container is no error (container_remove.go,
// RemoveContainer).
func (r *Runtime) removeContainer(ctx context.Context, id string) error {
	c, err := r.container(id)
	if err != nil {
		return nil
	}
	if err := r.stop(ctx, c, 0); err != nil {
		return fmt.Errorf("failed to forcibly stop container %q: %w", id, err)
	}
	if err := c.beginRemoval(); err != nil {
		return fmt.Errorf("failed to set removing state for container %q: %w", id, err)
	}
	if !play.Sleep(ctx, containerRemove) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.removing = false
		return fmt.Errorf("failed to delete container %q: %w", id, ctx.Err())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.containers, id)
	return nil
}

// beginRemoval prevents that others start or remove the container (container_remove.go, setContainerRemoving).
func (c *container) beginRemoval() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.stateNow() == runtimeapi.ContainerState_CONTAINER_RUNNING:
		return errors.New("container is still running, to stop first")
	case c.starting:
		return errors.New("container is in starting state, can't be removed")
	case c.removing:
		return errors.New("container is already in removing state")
	}
	c.removing = true
	return nil
}

func (c *container) state() runtimeapi.ContainerState {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stateNow()
}

// stateNow returns the state. The caller holds the lock (store/container/status.go, Status.State).
func (c *container) stateNow() runtimeapi.ContainerState {
	switch {
	case !c.finishedAt.IsZero():
		return runtimeapi.ContainerState_CONTAINER_EXITED
	case c.main != nil:
		return runtimeapi.ContainerState_CONTAINER_RUNNING
	}
	return runtimeapi.ContainerState_CONTAINER_CREATED
}

// running returns the main process, or nil unless the runtime believes that it runs.
func (c *container) running() *process {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stateNow() == runtimeapi.ContainerState_CONTAINER_RUNNING {
		return c.main
	}
	return nil
}

// exited records that the main process has exited (events.go, handleContainerExit).
func (c *container) exited(at time.Time, code int32, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finishedAt, c.exitCode, c.reason = at, code, reason
	close(c.stopped)
}

// setResources changes the resources if Linux ones are given (container_update_resources_linux.go).
func (c *container) setResources(resources *runtimeapi.ContainerResources) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if resources.GetLinux() != nil {
		c.resources = resources
	}
}

// logPath returns the path at which the kubelet looks for the container's log, or "".
func (c *container) logPath() string {
	directory, path := c.sandbox.config.GetLogDirectory(), c.config.GetLogPath()
	if directory == "" || path == "" {
		return ""
	}
	return filepath.Join(directory, path)
}

func (c *container) view() Container {
	c.mu.Lock()
	main, running := c.main, c.stateNow() == runtimeapi.ContainerState_CONTAINER_RUNNING
	c.mu.Unlock()
	pod := c.sandbox.config.GetMetadata()
	view := Container{
		ID:           c.id,
		Name:         c.config.GetMetadata().GetName(),
		PodUID:       pod.GetUid(),
		PodName:      pod.GetName(),
		PodNamespace: pod.GetNamespace(),
		Labels:       c.config.GetLabels(),
		Annotations:  c.config.GetAnnotations(),
		Mounts:       map[string]string{},
		Running:      running,
		SandboxID:    c.sandbox.id,
		Attempt:      c.config.GetMetadata().GetAttempt(),
		CreatedAt:    c.createdAt,
	}
	for _, m := range c.config.GetMounts() {
		view.Mounts[m.GetContainerPath()] = m.GetHostPath()
	}
	if running {
		view.Ballast = main.ballast()
	}
	return view
}
