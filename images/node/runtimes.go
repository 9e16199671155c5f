package node

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/podclock/podclock/harness/host/cache"
	"github.com/podclock/podclock/harness/host/engine"
	"github.com/podclock/podclock/images"
)

const (
	// runtimesFolder has a folder for each runtime: its module files, and in files those of a node.
	runtimesFolder = "runtimes"
	// runtimeLibrary is the folder of podclock's own files for a runtime on a node.
	runtimeLibrary = "/usr/local/lib/podclock"
	// shimSource is the folder of the OCI runtime for a host with a reduced capability bounding set, from images.
	shimSource = "../harness/host/engine/runtimeshim/"
)

// otherRuntime is a container runtime that can take the place of the image's own.
type otherRuntime struct {
	component
	// Also adds what Go does not compile from the component's module.
	Also func(context.Context, source, layout) error
}

func (r otherRuntime) name() string { return path.Base(r.Folder) }

var otherRuntimes = []otherRuntime{
	{component: component{
		Folder: runtimesFolder + "/containerd-1.7", Module: "github.com/containerd/containerd", Flags: plainFlags,
		Programs: []program{
			{Package: "github.com/containerd/containerd/cmd/containerd", Folder: "/usr/local/bin"},
			{Package: "github.com/containerd/containerd/cmd/containerd-shim-runc-v2", Folder: "/usr/local/bin"},
			{Package: "github.com/containerd/containerd/cmd/ctr", Folder: "/usr/local/bin"},
		},
	}},
	{component: component{
		Folder: runtimesFolder + "/cri-o-1.34", Module: crio, Flags: crioFlags, Cgo: true,
		Programs: []program{
			{Package: crio + "/cmd/crio", Folder: "/usr/local/bin"},
			{Package: crio + "/test/copyimg", Folder: "/usr/local/bin"}, // imports images
		},
	}, Also: besideCRIO},
}

const crio = "github.com/cri-o/cri-o"

// crioFlags return those of CRI-O's Makefile for a static program, with only what a kind node needs.
func crioFlags(string) []string {
	return append(commonFlags(), "-tags", "containers_image_openpgp,containers_image_ostree_stub,"+
		"exclude_graphdriver_btrfs,btrfs_noversion,seccomp,netgo,osusergo,static_build",
		"-ldflags", smaller+" -linkmode external -extldflags -static")
}

// Runtime is a container runtime for podclock's own nodes.
type Runtime struct {
	Name string
	// Archive is a tar with files for the node's root. It has a shell script that the nodes of a cluster read, and
	// the archive of the sandbox's image.
	Archive string
	// Key is the hash, in hexadecimal, of everything that the archive is made from.
	Key string
}

// BuildRuntime makes the archive of a runtime, unless the cache has it. It needs the Go tool and podclock's source.
func BuildRuntime(ctx context.Context, name string, log io.Writer) (Runtime, error) {
	i := slices.IndexFunc(otherRuntimes, func(r otherRuntime) bool { return r.name() == name })
	if i < 0 {
		return Runtime{}, fmt.Errorf("there is no runtime %q to build", name)
	}
	built, err := otherRuntimes[i].ensure(ctx, log)
	if err != nil {
		return Runtime{}, fmt.Errorf("building runtime %s: %w", name, err)
	}
	return built, nil
}

func (r otherRuntime) ensure(ctx context.Context, log io.Writer) (Runtime, error) {
	logf := func(format string, args ...any) {
		_, _ = fmt.Fprintf(log, "runtime %s: "+format+"\n", append([]any{r.name()}, args...)...)
	}
	src, err := findSource(ctx)
	if err != nil {
		return Runtime{}, err
	}
	key, err := r.key(src)
	if err != nil {
		return Runtime{}, err
	}
	folder, err := cache.Dir(runtimesFolder)
	if err != nil {
		return Runtime{}, err
	}
	built := Runtime{
		Name: r.name(), Key: key, Archive: filepath.Join(folder, fmt.Sprintf("%s-%.12s.tar", r.name(), key)),
	}
	unlock, err := cache.Lock(ctx, runtimesFolder, logf)
	if err != nil {
		return Runtime{}, err
	}
	defer unlock()
	if _, err := os.Stat(built.Archive); err == nil {
		return built, nil
	}
	version, err := r.version(src.Root)
	if err != nil {
		return Runtime{}, err
	}
	logf("building %s; with empty caches in 2 to 5 minutes on two cores", version)
	start := time.Now()
	work, err := os.MkdirTemp(folder, buildPrefix)
	if err != nil {
		return Runtime{}, err
	}
	defer func() { _ = os.RemoveAll(work) }()
	if err := r.make(ctx, src, work, built.Archive); err != nil {
		return Runtime{}, err
	}
	logf("built in %v", time.Since(start).Round(time.Second))
	return built, nil
}

func (r otherRuntime) make(ctx context.Context, src source, work, archive string) error {
	dirs := layout{Root: filepath.Join(work, "root"), Bin: filepath.Join(work, "bin")}
	if err := os.CopyFS(dirs.Root, os.DirFS(filepath.Join(src.Root, "images", r.nodeFiles()))); err != nil {
		return fmt.Errorf("copying its files: %w", err)
	}
	if err := r.compile(ctx, src, dirs.Bin, func(int) {}); err != nil {
		return err
	}
	for _, p := range r.Programs {
		if err := dirs.move(p); err != nil {
			return err
		}
	}
	if r.Also != nil {
		if err := r.Also(ctx, src, dirs); err != nil {
			return err
		}
	}
	if err := dirs.addSandbox(ctx, src); err != nil {
		return err
	}
	unfinished := filepath.Join(work, "archive.tar")
	if err := pack(ctx, dirs.Root, unfinished); err != nil {
		return err
	}
	return os.Rename(unfinished, archive)
}

// nodeFiles is the folder of the runtime's files for a node, below images.
func (r otherRuntime) nodeFiles() string { return path.Join("node", r.Folder, "files") }

// addSandbox adds the archive of the sandbox's image: a new runtime has no images.
func (l layout) addSandbox(ctx context.Context, src source) error {
	config, err := os.ReadFile(filepath.Join(src.KindFiles, "etc/containerd/config.toml"))
	if err != nil {
		return fmt.Errorf("reading the sandbox image's name from kind's containerd configuration: %w", err)
	}
	names, err := imageNames("", string(config))
	if err != nil {
		return err
	}
	i := slices.IndexFunc(others, func(c component) bool { return c.Folder == sandbox })
	if err := others[i].compile(ctx, src, l.Bin, func(int) {}); err != nil {
		return err
	}
	image := images.Single{Ref: names[sandbox], Binary: filepath.Join(l.Bin, sandbox)}
	return image.WriteArchive(filepath.Join(l.Root, runtimeLibrary, sandbox+".tar"))
}

const sandbox = "pause"

// besideCRIO adds CRI-O's programs in C, and the OCI runtime for a host with a reduced capability bounding set.
func besideCRIO(ctx context.Context, src source, dirs layout) error {
	if err := ensureBuildTools(ctx); err != nil {
		return err
	}
	if err := extractPackages(ctx, dirs.Root, "conmon", "libglib2.0-0"); err != nil {
		return err
	}
	pins := filepath.Join(src.Root, "images", "node", runtimesFolder, "cri-o-1.34")
	cmd := command(ctx, "go", "list", "-m", "-f", "{{.Dir}}", crio)
	cmd.Dir = pins
	cmd.Env = BuildEnv(true)
	module, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("finding the source of pinns: %w", err)
	}
	sources, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(module)), "pinns", "src", "*.c"))
	if err != nil {
		return err
	}
	pinns := filepath.Join(dirs.Root, "usr/local/bin/pinns")
	cmd = command(ctx, "gcc", append([]string{"-std=c99", "-Os", "-static", "-s", "-o", pinns}, sources...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compiling pinns: %w: %s", err, tail(out))
	}
	folder := filepath.Join(dirs.Root, "usr/local/sbin")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return engine.BuildShim(ctx, filepath.Join(folder, "runtimeshim"))
}

// key returns the hash of all inputs. Debian's packages count by name and suite, not by version.
func (r otherRuntime) key(src source) (string, error) {
	files := []string{
		"node/components.go", "node/gobuild.go", "node/packages.go", "node/pause/main.go", "node/runtimes.go",
		"single.go", shimSource + "main.go", shimSource + "description.go",
		"../harness/host/engine/capset/capset.go",
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		files = append(files, path.Join("node", r.Folder, name))
	}
	all := os.DirFS(filepath.Join(src.Root, "images"))
	err := fs.WalkDir(all, r.nodeFiles(), func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("listing what it is made from: %w", err)
	}
	hash := sha256.New()
	_, _ = fmt.Fprintf(hash, "%q\n", []string{src.Go, src.KindVersion, runtime.GOOS, runtime.GOARCH, suite})
	for _, name := range files {
		sum, err := fileHash(filepath.Join(src.Root, "images", name))
		if err != nil {
			return "", fmt.Errorf("hashing what it is made from: %w", err)
		}
		_, _ = fmt.Fprintf(hash, "%q %q\n", name, sum)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
