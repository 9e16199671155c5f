package cri

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/podclock/podclock/harness/mark"
	"github.com/podclock/podclock/harness/victim/play"
)

// imageSize is the reported size of every image, in bytes: the CRI allows no image without a size.
const imageSize = 8 << 20

// LayerRoot is the mount point of images and writable layers, outside of the kubelet's root directory.
const LayerRoot = "/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs"

// image is an image of the node.
type image struct {
	id, reference, stopSignal string
}

// images are the images of the node. They never change.
type images struct{ all []image }

func newImages(references map[string]string) images {
	var all []image
	for _, reference := range slices.Sorted(maps.Keys(references)) {
		id := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(reference)))
		all = append(all, image{id: id, reference: reference, stopSignal: references[reference]})
	}
	return images{all: all}
}

// find returns an image by its ID or its reference. The kubelet adds the tag latest to a reference without a tag.
func (i images) find(name string) (image, bool) {
	for _, present := range i.all {
		if name == present.id || name == present.reference || name == present.reference+":latest" {
			return present, true
		}
	}
	return image{}, false
}

func (i image) listed() *runtimeapi.Image {
	return &runtimeapi.Image{Id: i.id, RepoTags: []string{i.reference}, Size: imageSize, Spec: &runtimeapi.ImageSpec{}}
}

// pull returns a present image. No registry has other images; the recorder's own registry marks the attempt
// (internal/cri/server/images/image_pull.go, PullImage).
func (r *Runtime) pull(ctx context.Context, name string) (string, error) {
	if present, ok := r.images.find(name); ok {
		return present.id, nil
	}
	if !play.Sleep(ctx, pullRefused) {
		return "", fmt.Errorf("failed to pull and unpack image %q: %w", name, ctx.Err())
	}
	if namespace, pod, container, ok := unpullable(name); ok {
		r.options.Recorder.Pulled(namespace, pod, container)
	}
	return "", fmt.Errorf("failed to pull and unpack image %q: failed to resolve reference %q: %s: %w",
		name, name, name, errNotFound)
}

// unpullable splits a name that mark.UnpullableImage made.
func unpullable(name string) (namespace, pod, container string, ok bool) {
	repository := name[:max(0, strings.LastIndex(name, ":"))]
	parts := strings.Split(repository, "/")
	if len(parts) != 4 || mark.UnpullableImage(parts[1], parts[2], parts[3]) != name {
		return "", "", "", false
	}
	return parts[1], parts[2], parts[3], true
}

func (r *Runtime) imageStatus(name string) *runtimeapi.ImageStatusResponse {
	present, ok := r.images.find(name)
	if !ok {
		return &runtimeapi.ImageStatusResponse{}
	}
	return &runtimeapi.ImageStatusResponse{Image: present.listed()}
}

func (r *Runtime) listImages(filter *runtimeapi.ImageFilter) []*runtimeapi.Image {
	var listed []*runtimeapi.Image
	for _, present := range r.images.all {
		if wanted := filter.GetImage().GetImage(); wanted == "" || wanted == present.id || wanted == present.reference {
			listed = append(listed, present.listed())
		}
	}
	return listed
}

func (r *Runtime) imageFSInfo() *runtimeapi.ImageFsInfoResponse {
	usage := &runtimeapi.FilesystemUsage{
		Timestamp:  time.Now().UnixNano(),
		FsId:       &runtimeapi.FilesystemIdentifier{Mountpoint: LayerRoot},
		UsedBytes:  &runtimeapi.UInt64Value{Value: uint64(len(r.images.all)) * imageSize},
		InodesUsed: &runtimeapi.UInt64Value{Value: uint64(len(r.images.all))},
	}
	return &runtimeapi.ImageFsInfoResponse{
		ImageFilesystems:     []*runtimeapi.FilesystemUsage{usage},
		ContainerFilesystems: []*runtimeapi.FilesystemUsage{usage},
	}
}
