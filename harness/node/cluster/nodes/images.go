package nodes

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"golang.org/x/sync/errgroup"
	kind "sigs.k8s.io/kind/pkg/cluster/nodes"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"

	"github.com/podclock/podclock/images"
)

const (
	loadTimeout = 3 * time.Minute // for one archive on one node
	loadsAtOnce = 4               // more were not faster on two cores
)

// LoadArchive loads a docker archive onto nodes. It skips nodes that have every tag of the archive, if these are
// podclock's, which are hashes of the content.
func (s *Set) LoadArchive(ctx context.Context, archivePath string, nodeNames ...string) error {
	manifest, err := tarball.LoadManifest(func() (io.ReadCloser, error) { return os.Open(archivePath) })
	if err != nil {
		return fmt.Errorf("reading the image archive %s: %w; build the docker archive again", archivePath, err)
	}
	var tags []string
	for _, image := range manifest {
		tags = append(tags, image.RepoTags...)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(loadsAtOnce)
	for _, name := range nodeNames {
		group.Go(func() error {
			n, err := s.Node(name)
			if err != nil {
				return err
			}
			present, err := imageTags(ctx, n)
			if err != nil {
				return err
			}
			missing := func(tag string) bool { return !present[tag] || !images.OfContent(tag) }
			if len(tags) > 0 && !slices.ContainsFunc(tags, missing) {
				return nil
			}
			return loadArchive(ctx, n, archivePath)
		})
	}
	return group.Wait()
}

// imageTags uses ctr, because a node image may have no crictl.
func imageTags(ctx context.Context, n kind.Node) (map[string]bool, error) {
	out, err := run(ctx, n, script{text: runtimeShell + `images`})
	if err != nil {
		return nil, fmt.Errorf("listing the images of node %s: %w", n, err)
	}
	tags := map[string]bool{}
	for tag := range strings.Lines(out) {
		tags[strings.TrimSpace(tag)] = true
	}
	return tags, nil
}

func loadArchive(ctx context.Context, n kind.Node, archivePath string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, loadTimeout, fmt.Errorf("it took longer than %v", loadTimeout))
	defer cancel()
	archive, err := os.Open(archivePath)
	if err == nil {
		defer func() { _ = archive.Close() }()
		err = load(ctx, n, archive)
	}
	if err != nil {
		return fmt.Errorf("loading the image archive %s onto node %s: %w", archivePath, n, err)
	}
	return nil
}

// load uses kind's own code for containerd, whose snapshotter kind may change.
func load(ctx context.Context, n kind.Node, archive io.Reader) error {
	unit, err := run(ctx, n, script{text: runtimeShell + `echo $unit`})
	if err != nil {
		return err
	}
	if unit == ownUnit {
		return Because(ctx, Explain(nodeutils.LoadImageArchive(boundNode{n, ctx}, archive)))
	}
	_, err = run(ctx, n, script{text: runtimeShell + `load`, stdin: archive, limit: loadTimeout})
	return err
}
