package node

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"sigs.k8s.io/kind/pkg/apis/config/defaults"

	"github.com/podclock/podclock/harness/engine"
	"github.com/podclock/podclock/images"
)

const probeTime = 4 * time.Second

// Options describe the wanted node image.
type Options struct {
	// Request is NODE_IMAGE: empty for the best available, [RequestBuild], [RequestPublished], or an image's reference.
	Request string
	// KubernetesVersion is the version of the nodes, such as v1.36.3. Empty: the one version of podclock's own image.
	KubernetesVersion string
	Engine            *engine.Engine
	// Progress gets a line with the chosen image, and the progress of a build. It may be nil.
	Progress io.Writer
}

// Image is a node image that kind can boot.
type Image struct {
	Ref string
	// Built: it is podclock's own image. Fresh: it did not exist before.
	Built, Fresh bool
	// Kubernetes is the version in the image, such as v1.36.3. Empty: only /kind/version in the node contains it.
	Kubernetes string
	// Components are the versions of containerd, runc, etcd and cni in podclock's own image.
	Components map[string]string
}

// Ensure returns the image to boot nodes from, and builds it if necessary, which takes minutes. An interrupted build
// leaves no image. kind pulls a published image.
func Ensure(ctx context.Context, opts Options) (Image, error) {
	if opts.Progress == nil {
		opts.Progress = io.Discard
	}
	src, err := findSource(ctx)
	if err != nil {
		return Image{}, err
	}
	pinned, err := kubernetes.version(src.Root)
	if err != nil {
		return Image{}, err
	}
	wanted := cmp.Or(opts.KubernetesVersion, pinned)
	key, err := src.key()
	if err != nil {
		return Image{}, err
	}
	built, published := images.Ref("node", key), publishedRef(defaults.Image, wanted)
	canBuild := wanted == pinned
	ref, build := choose(outlook{
		Request: opts.Request, Built: built, Published: published,
		HaveBuilt:     canBuild && present(ctx, opts.Engine.Name, built),
		HavePublished: present(ctx, opts.Engine.Name, published),
		InReach:       func() bool { return inReach(ctx, opts.Engine.Name, published) },
	})
	if err := ctx.Err(); err != nil {
		return Image{}, fmt.Errorf("choosing a node image: %w", context.Cause(ctx))
	}
	if ref != built {
		_, _ = fmt.Fprintf(opts.Progress, "node image: %s\n", ref)
		return Image{Ref: ref, Kubernetes: kubernetesOf(ref)}, nil
	}
	if !canBuild {
		const format = "building a node image: Kubernetes %s is wanted, but images/node/kubernetes pins %s: " +
			"change the pin, or set NODE_IMAGE to an image of that version"
		return Image{}, fmt.Errorf(format, wanted, pinned)
	}
	image := Image{Ref: ref, Built: true, Fresh: build, Kubernetes: pinned, Components: map[string]string{}}
	for _, c := range others {
		version, err := c.version(src.Root)
		if err != nil {
			return Image{}, err
		}
		if version != "" {
			image.Components[c.Folder] = version
		}
	}
	if build {
		if err := ensureBuilt(ctx, src, ref, opts.Engine.Name, opts.Progress); err != nil {
			if ctx.Err() != nil { // without the output of the interrupted programs
				return Image{}, fmt.Errorf("building the node image: stopped, nothing is left: %w", context.Cause(ctx))
			}
			return Image{}, err
		}
	}
	_, _ = fmt.Fprintf(opts.Progress, "node image: %s (built here, Kubernetes %s)\n", ref, pinned)
	return image, nil
}

// inReach asks the engine's client, which has the user's credentials and proxies.
func inReach(ctx context.Context, engine, ref string) bool {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	return command(ctx, engine, "manifest", "inspect", ref).Run() == nil
}
