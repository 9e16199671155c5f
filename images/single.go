// Package images makes the container images that podclock puts on nodes. Each contains one static binary
// and no base. It needs no container engine, Dockerfile or registry.
package images

import (
	"archive/tar"
	"bytes"
	"cmp"
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
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/podclock/podclock/harness/measure/run"
)

// defaultPath is the PATH of every image, so a pod can name its binary without a folder.
const defaultPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// epoch is the date of every file in an image, so equal inputs give equal bytes.
var epoch = time.Unix(0, 0).UTC()

// oci is an image without layers whose types every registry knows.
var oci = mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)

// Single describes an image with one static binary.
type Single struct {
	// Ref is the image's full name with a tag, see [Ref].
	Ref string
	// Binary is the static file on this host. Path is its absolute path in the image, by default in /usr/local/bin.
	Binary string
	Path   string
	// Architecture is the binary's, as GOARCH. Empty is this host's.
	Architecture string
	// Writable are folders that every user can write to. Links are paths of symbolic links to the binary.
	Writable, Links []string
	// Args are the binary's arguments if a pod gives none.
	Args []string
}

// Ref returns the name of podclock's image with a content. contentHash has at least 12 hexadecimal digits.
func Ref(image, contentHash string) string {
	return fmt.Sprintf("%s/%s:%.12s", local, image, contentHash)
}

// local begins the names of images that no registry has.
const local = "localhost/podclock"

// contentHash returns the SHA-256 of the image's configuration, which covers the binary, in hexadecimal.
func contentHash(img v1.Image) (string, error) {
	digest, err := img.ConfigName()
	if err != nil {
		return "", fmt.Errorf("hashing an image: %w", err)
	}
	return digest.Hex, nil
}

// WriteArchive writes the image as a docker-archive. The file appears complete or not at all.
func (s Single) WriteArchive(file string) error {
	img, err := s.Image()
	if err != nil {
		return err
	}
	return writeArchive(file, map[string]v1.Image{s.Ref: img})
}

func writeArchive(file string, images map[string]v1.Image) error {
	tags := map[name.Tag]v1.Image{}
	for ref, img := range images {
		tag, err := name.NewTag(ref, name.StrictValidation)
		if err != nil {
			return fmt.Errorf("the image of archive %s needs a full name with a tag: %w", file, err)
		}
		tags[tag] = img
	}
	write := func(to io.Writer) error { return tarball.MultiWrite(tags, to) }
	if err := run.Replace(file, write); err != nil {
		return fmt.Errorf("writing the image archive %s: %w", file, err)
	}
	return nil
}

// Image makes the image in memory.
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
	layer, err := fileLayer(inImage, binary, s.Writable, s.Links)
	if err != nil {
		return nil, fmt.Errorf("packing %s for image %s: %w", s.Binary, s.Ref, err)
	}
	img, err := mutate.AppendLayers(oci, layer)
	if err != nil {
		return nil, fmt.Errorf("assembling image %s: %w", s.Ref, err)
	}
	config, err := img.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("assembling image %s: %w", s.Ref, err)
	}
	config = config.DeepCopy()
	config.Created = v1.Time{Time: epoch}
	config.OS, config.Architecture = "linux", cmp.Or(s.Architecture, runtime.GOARCH)
	config.Config = v1.Config{Entrypoint: []string{inImage}, Cmd: s.Args, Env: []string{defaultPath}, WorkingDir: "/"}
	img, err = mutate.ConfigFile(img, config)
	if err != nil {
		return nil, fmt.Errorf("configuring image %s: %w", s.Ref, err)
	}
	return img, nil
}

// fileLayer returns a layer with one executable file, links to it, and empty folders. crane.Layer does not set the
// executable bit.
func fileLayer(file string, content []byte, writable, links []string) (v1.Layer, error) {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, dir := range writable {
		header := &tar.Header{
			Typeflag: tar.TypeDir, Name: strings.TrimPrefix(dir, "/") + "/", Mode: 0o1777, ModTime: epoch,
		}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
	}
	for _, link := range links {
		header := &tar.Header{
			Typeflag: tar.TypeSymlink, Name: strings.TrimPrefix(link, "/"), Linkname: file, Mode: 0o777, ModTime: epoch,
		}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
	}
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
	}, tarball.WithCompressedCaching, tarball.WithMediaType(types.OCILayer))
}
