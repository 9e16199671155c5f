package cluster

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/kind/pkg/cluster/nodes"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"
)

// loadsAtOnce bounds how many nodes import an image at one time. More are not
// faster (12 nodes took 2.1 to 3.5 s with any bound on two cores).
const loadsAtOnce = 4

// LoadArchive loads a docker archive onto the named nodes, by default onto
// every worker, spare ones too, some at a time. A node that has every tag of the archive already
// is left alone: podclock's tags are hashes of the content.
func (c *Cluster) LoadArchive(ctx context.Context, archivePath string, nodeNames ...string) error {
	manifest, err := tarball.LoadManifest(func() (io.ReadCloser, error) { return os.Open(archivePath) })
	if err != nil {
		return fmt.Errorf(
			"reading the image archive %s: %w; it must be a docker archive, build it anew",
			archivePath,
			err,
		)
	}
	var tags []string
	for _, image := range manifest {
		tags = append(tags, image.RepoTags...)
	}
	if len(nodeNames) == 0 {
		nodeNames = c.WorkerNames()
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(loadsAtOnce)
	for _, name := range nodeNames {
		group.Go(func() error {
			n, err := c.Node(name)
			if err != nil {
				return err
			}
			present, err := imageTags(ctx, n)
			if err != nil {
				return err
			}
			if len(tags) > 0 && !slices.ContainsFunc(tags, func(tag string) bool { return !present[tag] }) {
				return nil
			}
			return loadArchive(ctx, n, archivePath)
		})
	}
	return group.Wait()
}

// imageTags returns the references of a node's images. It asks containerd's
// own client, because a node image need not have crictl.
func imageTags(ctx context.Context, n nodes.Node) (map[string]bool, error) {
	out, err := runScript(ctx, n, commandTimeout, nil, `ctr --namespace k8s.io images list --quiet`)
	if err != nil {
		return nil, fmt.Errorf("listing the images of node %s: %w", n, err)
	}
	tags := map[string]bool{}
	for tag := range strings.Lines(out) {
		tags[strings.TrimSpace(tag)] = true
	}
	return tags, nil
}

func loadArchive(ctx context.Context, n nodes.Node, archivePath string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, loadTimeout, fmt.Errorf("it took longer than %v", loadTimeout))
	defer cancel()
	archive, err := os.Open(archivePath)
	if err != nil {
		return fmt.Errorf("loading an image onto node %s: %w", n, err)
	}
	defer func() { _ = archive.Close() }()
	if err := nodeutils.LoadImageArchive(boundNode{n, ctx}, archive); err != nil {
		return fmt.Errorf("loading the image archive %s onto node %s: %w", archivePath, n, because(ctx, explain(err)))
	}
	return nil
}

// LoadImageArchive loads an image archive onto every node of the cluster.
func (p *Provider) LoadImageArchive(ctx context.Context, archivePath string, _ ...string) error {
	driver, err := p.driver()
	if err != nil {
		return err
	}
	all, err := driver.ListInternalNodes(p.name)
	if err != nil {
		return explain(fmt.Errorf("listing the nodes of cluster %q: %w", p.name, err))
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(loadsAtOnce)
	for _, n := range all {
		group.Go(func() error { return loadArchive(ctx, n, archivePath) })
	}
	return group.Wait()
}

// LoadImage loads an image of the container engine onto every node.
func (p *Provider) LoadImage(ctx context.Context, image string, args ...string) error {
	if _, err := p.driver(); err != nil {
		return err
	}
	archive, err := os.CreateTemp("", "image-*.tar")
	if err != nil {
		return fmt.Errorf("saving image %s: %w", image, err)
	}
	defer func() { _, _ = archive.Close(), os.Remove(archive.Name()) }()
	var stderr strings.Builder
	save := exec.CommandContext(ctx, p.engine, "save", image)
	save.Stdout, save.Stderr = archive, &stderr
	if err := save.Run(); err != nil {
		return fmt.Errorf("saving image %s from %s: %w: %s", image, p.engine, err, lastLines(stderr.String(), 1))
	}
	return p.LoadImageArchive(ctx, archive.Name(), args...)
}
