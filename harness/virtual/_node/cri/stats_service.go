package cri

import (
	"context"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// ContainerStats returns the usage of a container.
func (c *Connection) ContainerStats(ctx context.Context, id string) (*runtimeapi.ContainerStats, error) {
	return call(ctx, c, func(context.Context) (*runtimeapi.ContainerStats, error) {
		known, err := c.runtime.container(id)
		if err != nil {
			return nil, err
		}
		return c.runtime.stats(known), nil
	})
}

// ListContainerStats returns the usage of containers.
func (c *Connection) ListContainerStats(
	ctx context.Context, filter *runtimeapi.ContainerStatsFilter,
) ([]*runtimeapi.ContainerStats, error) {
	return call(ctx, c, func(context.Context) ([]*runtimeapi.ContainerStats, error) {
		return c.runtime.listStats(filter), nil
	})
}

// PodSandboxStats returns the usage of a pod.
func (c *Connection) PodSandboxStats(ctx context.Context, id string) (*runtimeapi.PodSandboxStats, error) {
	return call(ctx, c, func(context.Context) (*runtimeapi.PodSandboxStats, error) {
		known, err := c.runtime.sandbox(id)
		if err != nil {
			return nil, err
		}
		return c.runtime.sandboxStats(known), nil
	})
}

// ListPodSandboxStats returns the usage of pods.
func (c *Connection) ListPodSandboxStats(
	ctx context.Context, filter *runtimeapi.PodSandboxStatsFilter,
) ([]*runtimeapi.PodSandboxStats, error) {
	return call(ctx, c, func(context.Context) ([]*runtimeapi.PodSandboxStats, error) {
		return c.runtime.listSandboxStats(filter), nil
	})
}

// ListMetricDescriptors returns no metrics.
func (c *Connection) ListMetricDescriptors(ctx context.Context) ([]*runtimeapi.MetricDescriptor, error) {
	return call(ctx, c, func(context.Context) ([]*runtimeapi.MetricDescriptor, error) { return nil, nil })
}

// ListPodSandboxMetrics returns no metrics.
func (c *Connection) ListPodSandboxMetrics(ctx context.Context) ([]*runtimeapi.PodSandboxMetrics, error) {
	return call(ctx, c, func(context.Context) ([]*runtimeapi.PodSandboxMetrics, error) { return nil, nil })
}
