package cri

import (
	"context"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// ContainerStats is what one container uses.
func (c *Connection) ContainerStats(ctx context.Context, id string) (*runtimeapi.ContainerStats, error) {
	return call(ctx, c, func(context.Context) (*runtimeapi.ContainerStats, error) {
		known, err := c.runtime.container(id)
		if err != nil {
			return nil, err
		}
		return c.runtime.stats(known), nil
	})
}

// ListContainerStats is what containers use.
func (c *Connection) ListContainerStats(ctx context.Context, filter *runtimeapi.ContainerStatsFilter) ([]*runtimeapi.ContainerStats, error) {
	return call(ctx, c, func(context.Context) ([]*runtimeapi.ContainerStats, error) { return c.runtime.listStats(filter), nil })
}

// PodSandboxStats is what one pod uses.
func (c *Connection) PodSandboxStats(ctx context.Context, id string) (*runtimeapi.PodSandboxStats, error) {
	return call(ctx, c, func(context.Context) (*runtimeapi.PodSandboxStats, error) {
		known, err := c.runtime.sandbox(id)
		if err != nil {
			return nil, err
		}
		return c.runtime.sandboxStats(known), nil
	})
}

// ListPodSandboxStats is what pods use.
func (c *Connection) ListPodSandboxStats(ctx context.Context, filter *runtimeapi.PodSandboxStatsFilter) ([]*runtimeapi.PodSandboxStats, error) {
	return call(ctx, c, func(context.Context) ([]*runtimeapi.PodSandboxStats, error) {
		return c.runtime.listSandboxStats(filter), nil
	})
}

// ListMetricDescriptors describes no metrics.
func (c *Connection) ListMetricDescriptors(ctx context.Context) ([]*runtimeapi.MetricDescriptor, error) {
	return call(ctx, c, func(context.Context) ([]*runtimeapi.MetricDescriptor, error) { return nil, nil })
}

// ListPodSandboxMetrics has no metrics.
func (c *Connection) ListPodSandboxMetrics(ctx context.Context) ([]*runtimeapi.PodSandboxMetrics, error) {
	return call(ctx, c, func(context.Context) ([]*runtimeapi.PodSandboxMetrics, error) { return nil, nil })
}

// ListImages lists the images that the node has.
func (c *Connection) ListImages(ctx context.Context, filter *runtimeapi.ImageFilter) ([]*runtimeapi.Image, error) {
	return call(ctx, c, func(context.Context) ([]*runtimeapi.Image, error) { return c.runtime.listImages(filter), nil })
}

// ImageStatus is an image's status, without an image when the node has none by that name.
func (c *Connection) ImageStatus(ctx context.Context, image *runtimeapi.ImageSpec, _ bool) (*runtimeapi.ImageStatusResponse, error) {
	return call(ctx, c, func(context.Context) (*runtimeapi.ImageStatusResponse, error) {
		return c.runtime.imageStatus(image.GetImage()), nil
	})
}

// PullImage finds an image that is there; any other can't be had.
func (c *Connection) PullImage(
	ctx context.Context, image *runtimeapi.ImageSpec, _ *runtimeapi.AuthConfig, _ *runtimeapi.PodSandboxConfig,
) (string, error) {
	return call(ctx, c, func(ctx context.Context) (string, error) { return c.runtime.pull(ctx, image.GetImage()) })
}

// RemoveImage leaves the image where it is: no scenario is about image garbage collection.
func (c *Connection) RemoveImage(ctx context.Context, _ *runtimeapi.ImageSpec) error {
	return perform(ctx, c, func(context.Context) error { return nil })
}

// ImageFsInfo is the file system of images and writable layers.
func (c *Connection) ImageFsInfo(ctx context.Context) (*runtimeapi.ImageFsInfoResponse, error) {
	return call(ctx, c, func(context.Context) (*runtimeapi.ImageFsInfoResponse, error) { return c.runtime.imageFS(), nil })
}
