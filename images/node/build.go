package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"github.com/podclock/podclock/harness/cache"
)

// buildPrefix begins the names of the folders builds work in.
const buildPrefix = "build-"

// workSpace is what a build takes in its folder, in bytes: the root file system with all programs, and once more as a
// layer, with room to spare.
const workSpace = 2 << 30

// ensureBuilt builds the image unless another process has done so while we waited for our turn.
func ensureBuilt(ctx context.Context, src source, ref string, opts Options) error {
	if err := checkHost(); err != nil {
		return fmt.Errorf("building the node image: %w; or set NODE_IMAGE to an image that exists", err)
	}
	unlock, err := cache.Lock(ctx, "node")
	if err != nil {
		return fmt.Errorf("building the node image: %w", err)
	}
	defer unlock()
	if present(ctx, opts.Engine.Name, ref) {
		return nil
	}
	folder, err := cache.Dir("node")
	if err != nil {
		return fmt.Errorf("building the node image: %w", err)
	}
	if err := checkSpace(folder); err != nil {
		return fmt.Errorf("building the node image: %w", err)
	}
	// A killed build leaves its folder. The lock is ours, so none is in use.
	if err := removeLeftovers(folder); err != nil {
		return err
	}
	work, err := os.MkdirTemp(folder, buildPrefix)
	if err != nil {
		return fmt.Errorf("building the node image: %w", err)
	}
	_, _ = fmt.Fprintf(
		opts.Progress,
		"node image: building %s; with empty caches that takes 5 to 10 minutes on two cores\n",
		ref,
	)
	return errors.Join(build(ctx, src, ref, work, opts), removeLeftovers(folder))
}

// checkHost tells whether this host can make a Debian root file system.
func checkHost() error {
	if os.Geteuid() != 0 {
		return errors.New("only root can make a Debian root file system: run as root")
	}
	for _, tool := range []string{"apt-get", "dpkg-query"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("there is no %s, from which the Debian mirror and the tools (%s) come: use a Debian host",
				tool, strings.Join(buildTools, ", "))
		}
	}
	return nil
}

// checkSpace refuses a build that would fill the disk and fail minutes later.
func checkSpace(folder string) error {
	var fs unix.Statfs_t
	if err := unix.Statfs(folder, &fs); err != nil {
		return fmt.Errorf("looking for free space in %s: %w", folder, err)
	}
	if free := fs.Bavail * uint64(fs.Bsize); free < workSpace {
		return fmt.Errorf(
			"%s has %d MB free and the build takes %d MB: free some, or set %s to a folder on another disk",
			folder,
			free>>20,
			workSpace>>20,
			cache.Variable,
		)
	}
	return nil
}

func removeLeftovers(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("removing what is left of a node image's build: %w", err)
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), buildPrefix) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(folder, entry.Name())); err != nil {
			return fmt.Errorf("removing what is left of a node image's build: %w", err)
		}
	}
	return nil
}

// build makes the image in the empty folder work. Only its last step makes the image known to the engine.
func build(ctx context.Context, src source, ref, work string, opts Options) error {
	report := newSteps(opts.Progress, len(components())+4)
	defer report.close()
	version, err := kubernetes.version(src.Root)
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
	err = run(report, "node", func(step) error { return dirs.assemble(ctx, src, version) })
	if err != nil {
		return err
	}
	return run(report, "image", func(step) error {
		layer := filepath.Join(work, "layer.tar")
		if err := pack(ctx, dirs.Root, layer); err != nil {
			return err
		}
		return load(ctx, opts.Engine.Name, layer, ref)
	})
}

// makeParts makes the root file system and the programs in two lanes: one waits for the network while the other keeps
// the cores busy, and one compiles while the other links.
func makeParts(ctx context.Context, src source, dirs layout, report steps) error {
	lanes, ctx := errgroup.WithContext(ctx)
	compile := func(c component) error {
		title, err := c.title(src.Root)
		if err != nil {
			return err
		}
		return run(report, title, func(s step) error { return c.compile(ctx, src, dirs.Bin, s.count) })
	}
	lanes.Go(func() error { return compile(kubernetes) })
	lanes.Go(func() error {
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
	return lanes.Wait()
}

func (c component) title(root string) (string, error) {
	version, err := c.version(root)
	return strings.TrimSpace(c.Folder + " " + version), err
}

// run reports a step while it is done.
func run(report steps, title string, do func(step) error) error {
	s := report.begin(title)
	err := do(s)
	s.end(err)
	return err
}
