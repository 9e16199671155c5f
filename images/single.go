// Package images makes the container images podclock puts on a node: one static binary each, on nothing.
//
// It knows what a binary image looks like and what images are called. It must never know what the binaries do, need a
// container engine, a Dockerfile or a registry, or depend on the cluster the images end up in.
package images

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// defaultPath is the PATH of an image that sets none: enough for a pod to name its binary without a folder.
const defaultPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// epoch is the date of everything in an image, so that equal inputs give equal bytes.
var epoch = time.Unix(0, 0).UTC()

// Single describes an image that holds one static binary and nothing else.
type Single struct {
	// Ref is the image's full name with a tag. See [Ref] for how podclock names its own.
	Ref string
	// Binary is the file on this host. It must be static: there is no loader and no library in the image.
	Binary string
	// Path is where the binary stands in the image, absolute. Empty means /usr/local/bin/ and the file's own name.
	Path string
	// Entrypoint and Cmd are as in a Dockerfile. An empty Entrypoint means Path.
	Entrypoint, Cmd []string
	// Env holds NAME=value pairs. A PATH is added where there is none.
	Env []string
}

// Ref names an image made by podclock after its content, so that a changed image never hides behind an old name.
// contentHash is in hexadecimal and has at least 12 digits.
func Ref(image, contentHash string) string {
	return fmt.Sprintf("localhost/podclock/%s:%.12s", image, contentHash)
}

// ContentHash is the SHA-256 of the image's configuration in hexadecimal. The configuration names the layer by its
// hash, so this covers the binary too; it does not depend on Ref.
func (s Single) ContentHash() (string, error) {
	img, err := s.Image()
	if err != nil {
		return "", err
	}
	return contentHash(img)
}

func contentHash(img v1.Image) (string, error) {
	digest, err := img.ConfigName()
	if err != nil {
		return "", fmt.Errorf("hashing an image: %w", err)
	}
	return digest.Hex, nil
}

// WriteArchive writes the image as a docker-archive, which `docker load`, `ctr images import` and kind's
// nodeutils.LoadImageArchive all read. The file appears at once and whole, or not at all.
func (s Single) WriteArchive(file string) error {
	img, err := s.Image()
	if err != nil {
		return err
	}
	return writeArchive(file, map[string]v1.Image{s.Ref: img})
}

// writeArchive writes images by their full names into one docker-archive; layers they share are there once.
func writeArchive(file string, images map[string]v1.Image) (err error) {
	tags := map[name.Tag]v1.Image{}
	for ref, img := range images {
		tag, err := name.NewTag(ref, name.StrictValidation)
		if err != nil {
			return fmt.Errorf("the image of archive %s needs a full name with a tag: %w", file, err)
		}
		tags[tag] = img
	}
	out, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*.tmp")
	if err != nil {
		return fmt.Errorf("creating the image archive %s: %w", file, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, out.Close(), os.Remove(out.Name()))
		}
	}()
	if err := tarball.MultiWrite(tags, out); err != nil {
		return fmt.Errorf("writing the image archive %s: %w", out.Name(), err)
	}
	if err := out.Chmod(0o644); err != nil {
		return fmt.Errorf("making the image archive %s readable: %w", out.Name(), err)
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("writing the image archive %s: %w", out.Name(), err)
	}
	return os.Rename(out.Name(), file)
}

// Image assembles the image in memory.
func (s Single) Image() (v1.Image, error) {
	binary, err := os.ReadFile(s.Binary)
	if err != nil {
		return nil, fmt.Errorf("reading the binary of image %s: %w", s.Ref, err)
	}
	inImage := s.Path
	if inImage == "" {
		inImage = "/usr/local/bin/" + filepath.Base(s.Binary)
	}
	if !path.IsAbs(inImage) {
		return nil, fmt.Errorf("image %s: the binary's path %q must be absolute", s.Ref, inImage)
	}
	layer, err := fileLayer(inImage, binary)
	if err != nil {
		return nil, fmt.Errorf("packing %s for image %s: %w", s.Binary, s.Ref, err)
	}
	img, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		return nil, fmt.Errorf("assembling image %s: %w", s.Ref, err)
	}
	config, err := img.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("assembling image %s: %w", s.Ref, err)
	}
	config = config.DeepCopy()
	config.Created = v1.Time{Time: epoch}
	config.OS, config.Architecture = "linux", runtime.GOARCH
	config.Config = s.config(inImage)
	img, err = mutate.ConfigFile(img, config)
	if err != nil {
		return nil, fmt.Errorf("configuring image %s: %w", s.Ref, err)
	}
	return img, nil
}

func (s Single) config(inImage string) v1.Config {
	entrypoint := s.Entrypoint
	if len(entrypoint) == 0 {
		entrypoint = []string{inImage}
	}
	env := append([]string(nil), s.Env...)
	if !hasPath(env) {
		env = append(env, defaultPath)
	}
	return v1.Config{Entrypoint: entrypoint, Cmd: s.Cmd, Env: env, WorkingDir: "/"}
}

func hasPath(env []string) bool {
	for _, e := range env {
		if strings.HasPrefix(e, "PATH=") {
			return true
		}
	}
	return false
}

// fileLayer is a layer of one executable file. crane.Layer would do, if it did not leave the file without the x bit.
func fileLayer(file string, content []byte) (v1.Layer, error) {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	header := &tar.Header{Name: strings.TrimPrefix(file, "/"), Mode: 0o755, Size: int64(len(content)), ModTime: epoch}
	if err := w.WriteHeader(header); err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(buf.Bytes())), nil
	}, tarball.WithCompressedCaching)
}
