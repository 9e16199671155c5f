package node

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"sigs.k8s.io/kind/pkg/apis/config/defaults"

	"github.com/podclock/podclock/harness/host/engine"
)

const probeTime = 4 * time.Second

// Options describe the wanted node image.
type Options struct {
	// Request is NODE_IMAGE: empty for the best available, [RequestBuild], [RequestPublished], or an image's reference.
	Request string
	// KubernetesVersion is the version of the nodes, such as v1.36.3.
	KubernetesVersion string
	Engine            *engine.Engine
	// Progress gets a line with the chosen image, and the progress of a build. It may be nil.
	Progress io.Writer
}

// Image is a node image that kind can boot.
type Image struct {
	Ref string
	// Built: podclock built it, here or elsewhere.
	Built bool
	// Kubernetes is the version in the image, such as v1.36.3. Empty: only /kind/version in the node contains it.
	Kubernetes string
	// Components are the versions of containerd, runc, etcd and cni in podclock's own image.
	Components map[string]string
}

// Ensure returns the image to boot nodes from, and builds it if necessary, which takes minutes. An interrupted build
// leaves no image. kind pulls a published image. Only a build needs the Go tool and podclock's source: without them,
// podclock's own image is one that the engine has.
func Ensure(ctx context.Context, opts Options) (Image, error) {
	if opts.Progress == nil {
		opts.Progress = io.Discard
	}
	src, built, unbuildable := own(ctx, opts.Engine.Name, opts.KubernetesVersion)
	published := publishedRef(defaults.Image, opts.KubernetesVersion)
	ref, build := choose(outlook{
		Request: opts.Request, Built: built, Published: published,
		HaveBuilt:     built != "" && present(ctx, opts.Engine.Name, built),
		HavePublished: present(ctx, opts.Engine.Name, published),
		InReach:       func() bool { return inReach(ctx, opts.Engine.Name, published) },
	})
	if err := ctx.Err(); err != nil {
		return Image{}, fmt.Errorf("choosing a node image: %w", context.Cause(ctx))
	}
	if build && unbuildable != nil {
		return Image{}, fmt.Errorf("building a node image: %w; or load one that podclock built elsewhere (%s load -i "+
			"FILE), or set NODE_IMAGE to one of Kubernetes %s", unbuildable, opts.Engine.Name, opts.KubernetesVersion)
	}
	if build {
		if err := ensureBuilt(ctx, src, ref, opts.Engine.Name, opts.Progress); err != nil {
			if ctx.Err() != nil { // without the output of the interrupted programs
				return Image{}, fmt.Errorf("building the node image: stopped, nothing is left: %w", context.Cause(ctx))
			}
			return Image{}, err
		}
	}
	image := Image{Ref: ref, Kubernetes: kubernetesOf(ref), Components: map[string]string{}}
	for label, version := range labels(ctx, opts.Engine.Name, ref) {
		if of, own := strings.CutPrefix(label, labelPrefix); own {
			image.Built, image.Components[of] = true, version
		}
	}
	if !image.Built {
		_, _ = fmt.Fprintf(opts.Progress, "node image: %s\n", ref)
		return image, nil
	}
	image.Kubernetes = image.Components[kubernetes.Folder]
	delete(image.Components, kubernetes.Folder)
	_, _ = fmt.Fprintf(opts.Progress, "node image: %s (podclock's own, Kubernetes %s)\n", ref, image.Kubernetes)
	return image, nil
}

// inReach asks the engine's client, which has the user's credentials and proxies.
func inReach(ctx context.Context, engine, ref string) bool {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	return command(ctx, engine, "manifest", "inspect", ref).Run() == nil
}
