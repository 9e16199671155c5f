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
	"runtime"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"github.com/podclock/podclock/harness/host/cache"
	"github.com/podclock/podclock/harness/measure/victim"
	"github.com/podclock/podclock/images/embedded"
)

// The programs of podclock's own images. Fault and Recorder are folders beside this file, Podclock is the program.
const (
	Fault    = "fault"
	Recorder = "recorder"
	Podclock = "podclock"
)

// Links to podclock in its image.
const (
	// TarLink is what kubectl cp calls.
	TarLink = "/usr/local/bin/tar"
	// ShellLink is what hydrophone calls to read a log.
	ShellLink = "/bin/sh"
	// E2ELink is what Sonobuoy's plugin e2e calls to run the tests.
	E2ELink = "/run_e2e.sh"
)

// AsE2E are the arguments by which podclock runs like the conformance image of Kubernetes. hydrophone gives none.
var AsE2E = []string{"conformance", "run"}

// Architectures are those of the images for clusters that podclock did not make.
var Architectures = []string{"amd64", "arm64"}

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

// Build makes the image of a program for an architecture (GOARCH) and keeps it in podclock's cache folder, named by its
// content. Unless this program is a release, it needs the Go tool and a working directory inside podclock's module. It
// compiles every time, which misses no changed input.
func Build(ctx context.Context, program, architecture string, log io.Writer) (Program, error) {
	began := time.Now()
	if program != Fault && program != Recorder {
		return Program{}, fmt.Errorf("building the image of program %q: use %s or %s", program, Fault, Recorder)
	}
	dir, err := cache.Dir("programs")
	if err != nil {
		return Program{}, fmt.Errorf("building the image of program %s: %w", program, err)
	}
	made, err := assemble(ctx, program, architecture, dir)
	if err != nil {
		return Program{}, err
	}
	refs, images, err := named(made)
	if err != nil {
		return Program{}, err
	}
	built := Program{Ref: refs[program], Other: refs[victim.OtherImage], StopSignal: refs[victim.StopSignalImage]}
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

// Save writes the images of one platform, such as linux/arm64, as a docker-archive, and returns their names. They are
// those of [Build], and that of podclock if it is asked for. The file appears complete or not at all.
func Save(ctx context.Context, file, platform string, podclock bool) ([]string, error) {
	_, images, err := all(ctx, platform, podclock)
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(images)), writeArchive(file, images)
}

// Names returns what [Save] names all images, by their programs.
func Names(ctx context.Context, platform string) (map[string]string, error) {
	refs, _, err := all(ctx, platform, true)
	return refs, err
}

func all(ctx context.Context, platform string, podclock bool) (
	refs map[string]string, images map[string]v1.Image, err error,
) {
	p, err := v1.ParsePlatform(platform)
	if err != nil || p.OS != "linux" || !slices.Contains(Architectures, p.Architecture) {
		return nil, nil, fmt.Errorf("platform %q: there are images for linux/%s", platform,
			strings.Join(Architectures, " and linux/"))
	}
	made, err := assembleAll(ctx, p.Architecture, podclock)
	if err != nil {
		return nil, nil, err
	}
	return named(made)
}

// Embed compiles victim and recorder for all [Architectures] into the folder of package embedded.
func Embed(ctx context.Context, folder string) error {
	work, err := os.MkdirTemp("", "embed-*.tmp")
	if err != nil {
		return fmt.Errorf("making a folder to build programs in: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	for _, program := range []string{Fault, Recorder} {
		for _, architecture := range Architectures {
			file := filepath.Join(work, program)
			if err := compile(ctx, program, architecture, file); err != nil {
				return err
			}
			if err := embedded.Write(folder, program, architecture, file); err != nil {
				return err
			}
		}
	}
	return nil
}

// provide writes a static binary: what a release embeds, itself as its own image's program, or one that it compiles.
func provide(ctx context.Context, program, architecture, file string) error {
	if found, err := embedded.Program(program, architecture, file); found || err != nil {
		return err
	}
	if program != Podclock || !embedded.Released {
		return compile(ctx, program, architecture, file)
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != architecture {
		return fmt.Errorf("this file has no image of podclock for linux/%s: copy the one of the release "+
			"(docs/release.md)", architecture)
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program for its image: %w", err)
	}
	return os.Symlink(self, file)
}

// compile builds a static binary. It is the same on every machine with the same Go tool.
func compile(ctx context.Context, program, architecture, file string) error {
	source, stamp := module+"/images/"+program, "-buildvcs=false"
	if program == Podclock {
		source, stamp = module, "-buildvcs=auto" // saved runs name its commit
	}
	// gRPC's traces make the victim a third larger: with their templates, the linker keeps every method.
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", stamp, "-tags=grpcnotrace", "-ldflags=-s -w -buildid=",
		"-o", file, source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+architecture)
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

// assemble compiles a program below a folder, by default that of temporary files, and returns its images by their
// names. Further images of the fault program have the same layer and another configuration.
func assemble(ctx context.Context, program, architecture, folder string) (map[string]v1.Image, error) {
	work, err := os.MkdirTemp(folder, program+"-*.tmp")
	if err != nil {
		return nil, fmt.Errorf("making a folder to build program %s in: %w", program, err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	binary := filepath.Join(work, program)
	if err := provide(ctx, program, architecture, binary); err != nil {
		return nil, err
	}
	single := Single{
		Binary: binary, Architecture: architecture, Path: "/" + program, Writable: []string{victim.LayerDir},
	}
	if program == Podclock {
		single = ofPodclock(binary, architecture)
	}
	base, err := single.Image()
	if err != nil || program != Fault {
		return map[string]v1.Image{program: base}, err
	}
	label := map[string]string{"dev.podclock.variant": victim.OtherImage}
	other, err := variant(base, func(c *v1.Config) { c.Labels = label })
	if err != nil {
		return nil, err
	}
	stopped, err := variant(base, func(c *v1.Config) { c.StopSignal = victim.StopSignal })
	return map[string]v1.Image{Fault: base, victim.OtherImage: other, victim.StopSignalImage: stopped}, err
}

// ofPodclock describes the image of the program.
func ofPodclock(binary, architecture string) Single {
	return Single{
		Binary: binary, Architecture: architecture, Path: "/usr/local/bin/" + Podclock,
		Links:    []string{TarLink, ShellLink, E2ELink},
		Writable: []string{"/tmp"}, Args: AsE2E,
	}
}

// assembleAll returns the images of victim and recorder by their names, and that of podclock if it is asked for.
func assembleAll(ctx context.Context, architecture string, podclock bool) (map[string]v1.Image, error) {
	all, programs := map[string]v1.Image{}, []string{Fault, Recorder}
	if podclock {
		programs = append(programs, Podclock)
	}
	for _, program := range programs {
		made, err := assemble(ctx, program, architecture, "")
		if err != nil {
			return nil, err
		}
		maps.Copy(all, made)
	}
	return all, nil
}

// named names images of one architecture by their content.
func named(made map[string]v1.Image) (refs map[string]string, images map[string]v1.Image, err error) {
	refs, images = map[string]string{}, map[string]v1.Image{}
	for name, img := range made {
		hash, err := contentHash(img)
		if err != nil {
			return nil, nil, err
		}
		refs[name] = Ref(name, hash)
		images[refs[name]] = img
	}
	return refs, images, nil
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
