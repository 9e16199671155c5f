package images

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// Set has an image index of every image, each for all [Architectures]. Equal sources, Go tool and podclock give equal
// digests, so a run knows what a push has written without asking the registry.
type Set struct {
	indexes map[string]v1.ImageIndex // by their images' names
	digests map[string]v1.Hash
}

// BuildSet makes the images of victim and recorder, and that of podclock if it is asked for. It needs what [Build]
// needs.
func BuildSet(ctx context.Context, podclock bool) (*Set, error) {
	s := &Set{indexes: map[string]v1.ImageIndex{}, digests: map[string]v1.Hash{}}
	for _, architecture := range Architectures {
		made, err := assembleAll(ctx, architecture, podclock)
		if err != nil {
			return nil, err
		}
		for name, img := range made {
			if s.indexes[name] == nil {
				s.indexes[name] = empty.Index
			}
			s.indexes[name] = mutate.AppendManifests(s.indexes[name], mutate.IndexAddendum{
				Add: img, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: architecture}},
			})
		}
	}
	for name, index := range s.indexes {
		digest, err := index.Digest()
		if err != nil {
			return nil, fmt.Errorf("hashing the image %s: %w", name, err)
		}
		s.digests[name] = digest
	}
	return s, nil
}

// Ref returns the reference of an image at a place in a registry, pinned by its digest.
func (s *Set) Ref(place, image string) string {
	return s.tagged(place, image) + "@" + s.digests[image].String()
}

// Refs returns the references of all images.
func (s *Set) Refs(place string) (refs []string) {
	for _, image := range slices.Sorted(maps.Keys(s.indexes)) {
		refs = append(refs, s.Ref(place, image))
	}
	return refs
}

func (s *Set) tagged(place, image string) string {
	return fmt.Sprintf("%s/%s:%.12s", strings.TrimSuffix(place, "/"), image, s.digests[image].Hex)
}
