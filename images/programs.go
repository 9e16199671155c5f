package images

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"github.com/podclock/podclock/harness/cache"
	"github.com/podclock/podclock/harness/victim"
)

// The programs of podclock's own images. Each is a folder beside this file.
const (
	Fault    = "fault"
	Recorder = "recorder"
)

const module = "github.com/podclock/podclock"

// Program is the built image of a program.
type Program struct {
	// Ref is the image's name. It changes with the content.
	Ref string
	// Other and StopSignal name further images of Fault: victim.OtherImage and victim.StopSignalImage.
	Other, StopSignal string
	// Archive is the docker-archive on this host with all of them.
	Archive string
}

// Build makes the image of a program and keeps it in podclock's cache folder, named by its content. It
// needs the Go tool and a working directory inside podclock's module. It compiles every time, which misses
// no changed input.
func Build(ctx context.Context, program string, log io.Writer) (Program, error) {
	began := time.Now()
	if program != Fault && program != Recorder {
		return Program{}, fmt.Errorf("building the image of program %q: use %s or %s", program, Fault, Recorder)
	}
	dir, err := cache.Dir("programs")
	if err != nil {
		return Program{}, fmt.Errorf("building the image of program %s: %w", program, err)
	}
	work, err := os.MkdirTemp(dir, program+"-*.tmp")
	if err != nil {
		return Program{}, fmt.Errorf("making a folder to build program %s in: %w", program, err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	binary := filepath.Join(work, program)
	if err := compile(ctx, program, binary); err != nil {
		return Program{}, err
	}
	base, err := Single{Binary: binary, Path: "/" + program, Writable: []string{victim.LayerDir}}.Image()
	if err != nil {
		return Program{}, err
	}
	built, images, err := named(program, base)
	if err != nil {
		return Program{}, err
	}
	built.Archive = filepath.Join(dir, program+"-"+key(images)+".tar")
	switch _, err := os.Stat(built.Archive); {
	case err == nil:
		return built, nil
	case !errors.Is(err, fs.ErrNotExist):
		return Program{}, fmt.Errorf("looking for the image of program %s: %w", program, err)
	}
	if err := writeArchive(built.Archive, images); err != nil {
		return Program{}, err
	}
	took := time.Since(began).Round(100 * time.Millisecond)
	if _, err := fmt.Fprintf(log, "image %s built in %v\n", built.Ref, took); err != nil {
		return Program{}, fmt.Errorf("logging that image %s was built: %w", built.Ref, err)
	}
	return built, nil
}

// compile builds a static binary. It is the same on every machine with the same Go tool.
func compile(ctx context.Context, program, file string) error {
	flags := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid="}
	cmd := exec.CommandContext(ctx, "go", append(flags, "-o", file, module+"/images/"+program)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	out, err := cmd.CombinedOutput()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("building program %s: the Go tool is not in PATH: %w", program, err)
	case ctx.Err() != nil:
		return fmt.Errorf("building program %s: %w", program, ctx.Err())
	case err != nil:
		const format = "building program %s: %w: %s; run podclock inside module %s"
		return fmt.Errorf(format, program, err, strings.TrimSpace(string(out)), module)
	}
	return nil
}

// named makes a program's images and names them by their content. Further images of the fault program have
// the same layer and another configuration.
func named(program string, base v1.Image) (built Program, images map[string]v1.Image, err error) {
	images = map[string]v1.Image{}
	if built.Ref, err = add(images, program, base); err != nil || program != Fault {
		return built, images, err
	}
	label := map[string]string{"dev.podclock.variant": victim.OtherImage}
	other, err := variant(base, func(c *v1.Config) { c.Labels = label })
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

func key(images map[string]v1.Image) string {
	refs := slices.Sorted(maps.Keys(images))
	return fmt.Sprintf("%.6x", sha256.Sum256([]byte(strings.Join(refs, " "))))
}
