package cri

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	criapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/measure/victim/play"
)

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
	seccomp := config.GetLinux().GetSecurityContext().GetSeccomp()
	if seccomp.GetProfileType() == criapi.SecurityProfile_Localhost {
		if _, err := os.Stat(seccomp.GetLocalhostRef()); err != nil {
			return "", fmt.Errorf("failed to generate seccomp spec opts: failed to load seccomp profile: %w", err)
		}
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
	r.options.Journal.Name(c.id, podOf(s.config)+"/"+config.GetMetadata().GetName())
	if !play.Sleep(ctx, containerCreate) {
		return "", fmt.Errorf("failed to create container: %w", ctx.Err())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.containers[c.id] = c
	return c.id, nil
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

// Containers returns all containers that were not removed, in the order of their creation.
func (r *Runtime) Containers() []Container {
	var views []Container
	for _, c := range r.allContainers() {
		views = append(views, c.view())
	}
	return views
}

func (s *sandbox) state() criapi.PodSandboxState {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready {
		return criapi.PodSandboxState_SANDBOX_READY
	}
	return criapi.PodSandboxState_SANDBOX_NOTREADY
}

// endSandbox is handleSandboxExit (events.go).
func (r *Runtime) endSandbox(s *sandbox) {
	s.mu.Lock()
	s.ready = false
	s.mu.Unlock()
	r.stopped(stop{s.id, s})
}

func (p *process) hasStarted() bool {
	select {
	case <-p.started:
		return true
	default:
		return false
	}
}

func (p *process) ballast() int {
	if !p.hasStarted() {
		return 0
	}
	return p.run.Ballast
}

func (c *container) identity(role mark.Role) (mark.Identity, error) {
	env := map[string]string{}
	for _, variable := range c.config.GetEnvs() {
		env[variable.GetKey()] = string(variable.GetValue())
	}
	var missing []string
	for _, name := range []string{victim.EnvPod, victim.EnvUID, victim.EnvContainer} {
		if env[name] == "" {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		names := strings.Join(missing, ", ")
		return mark.Identity{}, fmt.Errorf("the environment lacks %s: the pod's spec must set them", names)
	}
	return mark.Identity{
		Pod:       env[victim.EnvPod],
		UID:       env[victim.EnvUID],
		Container: env[victim.EnvContainer],
		Role:      role,
	}, nil
}

func (c *container) commandLine() []string {
	command := c.config.GetCommand()
	if len(command) == 0 {
		command = []string{victim.Program}
	}
	return slices.Concat(command, c.config.GetArgs())
}

// The reasons of an exit (server/helpers.go).
const (
	completed  = "Completed"
	failed     = "Error"
	oomKilled  = "OOMKilled"
	startError = "StartError"
)

// startErrorCode is errorStartExitCode (server/helpers.go).
const startErrorCode = 128
