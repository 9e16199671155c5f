package cri

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	criapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/podclock/podclock/harness/victim/play"
)

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
	return slices.SortedFunc(maps.Values(r.containers), func(a, b *container) int { return a.number - b.number })
}

func (r *Runtime) containersOf(sandbox string) []*container {
	return slices.DeleteFunc(r.allContainers(), func(c *container) bool { return c.sandbox.id != sandbox })
}

// createContainer is CreateContainer (container_create.go).
func (r *Runtime) createContainer(
	ctx context.Context, sandboxID string, config *criapi.ContainerConfig,
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
		resources: &criapi.ContainerResources{Linux: config.GetLinux().GetResources()},
	}
	if !play.Sleep(ctx, containerCreate) {
		return "", fmt.Errorf("failed to create container: %w", ctx.Err())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.containers[c.id] = c
	return c.id, nil
}

// removeContainer kills a running container and forgets it. An unknown one is no error (container_remove.go,
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

// beginRemoval is setContainerRemoving (container_remove.go).
func (c *container) beginRemoval() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.stateNow() == criapi.ContainerState_CONTAINER_RUNNING:
		return errors.New("container is still running, to stop first")
	case c.starting:
		return errors.New("container is in starting state, can't be removed")
	case c.removing:
		return errors.New("container is already in removing state")
	}
	c.removing = true
	return nil
}

func (c *container) state() criapi.ContainerState {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stateNow()
}

// stateNow is Status.State (store/container/status.go). The caller holds the lock.
func (c *container) stateNow() criapi.ContainerState {
	switch {
	case !c.finishedAt.IsZero():
		return criapi.ContainerState_CONTAINER_EXITED
	case c.main != nil:
		return criapi.ContainerState_CONTAINER_RUNNING
	}
	return criapi.ContainerState_CONTAINER_CREATED
}

// running returns the main process if the runtime believes that it runs, or nil.
func (c *container) running() *process {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stateNow() == criapi.ContainerState_CONTAINER_RUNNING {
		return c.main
	}
	return nil
}

// exited is handleContainerExit (events.go).
func (c *container) exited(at time.Time, code int32, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finishedAt, c.exitCode, c.reason = at, code, reason
	close(c.stopped)
}

// setResources changes Linux resources (container_update_resources_linux.go).
func (c *container) setResources(resources *criapi.ContainerResources) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if resources.GetLinux() != nil {
		c.resources = resources
	}
}

func (c *container) logPath() string {
	directory, path := c.sandbox.config.GetLogDirectory(), c.config.GetLogPath()
	if directory == "" || path == "" {
		return ""
	}
	return filepath.Join(directory, path)
}

func (c *container) view() Container {
	c.mu.Lock()
	main, running := c.main, c.stateNow() == criapi.ContainerState_CONTAINER_RUNNING
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
