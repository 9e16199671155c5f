package cri

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	criapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// imageSize, in bytes, is every image's: the CRI allows no image without a size.
const imageSize = 8 << 20

// LayerRoot is the mount point of images and writable layers.
const LayerRoot = "/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs"

type image struct {
	id, reference, stopSignal string
}

type images struct{ all []image }

func newImages(references map[string]string) images {
	var all []image
	for _, reference := range slices.Sorted(maps.Keys(references)) {
		id := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(reference)))
		all = append(all, image{id: id, reference: reference, stopSignal: references[reference]})
	}
	return images{all: all}
}

// find returns an image by ID or reference. The kubelet adds the tag latest to a reference without a tag.
func (i images) find(name string) (image, bool) {
	for _, present := range i.all {
		if name == present.id || name == present.reference || name == present.reference+":latest" {
			return present, true
		}
	}
	return image{}, false
}

func (i image) listed() *criapi.Image {
	return &criapi.Image{Id: i.id, RepoTags: []string{i.reference}, Spec: &criapi.ImageSpec{}}
}
