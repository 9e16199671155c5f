package builder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/semver"

	"github.com/podclock/podclock/harness/host"
	"github.com/podclock/podclock/harness/host/cache"
	"github.com/podclock/podclock/harness/kubelets"
	"github.com/podclock/podclock/harness/rules/formula"
	"github.com/podclock/podclock/images/node"
)

// treeSpace is what the first build of Kubernetes writes, a revision's files and the compiler's cache included. Tests
// build smaller trees.
var treeSpace uint64 = 3 << 30

// buildTree always runs the go command, which finds what changed since the tree's last build. The folder to build in
// stays the same, so the go command also finds what it knows of the unchanged files.
func buildTree(
	ctx context.Context, s kubelets.Subject, own string, logf func(string, ...any),
) (Binary, error) {
	if err := s.Validate(); err != nil {
		return Binary{}, err
	}
	place, err := s.Tree.Place()
	if err != nil {
		return Binary{}, err
	}
	if err := needSpace(place); err != nil {
		return Binary{}, err
	}
	unlock, err := cache.Lock(ctx, "kubelet", logf)
	if err != nil {
		return Binary{}, err
	}
	defer unlock()
	if s.Tree.Guess != "" {
		logf("%s; to use another patch, write it before the path, such as %s@%s", s.Tree.Guess,
			cmp.Or(formula.NewestPatch(s.Version), s.Version), s.Tree)
	}
	if s.Tree.LeavesOut {
		logf("the uncommitted changes of %s are no part of %s", s.Tree.Path, s.Tree)
	}
	source, err := s.Tree.Source(ctx)
	if err != nil {
		return Binary{}, err
	}
	folder := filepath.Join(place, string(s.Lane()))
	start := time.Now()
	var b Binary
	nearest := s.Nearest()
	for i, branch := range nearest {
		var r recipe
		if r, err = newTreeRecipe(ctx, s, branch, source, own); err != nil {
			return Binary{}, err
		}
		if branch != semver.MajorMinor(s.Version) || semver.Prerelease(s.Version) != "" {
			r.sayNearest(branch, logf)
		}
		logf("compiling what changed in %s", source)
		if b, err = r.makeAgain(ctx, folder, logf); !errors.As(err, new(movedError)) {
			break
		}
		if i+1 < len(nearest) {
			logf("%v; trying the code for kubelets %s", err, nearest[i+1])
		}
	}
	if err == nil {
		logf("built in %v, %d MB: %s", time.Since(start).Round(100*time.Millisecond), b.Size>>20, b.Path)
	}
	return b, err
}

func needSpace(folder string) error {
	free, err := host.Free(folder)
	if err != nil {
		return err
	}
	if free < treeSpace {
		const format = "%s has %d MB free and the build of a source tree needs %d MB: free some, or set %s to a " +
			"folder on another disk"
		return fmt.Errorf(format, folder, free>>20, treeSpace>>20, cache.Variable)
	}
	return nil
}

func (r recipe) sayNearest(branch string, logf func(string, ...any)) {
	format := "%s is no release that podclock knows: the nearest is %s"
	if r.subject.Virtual {
		format += ", and the virtual node's code for its kubelets is used"
	}
	logf(format, r.subject.Version, branch)
}

func newTreeRecipe(ctx context.Context, s kubelets.Subject, branch, source, own string) (recipe, error) {
	r := recipe{subject: s, source: source, flags: node.BuildFlags(s.Stamp())}
	var err error
	if own == "" {
		if own, err = sourceFolder(ctx); err != nil {
			return recipe{}, err
		}
	}
	if s.Virtual {
		r.flags = append(r.flags, "-tags", virtualTags(branch))
		if r.virtual, err = readVirtualSource(own); err != nil {
			return recipe{}, err
		}
	}
	language, err := goVersion(own, source)
	if err != nil {
		return recipe{}, err
	}
	release := releaseOf(branch)
	versions, err := pinned(own, release)
	if err != nil {
		return recipe{}, err
	}
	if r.modules, err = r.treeModules(release, versions, language); err != nil {
		return recipe{}, err
	}
	r.toolchain, r.goroot, err = toolchain(ctx, own, language)
	return r, err
}

// makeAgain is like make, but reuses the folder, and puts the program beside those of the tree's earlier builds.
func (r recipe) makeAgain(ctx context.Context, folder string, logf func(string, ...any)) (Binary, error) {
	if err := os.RemoveAll(filepath.Join(folder, workFolder)); err != nil {
		return Binary{}, fmt.Errorf("removing the folder of the build before: %w", err)
	}
	b, err := r.make(ctx, folder, logf)
	if err != nil {
		return Binary{}, err
	}
	programs := filepath.Join(folder, "programs")
	if err := os.MkdirAll(programs, 0o755); err != nil {
		return Binary{}, fmt.Errorf("making a folder for programs: %w", err)
	}
	place := shelf{folder: programs, key: b.SHA256, name: r.binaryName(), length: treeLength, inUse: treeInUse}
	if found, ok := place.find(); ok {
		return found, nil
	}
	// The go command replaces its output by another file, so the program stays as it is.
	return place.put(func(temporary string) (Binary, error) {
		return b, os.Link(filepath.Join(folder, place.name), filepath.Join(temporary, place.name))
	})
}
