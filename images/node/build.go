package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/podclock/podclock/harness/host"
	"github.com/podclock/podclock/harness/host/cache"
)

const buildPrefix = "build-"

// workSpace is the bytes that a build needs: the root file system, a second time as a layer, and a reserve.
const workSpace = 2 << 30

func ensureBuilt(ctx context.Context, src source, ref, engine string, progress io.Writer) error {
	fail := func(err error) error { return fmt.Errorf("building the node image: %w", err) }
	if err := checkHost(); err != nil {
		return fmt.Errorf("building the node image: %w; or set NODE_IMAGE to an existing image", err)
	}
	logf := func(format string, args ...any) { _, _ = fmt.Fprintf(progress, "node image: "+format+"\n", args...) }
	unlock, err := cache.Lock(ctx, "node", logf)
	if err != nil {
		return fail(err)
	}
	defer unlock()
	if present(ctx, engine, ref) {
		return nil
	}
	folder, err := cache.Dir("node")
	if err != nil {
		return fail(err)
	}
	if err := checkSpace(folder); err != nil {
		return fail(err)
	}
	// A killed build leaves its folder. The lock excludes other builds.
	if err := removeLeftovers(folder); err != nil {
		return err
	}
	work, err := os.MkdirTemp(folder, buildPrefix)
	if err != nil {
		return fail(err)
	}
	logf("building %s; with empty caches in 5 to 10 minutes on two cores", ref)
	return errors.Join(build(ctx, src, work, ref, engine, progress), removeLeftovers(folder))
}

func checkHost() error {
	if err := host.NeedLinux("a node image is built", "build it there"); err != nil {
		return err
	}
	if os.Geteuid() != 0 {
		return errors.New("only root can make a Debian root file system: run as root")
	}
	for _, tool := range []string{"apt-get", "dpkg-query"} {
		if _, err := exec.LookPath(tool); err != nil {
			const format = "there is no %s to find the mirror and install the tools (%s): use a Debian host"
			return fmt.Errorf(format, tool, strings.Join(buildTools, ", "))
		}
	}
	return nil
}

func checkSpace(folder string) error {
	free, err := host.Free(folder)
	if err != nil {
		return err
	}
	if free < workSpace {
		const format = "%s has %d MB free and the build needs %d MB: free some, or set %s to a folder on another disk"
		return fmt.Errorf(format, folder, free>>20, workSpace>>20, cache.Variable)
	}
	return nil
}

func removeLeftovers(folder string) error {
	left, err := fs.Glob(os.DirFS(folder), buildPrefix+"*")
	for _, name := range left {
		err = errors.Join(err, os.RemoveAll(filepath.Join(folder, name)))
	}
	if err != nil {
		return fmt.Errorf("removing what is left of a node image's build: %w", err)
	}
	return nil
}

func build(ctx context.Context, src source, work, ref, engine string, progress io.Writer) error {
	report := newSteps(progress, len(components())+4)
	defer report.close()
	versions, err := src.versions()
	if err != nil {
		return err
	}
	dirs := layout{Root: filepath.Join(work, "root"), Bin: filepath.Join(work, "bin")}
	err = run(report, "build tools", func(step) error { return ensureBuildTools(ctx) })
	if err != nil {
		return err
	}
	if err := makeParts(ctx, src, dirs, report); err != nil {
		return err
	}
	err = run(report, "node", func(step) error { return dirs.assemble(ctx, src, versions[kubernetes.Folder]) })
	if err != nil {
		return err
	}
	return run(report, "image", func(step) error {
		layer := filepath.Join(work, "layer.tar")
		if err := pack(ctx, dirs.Root, layer); err != nil {
			return err
		}
		return load(ctx, engine, layer, ref, versions)
	})
}

// makeParts has two groups: one waits for the network or links while the other compiles.
func makeParts(ctx context.Context, src source, dirs layout, report steps) error {
	groups, ctx := errgroup.WithContext(ctx)
	compile := func(c component) error {
		title, err := c.title(src.Root)
		if err != nil {
			return err
		}
		return run(report, title, func(s step) error { return c.compile(ctx, src, dirs.Bin, s.count) })
	}
	groups.Go(func() error { return compile(kubernetes) })
	groups.Go(func() error {
		err := run(report, "Debian "+suite, func(step) error {
			from, err := findMirror(ctx)
			if err != nil {
				return err
			}
			return makeRootFS(ctx, dirs.Root, from)
		})
		if err != nil {
			return err
		}
		for _, c := range others {
			if err := compile(c); err != nil {
				return err
			}
		}
		return nil
	})
	return groups.Wait()
}

func (c component) title(root string) (string, error) {
	version, err := c.version(root)
	return strings.TrimSpace(c.Folder + " " + version), err
}

func run(report steps, title string, do func(step) error) error {
	s := report.begin(title)
	err := do(s)
	s.end(err)
	return err
}
