package images

import (
	"fmt"
	"maps"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// tagAnnotation names an image in an OCI layout.
const tagAnnotation = "org.opencontainers.image.ref.name"

// Layout writes podclock's own image to a folder as an OCI layout, and returns its digest. programs are static files
// for Linux, by their architectures. The image is an index of them, with a tag and annotations.
func Layout(folder, tag string, programs, annotations map[string]string) (v1.Hash, error) {
	fail := func(err error) (v1.Hash, error) {
		return v1.Hash{}, fmt.Errorf("writing the image of podclock as an OCI layout: %w", err)
	}
	var index v1.ImageIndex = empty.Index
	for _, architecture := range slices.Sorted(maps.Keys(programs)) {
		image, err := ofPodclock(programs[architecture], architecture).Image()
		if err != nil {
			return fail(err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: architecture}},
		})
	}
	index = mutate.Annotations(index, annotations).(v1.ImageIndex)
	written, err := layout.Write(folder, empty.Index)
	if err != nil {
		return fail(err)
	}
	if err := written.AppendIndex(index, layout.WithAnnotations(map[string]string{tagAnnotation: tag})); err != nil {
		return fail(err)
	}
	return index.Digest()
}
