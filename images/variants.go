package images

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"github.com/podclock/podclock/harness/victim"
)

// named makes a program's images and names them after their content. The fault program has further ones:
// the same layer under another configuration, which alone makes another image ID.
func named(program string, base v1.Image) (built Program, images map[string]v1.Image, err error) {
	images = map[string]v1.Image{}
	if built.Ref, err = add(images, program, base); err != nil || program != Fault {
		return built, images, err
	}
	other, err := variant(
		base,
		func(c *v1.Config) { c.Labels = map[string]string{"dev.podclock.variant": victim.OtherImage} },
	)
	if err != nil {
		return Program{}, nil, err
	}
	if built.Other, err = add(images, victim.OtherImage, other); err != nil {
		return Program{}, nil, err
	}
	stopped, err := variant(base, func(c *v1.Config) { c.StopSignal = victim.StopSignal })
	if err != nil {
		return Program{}, nil, err
	}
	built.StopSignal, err = add(images, victim.StopSignalImage, stopped)
	return built, images, err
}

// add names an image after its content, under what it is.
func add(images map[string]v1.Image, what string, img v1.Image) (ref string, err error) {
	hash, err := contentHash(img)
	if err != nil {
		return "", err
	}
	ref = Ref(what, hash)
	images[ref] = img
	return ref, nil
}

func variant(base v1.Image, change func(*v1.Config)) (v1.Image, error) {
	file, err := base.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("reading an image's configuration: %w", err)
	}
	config := file.DeepCopy().Config
	change(&config)
	changed, err := mutate.Config(base, config)
	if err != nil {
		return nil, fmt.Errorf("changing an image's configuration: %w", err)
	}
	return changed, nil
}

// key is 12 hexadecimal digits that change with any of the images.
func key(images map[string]v1.Image) string {
	refs := slices.Sorted(maps.Keys(images))
	return fmt.Sprintf("%.6x", sha256.Sum256([]byte(strings.Join(refs, " "))))
}
