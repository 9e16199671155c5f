package cri

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	criclient "k8s.io/cri-client/pkg"
	"k8s.io/utils/exec"
)

// Version returns the runtime's name and version. The kubelet requires the CRI's own version to be 0.1.0.
func (c *Connection) Version(ctx context.Context, _ string) (*runtimeapi.VersionResponse, error) {
	return call(ctx, c, func(context.Context) (*runtimeapi.VersionResponse, error) {
		return &runtimeapi.VersionResponse{
			Version:           "0.1.0",
			RuntimeName:       "podclock",
			RuntimeVersion:    "v0.1.0",
			RuntimeApiVersion: "v1",
		}, nil
	})
}

// Status reports that runtime and network are ready.
func (c *Connection) Status(ctx context.Context, _ bool) (*runtimeapi.StatusResponse, error) {
	return call(ctx, c, func(context.Context) (*runtimeapi.StatusResponse, error) {
		return &runtimeapi.StatusResponse{Status: &runtimeapi.RuntimeStatus{Conditions: []*runtimeapi.RuntimeCondition{
			{Type: runtimeapi.RuntimeReady, Status: true}, {Type: runtimeapi.NetworkReady, Status: true},
		}}}, nil
	})
}

// RuntimeConfig returns a cgroup driver, although there are no cgroups.
func (c *Connection) RuntimeConfig(ctx context.Context) (*runtimeapi.RuntimeConfigResponse, error) {
	return call(ctx, c, func(context.Context) (*runtimeapi.RuntimeConfigResponse, error) {
		linux := &runtimeapi.LinuxRuntimeConfiguration{CgroupDriver: runtimeapi.CgroupDriver_CGROUPFS}
		return &runtimeapi.RuntimeConfigResponse{Linux: linux}, nil
	})
}

// UpdateRuntimeConfig ignores the node's pod CIDR.
func (c *Connection) UpdateRuntimeConfig(ctx context.Context, _ *runtimeapi.RuntimeConfig) error {
	return perform(ctx, c, func(context.Context) error { return nil })
}

// RunPodSandbox starts a sandbox. Its timeout is twice that of other calls (remote_runtime.go, RunPodSandbox).
func (c *Connection) RunPodSandbox(
	ctx context.Context, config *runtimeapi.PodSandboxConfig, handler string,
) (string, error) {
	return within(2*c.timeout, ctx, c, func(ctx context.Context) (string, error) {
		return c.runtime.runSandbox(ctx, config, handler)
	})
}

// StopPodSandbox kills the containers of a sandbox and stops it.
func (c *Connection) StopPodSandbox(ctx context.Context, id string) error {
	return perform(ctx, c, func(ctx context.Context) error { return c.runtime.stopSandbox(ctx, id) })
}

// RemovePodSandbox stops and removes a sandbox with all its containers.
func (c *Connection) RemovePodSandbox(ctx context.Context, id string) error {
	return perform(ctx, c, func(ctx context.Context) error { return c.runtime.removeSandbox(ctx, id) })
}

// PodSandboxStatus returns a sandbox's status.
func (c *Connection) PodSandboxStatus(
	ctx context.Context, id string, _ bool,
) (*runtimeapi.PodSandboxStatusResponse, error) {
	return call(ctx, c, func(context.Context) (*runtimeapi.PodSandboxStatusResponse, error) {
		s, err := c.runtime.sandbox(id)
		if err != nil {
			return nil, err
		}
		return &runtimeapi.PodSandboxStatusResponse{Status: s.status()}, nil
	})
}

// ListPodSandbox lists sandboxes.
func (c *Connection) ListPodSandbox(
	ctx context.Context, filter *runtimeapi.PodSandboxFilter,
) ([]*runtimeapi.PodSandbox, error) {
	return call(ctx, c, func(context.Context) ([]*runtimeapi.PodSandbox, error) {
		return c.runtime.listSandboxes(filter), nil
	})
}

// UpdatePodSandboxResources ignores a resize.
func (c *Connection) UpdatePodSandboxResources(
	ctx context.Context, _ *runtimeapi.UpdatePodSandboxResourcesRequest,
) (*runtimeapi.UpdatePodSandboxResourcesResponse, error) {
	return call(ctx, c, func(context.Context) (*runtimeapi.UpdatePodSandboxResourcesResponse, error) {
		return &runtimeapi.UpdatePodSandboxResourcesResponse{}, nil
	})
}

// CreateContainer creates a container.
func (c *Connection) CreateContainer(
	ctx context.Context, sandbox string, config *runtimeapi.ContainerConfig, _ *runtimeapi.PodSandboxConfig,
) (string, error) {
	return call(ctx, c, func(ctx context.Context) (string, error) {
		return c.runtime.createContainer(ctx, sandbox, config)
	})
}

// StartContainer starts a container.
func (c *Connection) StartContainer(ctx context.Context, id string) error {
	return perform(ctx, c, func(ctx context.Context) error { return c.runtime.start(ctx, id) })
}

// StopContainer stops a container within a number of seconds, which are added to the call's timeout
// (remote_runtime.go, StopContainer). An unknown container is no error (container_stop.go, StopContainer).
func (c *Connection) StopContainer(ctx context.Context, id string, timeout int64) error {
	grace := time.Duration(timeout) * time.Second
	_, err := within(c.timeout+grace, ctx, c, silent(func(ctx context.Context) error {
		stopped, err := c.runtime.container(id)
		if err != nil {
			return nil
		}
		return c.runtime.stop(ctx, stopped, grace)
	}))
	return err
}

// RemoveContainer removes a container.
func (c *Connection) RemoveContainer(ctx context.Context, id string) error {
	return perform(ctx, c, func(ctx context.Context) error { return c.runtime.removeContainer(ctx, id) })
}

// ListContainers lists containers.
func (c *Connection) ListContainers(
	ctx context.Context, filter *runtimeapi.ContainerFilter,
) ([]*runtimeapi.Container, error) {
	return call(ctx, c, func(context.Context) ([]*runtimeapi.Container, error) {
		return c.runtime.listContainers(filter), nil
	})
}

// ContainerStatus returns a container's status.
func (c *Connection) ContainerStatus(
	ctx context.Context, id string, _ bool,
) (*runtimeapi.ContainerStatusResponse, error) {
	return call(ctx, c, func(context.Context) (*runtimeapi.ContainerStatusResponse, error) {
		known, err := c.runtime.container(id)
		if err != nil {
			return nil, err
		}
		return &runtimeapi.ContainerStatusResponse{Status: known.status()}, nil
	})
}

// UpdateContainerResources changes the resources in a container's status.
func (c *Connection) UpdateContainerResources(
	ctx context.Context, id string, resources *runtimeapi.ContainerResources,
) error {
	return perform(ctx, c, func(context.Context) error {
		known, err := c.runtime.container(id)
		if err != nil {
			return err
		}
		known.setResources(resources)
		return nil
	})
}

// ReopenContainerLog does nothing: a victim's log stays empty.
func (c *Connection) ReopenContainerLog(ctx context.Context, _ string) error {
	return perform(ctx, c, func(context.Context) error { return nil })
}

// CheckpointContainer is not implemented.
func (c *Connection) CheckpointContainer(ctx context.Context, _ *runtimeapi.CheckpointContainerRequest) error {
	return perform(ctx, c, func(context.Context) error { return errUnimplemented })
}

// ExecSync runs a command in a container. Like cri-client's remote_runtime.go, execSyncV1, it returns cri-client's
// own error for a timeout, by which the kubelet distinguishes a failed probe from one that could not run, and an
// exec.CodeExitError for an exit code other than 0. Like cri-client's ExecSync, it adds the timeout to that of the
// call, and waits without limit if there is none.
func (c *Connection) ExecSync(
	ctx context.Context, id string, command []string, timeout time.Duration,
) (stdout, stderr []byte, err error) {
	if timeout != 0 {
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, c.timeout+timeout)
		defer end()
	}
	ended, err := unbounded(ctx, c, func(ctx context.Context) (result, error) {
		// The CRI counts in whole seconds.
		ended, err := c.runtime.exec(ctx, id, command, timeout.Truncate(time.Second))
		if err != nil {
			err = fmt.Errorf("failed to exec in container: %w", err)
		}
		return ended, err
	})
	line := strings.Join(command, " ")
	switch {
	case status.Code(err) == codes.DeadlineExceeded:
		return nil, nil, fmt.Errorf("%w: %q timed out after %s", criclient.ErrCommandTimedOut, line, timeout)
	case err != nil:
		return nil, nil, err
	case ended.code != 0:
		err = exec.CodeExitError{
			Err:  fmt.Errorf("command '%s' exited with %d: %s", line, ended.code, ended.stderr),
			Code: ended.code,
		}
	}
	return []byte(ended.stdout), []byte(ended.stderr), err
}

// GetContainerEvents has no events and ends with the call, which has no timeout: the kubelet uses lists.
func (c *Connection) GetContainerEvents(
	ctx context.Context,
	_ chan *runtimeapi.ContainerEventResponse,
	_ func(runtimeapi.RuntimeService_GetContainerEventsClient),
) error {
	_, err := unbounded(ctx, c, silent(func(ctx context.Context) error {
		<-ctx.Done()
		return errors.Join(errors.New("there are no more events"), ctx.Err())
	}))
	return err
}
