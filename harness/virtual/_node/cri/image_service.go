package cri

import (
	"context"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// ListImages lists the images that the node has.
func (c *Connection) ListImages(ctx context.Context, filter *runtimeapi.ImageFilter) ([]*runtimeapi.Image, error) {
	return call(ctx, c, func(context.Context) ([]*runtimeapi.Image, error) { return c.runtime.listImages(filter), nil })
}

// ImageStatus returns an image's status. The image is nil if the node has none of this name.
func (c *Connection) ImageStatus(
	ctx context.Context, image *runtimeapi.ImageSpec, _ bool,
) (*runtimeapi.ImageStatusResponse, error) {
	return call(ctx, c, func(context.Context) (*runtimeapi.ImageStatusResponse, error) {
		return c.runtime.imageStatus(image.GetImage()), nil
	})
}

// PullImage returns a present image. Every other image is unknown. The call has no timeout (cri-client's
// remote_image.go, PullImage).
func (c *Connection) PullImage(
	ctx context.Context, image *runtimeapi.ImageSpec, _ *runtimeapi.AuthConfig, _ *runtimeapi.PodSandboxConfig,
) (string, error) {
	return unbounded(ctx, c, func(ctx context.Context) (string, error) { return c.runtime.pull(ctx, image.GetImage()) })
}

// RemoveImage does nothing: no scenario needs image garbage collection.
func (c *Connection) RemoveImage(ctx context.Context, _ *runtimeapi.ImageSpec) error {
	return perform(ctx, c, func(context.Context) error { return nil })
}

// ImageFsInfo returns the file system of images and writable layers.
func (c *Connection) ImageFsInfo(ctx context.Context) (*runtimeapi.ImageFsInfoResponse, error) {
	return call(ctx, c, func(context.Context) (*runtimeapi.ImageFsInfoResponse, error) {
		return c.runtime.imageFSInfo(), nil
	})
}
