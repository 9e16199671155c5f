package cri

import (
	"context"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	criapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/utils/exec"
)

func (c *Connection) Version(ctx context.Context, _ string) (*criapi.VersionResponse, error) {
	return call(ctx, c, entry("Version", nil), func(context.Context) (*criapi.VersionResponse, error) {
		return &criapi.VersionResponse{
			Version:           "0.1.0",
			RuntimeName:       "podclock",
			RuntimeVersion:    "v0.1.0",
			RuntimeApiVersion: "v1",
		}, nil
	})
}

func (c *Connection) Status(ctx context.Context, _ bool) (*criapi.StatusResponse, error) {
	return call(ctx, c, entry("Status", nil), func(context.Context) (*criapi.StatusResponse, error) {
		return &criapi.StatusResponse{Status: &criapi.RuntimeStatus{Conditions: []*criapi.RuntimeCondition{
			{Type: criapi.RuntimeReady, Status: true}, {Type: criapi.NetworkReady, Status: true},
		}}}, nil
	})
}

// RunPodSandbox has twice the timeout of other calls (remote_runtime.go, RunPodSandbox).
func (c *Connection) RunPodSandbox(
	ctx context.Context, config *criapi.PodSandboxConfig, handler string,
) (string, error) {
	e := ofPod("RunPodSandbox", config, config)
	return within(2*c.timeout, ctx, c, e, func(ctx context.Context) (string, error) {
		return c.runtime.runSandbox(ctx, config, handler)
	})
}

func (c *Connection) StopPodSandbox(ctx context.Context, id string) error {
	e := c.ofSandbox("StopPodSandbox", id, nil)
	return perform(ctx, c, e, func(ctx context.Context) error { return c.runtime.stopSandbox(ctx, id) })
}

func (c *Connection) RemovePodSandbox(ctx context.Context, id string) error {
	e := c.ofSandbox("RemovePodSandbox", id, nil)
	return perform(ctx, c, e, func(ctx context.Context) error { return c.runtime.removeSandbox(ctx, id) })
}

func (c *Connection) PodSandboxStatus(
	ctx context.Context, id string, _ bool,
) (*criapi.PodSandboxStatusResponse, error) {
	e := c.ofSandbox("PodSandboxStatus", id, nil)
	return call(ctx, c, e, func(context.Context) (*criapi.PodSandboxStatusResponse, error) {
		s, err := c.runtime.sandbox(id)
		if err != nil {
			return nil, err
		}
		return &criapi.PodSandboxStatusResponse{Status: s.status()}, nil
	})
}

func (c *Connection) ListPodSandbox(
	ctx context.Context, filter *criapi.PodSandboxFilter,
) ([]*criapi.PodSandbox, error) {
	return call(ctx, c, entry("ListPodSandbox", filter), func(context.Context) ([]*criapi.PodSandbox, error) {
		return c.runtime.listSandboxes(filter), nil
	})
}

func (c *Connection) CreateContainer(
	ctx context.Context, sandbox string, config *criapi.ContainerConfig, _ *criapi.PodSandboxConfig,
) (string, error) {
	return call(ctx, c, c.toCreate(sandbox, config), func(ctx context.Context) (string, error) {
		return c.runtime.createContainer(ctx, sandbox, config)
	})
}

func (c *Connection) StartContainer(ctx context.Context, id string) error {
	e := c.ofContainer("StartContainer", id, nil)
	return perform(ctx, c, e, func(ctx context.Context) error { return c.runtime.start(ctx, id) })
}

// StopContainer adds its timeout to the call's (remote_runtime.go, StopContainer). An unknown container is no error
// (container_stop.go, StopContainer).
func (c *Connection) StopContainer(ctx context.Context, id string, timeout int64) error {
	grace := time.Duration(timeout) * time.Second
	e := c.ofContainer("StopContainer", id, timeout)
	_, err := within(c.timeout+grace, ctx, c, e, noAnswer(func(ctx context.Context) error {
		stopped, err := c.runtime.container(id)
		if err != nil {
			return nil
		}
		return c.runtime.stop(ctx, stopped, grace)
	}))
	return err
}

func (c *Connection) RemoveContainer(ctx context.Context, id string) error {
	e := c.ofContainer("RemoveContainer", id, nil)
	return perform(ctx, c, e, func(ctx context.Context) error { return c.runtime.removeContainer(ctx, id) })
}

func (c *Connection) ListContainers(
	ctx context.Context, filter *criapi.ContainerFilter,
) ([]*criapi.Container, error) {
	return call(ctx, c, entry("ListContainers", filter), func(context.Context) ([]*criapi.Container, error) {
		return c.runtime.listContainers(filter), nil
	})
}

func (c *Connection) ContainerStatus(
	ctx context.Context, id string, _ bool,
) (*criapi.ContainerStatusResponse, error) {
	e := c.ofContainer("ContainerStatus", id, nil)
	return call(ctx, c, e, func(context.Context) (*criapi.ContainerStatusResponse, error) {
		known, err := c.runtime.container(id)
		if err != nil {
			return nil, err
		}
		return &criapi.ContainerStatusResponse{Status: known.status()}, nil
	})
}

func (c *Connection) UpdateContainerResources(
	ctx context.Context, id string, resources *criapi.ContainerResources,
) error {
	return perform(ctx, c, c.ofContainer("UpdateContainerResources", id, resources), func(context.Context) error {
		known, err := c.runtime.container(id)
		if err != nil {
			return err
		}
		known.setResources(resources)
		return nil
	})
}

func (c *Connection) ReopenContainerLog(ctx context.Context, id string) error {
	return perform(ctx, c, c.ofContainer("ReopenContainerLog", id, nil), func(context.Context) error { return nil })
}

// ExecSync returns cri-client's own error for a timeout (remote_runtime.go, execSyncV1), by which the kubelet
// distinguishes a failed probe from one that could not run, and an exec.CodeExitError for an exit code other than
// 0. It adds its timeout to the call's; 0 is no limit.
func (c *Connection) ExecSync(
	ctx context.Context, id string, command []string, timeout time.Duration,
) (stdout, stderr []byte, err error) {
	if timeout != 0 {
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, c.timeout+timeout)
		defer end()
	}
	e := c.ofContainer("ExecSync", id, []any{command, timeout})
	ended, err := unbounded(ctx, c, e, func(ctx context.Context) (result, error) {
		// the CRI counts in whole seconds
		ended, err := c.runtime.exec(ctx, id, command, timeout.Truncate(time.Second))
		if err != nil {
			err = fmt.Errorf("failed to exec in container: %w", err)
		}
		return ended, err
	})
	line := strings.Join(command, " ")
	switch {
	case status.Code(err) == codes.DeadlineExceeded:
		return nil, nil, timedOut(line, timeout)
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

func (c *Connection) ListContainerStats(
	ctx context.Context, filter *criapi.ContainerStatsFilter,
) ([]*criapi.ContainerStats, error) {
	return call(ctx, c, entry("ListContainerStats", filter), func(context.Context) ([]*criapi.ContainerStats, error) {
		return c.runtime.listStats(filter), nil
	})
}
