package node

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// nodeConfig is kind's own (images/base/Dockerfile).
var nodeConfig = v1.Config{
	Entrypoint: []string{"/usr/local/bin/entrypoint", "/sbin/init"},
	Env:        []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "container=docker"},
	StopSignal: "SIGRTMIN+3", // SIGTERM makes systemd restart itself
}

func pack(ctx context.Context, root, layerTar string) error {
	cmd := command(ctx, "tar", "--create", "--file", layerTar, "--directory", root,
		"--numeric-owner", "--sort=name", ".")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("packing the node's root file system: %w: %s", err, tail(out))
	}
	return nil
}

// load loads an image of one layer into the engine, which sets the name after it has checked all sums.
func load(ctx context.Context, engine, layerTar, ref string, versions map[string]string) error {
	tag, err := name.NewTag(ref)
	if err != nil {
		return fmt.Errorf("naming the node image: %w", err)
	}
	// The archive stays on this host, so it is not compressed.
	layer, err := tarball.LayerFromFile(layerTar, tarball.WithCompressionLevel(gzip.NoCompression))
	if err != nil {
		return fmt.Errorf("reading the node's root file system: %w", err)
	}
	img, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		return fmt.Errorf("assembling the node image: %w", err)
	}
	config, err := img.ConfigFile()
	if err != nil {
		return fmt.Errorf("assembling the node image: %w", err)
	}
	img, err = mutate.ConfigFile(img, withConfig(config, versions))
	if err != nil {
		return fmt.Errorf("configuring the node image: %w", err)
	}
	archive, feed := io.Pipe()
	go func() { _ = feed.CloseWithError(tarball.Write(tag, img, feed)) }()
	defer func() { _ = archive.Close() }() // ends the writer if the engine stopped reading
	var out bytes.Buffer
	cmd := command(ctx, engine, "load")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = archive, &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("loading the node image into %s: %w: %s", engine, err, tail(out.Bytes()))
	}
	if !present(ctx, engine, ref) {
		const format = "loading the node image into %s: it accepted the image, but has no %s: %s"
		return fmt.Errorf(format, engine, ref, tail(out.Bytes()))
	}
	return nil
}

func withConfig(config *v1.ConfigFile, versions map[string]string) *v1.ConfigFile {
	config = config.DeepCopy()
	config.Created = v1.Time{Time: time.Unix(0, 0).UTC()}
	config.OS, config.Architecture = "linux", runtime.GOARCH
	config.Config = nodeConfig
	config.Config.Labels = map[string]string{}
	for component, version := range versions {
		config.Config.Labels[labelPrefix+component] = version
	}
	return config
}
