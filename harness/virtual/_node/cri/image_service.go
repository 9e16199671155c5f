package cri

import (
	"context"
	"fmt"
	"strings"
	"time"

	criapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/podclock/podclock/harness/measure/mark"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/harness/measure/victim/play"
)

// pull returns a present image after the time of a pull. The recorder's registry marks attempts at others
// (internal/cri/server/images/image_pull.go, PullImage).
func (r *Runtime) pull(ctx context.Context, name string) (string, error) {
	if present, ok := r.images.find(name); ok {
		if !play.Sleep(ctx, pulled) {
			return "", fmt.Errorf("failed to pull and unpack image %q: %w", name, ctx.Err())
		}
		return present.id, nil
	}
	if !play.Sleep(ctx, pullRefused) {
		return "", fmt.Errorf("failed to pull and unpack image %q: %w", name, ctx.Err())
	}
	if namespace, pod, container, ok := unpullable(name); ok {
		r.options.Recorder.Pulled(namespace, pod, container)
		if strings.HasSuffix(name, ":"+mark.SlowTag) && !play.Sleep(ctx, victim.SlowPull) {
			return "", fmt.Errorf("failed to pull and unpack image %q: %w", name, ctx.Err())
		}
	}
	return "", fmt.Errorf("failed to pull and unpack image %q: failed to resolve reference %q: %s: %w",
		name, name, name, errNotFound)
}

func unpullable(name string) (namespace, pod, container string, ok bool) {
	repository := name[:max(0, strings.LastIndex(name, ":"))]
	parts := strings.Split(repository, "/")
	if len(parts) != 4 || mark.UnpullableImage(parts[1], parts[2], parts[3]) != repository {
		return "", "", "", false
	}
	return parts[1], parts[2], parts[3], true
}

func (r *Runtime) imageStatus(name string) *criapi.ImageStatusResponse {
	present, ok := r.images.find(name)
	if !ok {
		return &criapi.ImageStatusResponse{}
	}
	return &criapi.ImageStatusResponse{Image: present.listed()}
}

func (r *Runtime) listImages(filter *criapi.ImageFilter) []*criapi.Image {
	var listed []*criapi.Image
	for _, present := range r.images.all {
		if wanted := filter.GetImage().GetImage(); wanted == "" || wanted == present.id || wanted == present.reference {
			listed = append(listed, present.listed())
		}
	}
	return listed
}

func (r *Runtime) imageFSInfo() *criapi.ImageFsInfoResponse {
	usage := &criapi.FilesystemUsage{
		Timestamp:  time.Now().UnixNano(),
		FsId:       &criapi.FilesystemIdentifier{Mountpoint: LayerRoot},
		UsedBytes:  &criapi.UInt64Value{Value: uint64(len(r.images.all)) * imageSize},
		InodesUsed: &criapi.UInt64Value{Value: uint64(len(r.images.all))},
	}
	return &criapi.ImageFsInfoResponse{
		ImageFilesystems:     []*criapi.FilesystemUsage{usage},
		ContainerFilesystems: []*criapi.FilesystemUsage{usage},
	}
}

func (c *Connection) ListImages(ctx context.Context, filter *criapi.ImageFilter) ([]*criapi.Image, error) {
	e := entry("ListImages", filter)
	return call(ctx, c, e, func(context.Context) ([]*criapi.Image, error) { return c.runtime.listImages(filter), nil })
}

// ImageStatus returns no image if the node has none of this name.
func (c *Connection) ImageStatus(
	ctx context.Context, image *criapi.ImageSpec, _ bool,
) (*criapi.ImageStatusResponse, error) {
	return call(ctx, c, entry("ImageStatus", image), func(context.Context) (*criapi.ImageStatusResponse, error) {
		return c.runtime.imageStatus(image.GetImage()), nil
	})
}

// PullImage has no timeout (cri-client's remote_image.go, PullImage).
func (c *Connection) PullImage(
	ctx context.Context, image *criapi.ImageSpec, _ *criapi.AuthConfig, _ *criapi.PodSandboxConfig,
) (string, error) {
	e := entry("PullImage", image)
	return unbounded(ctx, c, e, func(ctx context.Context) (string, error) {
		return c.runtime.pull(ctx, image.GetImage())
	})
}

// RemoveImage does nothing: no scenario needs image garbage collection.
func (c *Connection) RemoveImage(ctx context.Context, image *criapi.ImageSpec) error {
	return perform(ctx, c, entry("RemoveImage", image), func(context.Context) error { return nil })
}

func (c *Connection) ImageFsInfo(ctx context.Context) (*criapi.ImageFsInfoResponse, error) {
	return call(ctx, c, entry("ImageFsInfo", nil), func(context.Context) (*criapi.ImageFsInfoResponse, error) {
		return c.runtime.imageFSInfo(), nil
	})
}
