package cluster

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	kindnodes "sigs.k8s.io/kind/pkg/cluster/nodes"
)

// markPath is the folder in a node that contains the mount point named like the cluster's mark.
//
// The mark proves that podclock created the cluster; a name does not. kind has no labels for containers, but a mount
// exists as soon as its container does. markSource is a folder that kind mounts into every node anyway.
const (
	markPath   = "/kind/podclock"
	markSource = "/lib/modules"
)

func mark(cfg *v1alpha4.Cluster, word string) {
	for i := range cfg.Nodes {
		cfg.Nodes[i].ExtraMounts = append(cfg.Nodes[i].ExtraMounts, v1alpha4.Mount{
			HostPath:      markSource,
			ContainerPath: path.Join(markPath, word),
			Readonly:      true,
		})
	}
}

// marks returns the mark of every node, "" for none. The format works with docker, podman and nerdctl.
func (d *driver) marks(ctx context.Context, all []kindnodes.Node) ([]string, error) {
	found := make([]string, 0, len(all))
	for _, n := range all {
		const format = `{{range .Mounts}}{{println .Destination}}{{end}}`
		mounts, err := d.ask(ctx, "inspect", "--format", format, n.String())
		if err != nil {
			return nil, fmt.Errorf("reading who owns node %s: %w", n, err)
		}
		word := ""
		for mount := range strings.Lines(mounts) {
			if dir, base := path.Split(strings.TrimSpace(mount)); path.Clean(dir) == markPath {
				word = base
			}
		}
		found = append(found, word)
	}
	return found, nil
}

type step int

const (
	create  step = iota // none exists
	replace             // it is ours, but unusable: delete it, then create
	adopt               // it is ours, was kept, and has the wanted topology
)

var errForeign = errors.New("podclock did not create it from this cache folder and does not touch it; " +
	"choose another name (CLUSTER=<name>), or delete it yourself if it is yours")

// decide returns what to do about the cluster whose nodes have these marks, and why. r may be nil.
func decide(r *record, marks []string, topology string) (step, string, error) {
	switch {
	case len(marks) == 0:
		return create, "", nil
	case r == nil || slices.ContainsFunc(marks, func(m string) bool { return m != r.Mark }):
		return 0, "", errForeign
	case !r.Kept:
		started := r.Created.Format("2006-01-02 15:04:05")
		return replace, fmt.Sprintf("left by a killed run (process %d, started %s)", r.PID, started), nil
	case r.Topology != topology:
		return replace, "kept by an earlier run with other subjects, settings or node image", nil
	default:
		return adopt, "", nil
	}
}
