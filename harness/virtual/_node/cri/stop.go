package cri

import (
	"context"
	"fmt"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/podclock/podclock/harness/victim/play"
)

// stop stops a running container. With a timeout it sends the stop signal, and SIGKILL after the timeout; without
// one it sends SIGKILL at once. The stop signal is sent once: a second stop only waits for its own timeout. A
// cancelled stop sends nothing more (container_stop.go, stopContainer).
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

// awaitStop waits until the runtime has noticed the container's exit (container_stop.go, waitContainerStop).
func (c *container) awaitStop(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return fmt.Errorf("wait container %q: %w", c.id, ctx.Err())
	case <-c.stopped:
		return nil
	}
}

// stopSignal returns the pod's own stop signal, else the image's, else SIGTERM.
func (c *container) stopSignal() string {
	if own := c.config.GetStopSignal(); own != runtimeapi.Signal_RUNTIME_DEFAULT {
		return own.String()
	}
	if c.image.stopSignal != "" {
		return signalName(c.image.stopSignal)
	}
	return "SIGTERM"
}
