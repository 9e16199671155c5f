package images

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// links returns the paths of an image's links to the program.
func links(t *testing.T, image v1.Image) (all []string) {
	t.Helper()
	files := mutate.Extract(image)
	defer func() { _ = files.Close() }()
	for archive := tar.NewReader(files); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			slices.Sort(all)
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Linkname == "/usr/local/bin/podclock" {
			all = append(all, header.Name)
		}
	}
}

func TestLayoutIsReadBack(t *testing.T) {
	folder, programs := t.TempDir(), map[string]string{}
	for _, architecture := range Architectures {
		programs[architecture] = filepath.Join(folder, architecture)
		if err := os.WriteFile(programs[architecture], []byte("for "+architecture), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	digest, err := Layout(filepath.Join(folder, "oci"), "v0.4.0", programs, map[string]string{"a": "b"})
	if err != nil {
		t.Fatal(err)
	}
	read, err := layout.ImageIndexFromPath(filepath.Join(folder, "oci"))
	if err != nil {
		t.Fatal(err)
	}
	top, err := read.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(top.Manifests) != 1 || top.Manifests[0].Digest != digest ||
		top.Manifests[0].Annotations[tagAnnotation] != "v0.4.0" {
		t.Fatalf("the layout has %v", top.Manifests)
	}
	index, err := read.ImageIndex(digest)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
	inside, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(inside.Manifests) != len(Architectures) || inside.Annotations["a"] != "b" {
		t.Fatalf("the index has %v", inside)
	}
	for i, architecture := range Architectures {
		image, err := index.Image(inside.Manifests[i].Digest)
		if err != nil {
			t.Fatal(err)
		}
		config, err := image.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		if config.Architecture != architecture || inside.Manifests[i].Platform.Architecture != architecture ||
			config.Config.Entrypoint[0] != "/usr/local/bin/podclock" {
			t.Errorf("image %d is for %s: %v", i, config.Architecture, config.Config)
		}
		if !slices.Equal(config.Config.Cmd, AsE2E) {
			t.Errorf("without arguments, image %d gets %v: hydrophone gives none", i, config.Config.Cmd)
		}
		if got := links(t, image); !slices.Equal(got, []string{"bin/sh", "run_e2e.sh", "usr/local/bin/tar"}) {
			t.Errorf("image %d has the links %v", i, got)
		}
	}
}
