package cri

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/podclock/podclock/harness/victim"
	"github.com/podclock/podclock/harness/victim/play"
)

// start starts the main process of a container. If this fails, the container has exited with StartError
// (container_start.go, StartContainer).
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

// beginStart prevents that others start or remove the container (container_start.go, setContainerStarting).
func (c *container) beginStart() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.stateNow() != runtimeapi.ContainerState_CONTAINER_CREATED:
		return fmt.Errorf("container is in %s state", c.stateNow())
	case c.removing:
		return errors.New("container is in removing state, can't be started")
	case c.starting:
		return errors.New("container is already in starting state")
	}
	c.starting = true
	return nil
}

// startTask performs the steps before the process' first instruction.
func (r *Runtime) startTask(ctx context.Context, c *container) error {
	if c.sandbox.state() != runtimeapi.PodSandboxState_SANDBOX_READY {
		return fmt.Errorf("sandbox container %q is not running", c.sandbox.id)
	}
	if err := openLog(c.logPath()); err != nil {
		return fmt.Errorf("failed to create containerd task: %w", err)
	}
	if !play.Sleep(ctx, containerStart) {
		return fmt.Errorf("failed to start containerd task %q: %w", c.id, ctx.Err())
	}
	if program := c.commandLine()[0]; program != victim.Program {
		return fmt.Errorf("failed to create containerd task: failed to create shim task: "+
			"OCI runtime create failed: runc create failed: %w", noProgram(program))
	}
	return nil
}

// openLog creates the container's log, which stays empty; the kubelet looks for it (container_start.go,
// createContainerLoggers).
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

// commandLine returns the program and its arguments. The entrypoint of every image is the fault program.
func (c *container) commandLine() []string {
	command := c.config.GetCommand()
	if len(command) == 0 {
		command = []string{victim.Program}
	}
	return append(append([]string{}, command...), c.config.GetArgs()...)
}

// noProgram returns runc's error for a program that the image does not have.
func noProgram(program string) error {
	if strings.Contains(program, "/") {
		return fmt.Errorf("unable to start container process: exec: %q: stat %s: no such file or directory: unknown",
			program, program)
	}
	return fmt.Errorf("unable to start container process: exec: %q: executable file not found in $PATH: unknown",
		program)
}
