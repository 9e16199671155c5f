package node

import (
	"context"
	"fmt"
	"io"
	"time"

	"sigs.k8s.io/kind/pkg/apis/config/defaults"

	"github.com/podclock/podclock/harness/engine"
	"github.com/podclock/podclock/images"
)

// probeTime bounds the question whether a registry is in reach. Where one is, it answers in less than a second.
const probeTime = 4 * time.Second

// Options say which node image is wanted.
type Options struct {
	// Request is NODE_IMAGE: empty for the best there is, [RequestBuild], [RequestPublished], or an image's
	// reference, which is taken as it is.
	Request string
	// KubernetesVersion is the version the nodes must run, as v1.36.3. Empty means the one our own image is
	// pinned to; our own image can't be of another.
	KubernetesVersion string
	// Engine is where the image has to be.
	Engine *engine.Engine
	// Progress gets a line saying which image is used and, during a build, how far it is. Nil means nobody
	// wants to know.
	Progress io.Writer
}

// Image is a node image that kind can boot.
type Image struct {
	// Ref is the image's reference.
	Ref string
	// Built is true for our own image, and Fresh when it was not there before.
	Built, Fresh bool
	// Kubernetes is the version in the image, as v1.36.3. It is empty where the reference does not tell; the file
	// /kind/version in the node does.
	Kubernetes string
	// Components are the versions of the other parts of our own image, by name: containerd, runc, etcd,
	// cni. Nil for images of others.
	Components map[string]string
}

// Ensure returns the image to boot nodes from, and builds it first where that is needed: minutes the first
// time, less than two seconds ever after. A build that is cut short leaves no image.
//
// A published image is not pulled here; kind does that when it makes a node.
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
	wanted := opts.KubernetesVersion
	if wanted == "" {
		wanted = pinned
	}
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
		return Image{}, fmt.Errorf(
			"building a node image: Kubernetes %s is asked for, but images/node/kubernetes is pinned to %s: "+
				"change the pin, or set NODE_IMAGE to an image of that version",
			wanted,
			pinned,
		)
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
		if err := ensureBuilt(ctx, src, ref, opts); err != nil {
			if ctx.Err() != nil { // what the interrupted programs said last does not matter
				return Image{}, fmt.Errorf(
					"building the node image: stopped, nothing is left behind: %w",
					context.Cause(ctx),
				)
			}
			return Image{}, err
		}
	}
	_, _ = fmt.Fprintf(opts.Progress, "node image: %s (built here, Kubernetes %s)\n", ref, pinned)
	return image, nil
}

// present tells whether the engine has an image.
func present(ctx context.Context, engine, ref string) bool {
	return command(ctx, engine, "image", "inspect", ref).Run() == nil
}

// inReach tells whether a registry would hand out the image now. The engine's client asks, because it knows the
// user's credentials and proxies.
func inReach(ctx context.Context, engine, ref string) bool {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	return command(ctx, engine, "manifest", "inspect", ref).Run() == nil
}
