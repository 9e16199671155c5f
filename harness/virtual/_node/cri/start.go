package cri

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	criapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/measure/victim/play"
)

// start is StartContainer (container_start.go). A container that fails to start has exited with StartError.
func (r *Runtime) start(ctx context.Context, id string) error {
	c, err := r.container(id)
	if err != nil {
		return err
	}
	if err := c.beginStart(); err != nil {
		return fmt.Errorf("failed to set starting state for container %q: %w", id, err)
	}
	err = r.startTask(ctx, c)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.starting = false
	if err != nil {
		c.finishedAt, c.exitCode, c.reason, c.message = time.Now(), startErrorCode, startError, err.Error()
		close(c.stopped)
		return err
	}
	c.main = newProcess(r, c)
	go c.main.live()
	return nil
}

// beginStart is setContainerStarting (container_start.go).
func (c *container) beginStart() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.stateNow() != criapi.ContainerState_CONTAINER_CREATED:
		return fmt.Errorf("container is in %s state", c.stateNow())
	case c.removing:
		return errors.New("container is in removing state, can't be started")
	case c.starting:
		return errors.New("container is already in starting state")
	}
	c.starting = true
	return nil
}

func (r *Runtime) startTask(ctx context.Context, c *container) error {
	if c.sandbox.state() != criapi.PodSandboxState_SANDBOX_READY {
		return fmt.Errorf("sandbox container %q is not running", c.sandbox.id)
	}
	if err := openLog(c.logPath()); err != nil {
		return fmt.Errorf("failed to create containerd task: %w", err)
	}
	if !play.Sleep(ctx, r.options.ContainerStart) {
		return fmt.Errorf("failed to start containerd task %q: %w", c.id, ctx.Err())
	}
	if program := c.commandLine()[0]; program != victim.Program {
		return fmt.Errorf("failed to create containerd task: failed to create shim task: "+
			"OCI runtime create failed: runc create failed: %w", noProgram(program))
	}
	return nil
}

// openLog creates the log for which the kubelet looks (container_start.go, createContainerLoggers).
func openLog(path string) error {
	if path == "" {
		return nil
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o640)
	if err != nil {
		return fmt.Errorf("failed to create and open log file: %w", err)
	}
	return file.Close()
}

func noProgram(program string) error {
	if strings.Contains(program, "/") {
		return fmt.Errorf("unable to start container process: exec: %q: stat %s: no such file or directory: unknown",
			program, program)
	}
	return fmt.Errorf("unable to start container process: exec: %q: executable file not found in $PATH: unknown",
		program)
}

// stop sends the stop signal once, and SIGKILL after the timeout, or at once without one. A second stop only waits
// for its own timeout. A cancelled stop sends nothing more (container_stop.go, stopContainer).
func (r *Runtime) stop(ctx context.Context, c *container, timeout time.Duration) error {
	main := c.running()
	if main == nil {
		return nil
	}
	if timeout > 0 {
		if c.signalled.CompareAndSwap(false, true) {
			main.send(c.stopSignal())
			play.Sleep(ctx, signalDelivery)
		}
		waiting, end := context.WithTimeout(ctx, timeout)
		defer end()
		if c.awaitStop(waiting) == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	main.sendKill()
	if err := c.awaitStop(ctx); err != nil {
		return fmt.Errorf("an error occurs during waiting for container %q to be killed: %w", c.id, err)
	}
	return nil
}

// awaitStop is waitContainerStop (container_stop.go).
func (c *container) awaitStop(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return fmt.Errorf("wait container %q: %w", c.id, ctx.Err())
	case <-c.stopped:
		return nil
	}
}

func (c *container) stopSignal() string {
	if own := ownSignal(c.config); own != "" {
		return own
	}
	if c.image.stopSignal != "" {
		return signalName(c.image.stopSignal)
	}
	return "SIGTERM"
}

// signalName returns a signal's name with SIG, which is optional in images and the CRI.
func signalName(name string) string {
	if strings.HasPrefix(name, "SIG") {
		return name
	}
	return "SIG" + name
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

// Remove removes the dead containers of a name, as crictl rm does.
func (r *Runtime) Remove(name string) error {
	removed := 0
	for _, c := range r.allContainers() {
		if c.config.GetMetadata().GetName() != name || c.state() != criapi.ContainerState_CONTAINER_EXITED {
			continue
		}
		if err := r.removeContainer(context.Background(), c.id); err != nil {
			return err
		}
		removed++
	}
	if removed == 0 {
		return fmt.Errorf("no container %s is dead", name)
	}
	return nil
}

// Reboot ends all processes, those of sandboxes too, while no runtime sees it.
func (r *Runtime) Reboot() {
	for _, s := range r.allSandboxes() {
		r.endSandbox(s)
	}
	for _, c := range r.allContainers() {
		if main := c.running(); main != nil {
			main.rebooted.Store(true)
			main.kill()
		}
	}
}
