package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	"sigs.k8s.io/kind/pkg/cluster/nodes"
)

// markPath is the folder in a node under which the cluster's mark is mounted.
//
// A name alone doesn't prove whose cluster it is: someone may have deleted
// podclock's and created their own of the same name. kind offers no labels on
// containers, but it offers mounts, and a mount is there from the moment a
// container exists, however early its run was killed. What is mounted doesn't
// matter: it is the folder kind mounts into every node anyway.
const (
	markPath   = "/kind/podclock"
	markSource = "/lib/modules"
)

// mark puts the mark on every node of a configuration.
func mark(cfg *v1alpha4.Cluster, word string) {
	for i := range cfg.Nodes {
		cfg.Nodes[i].ExtraMounts = append(cfg.Nodes[i].ExtraMounts, v1alpha4.Mount{
			HostPath:      markSource,
			ContainerPath: path.Join(markPath, word),
			Readonly:      true,
		})
	}
}

// marks returns the mark of every node, "" for a node without one. docker,
// podman and nerdctl share this inspect format.
func marks(ctx context.Context, client string, all []nodes.Node) ([]string, error) {
	found := make([]string, 0, len(all))
	for _, n := range all {
		var stderr bytes.Buffer
		cmd := exec.CommandContext(
			ctx,
			client,
			"inspect",
			"--format",
			`{{range .Mounts}}{{println .Destination}}{{end}}`,
			n.String(),
		)
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("asking %s whose node %s is: %w: %s", client, n, err, lastLines(stderr.String(), 1))
		}
		word := ""
		for mount := range strings.Lines(string(out)) {
			if dir, base := path.Split(strings.TrimSpace(mount)); path.Clean(dir) == markPath {
				word = base
			}
		}
		found = append(found, word)
	}
	return found, nil
}

// step is what to do about the cluster that is, or isn't, there.
type step int

const (
	create  step = iota // nothing is there
	replace             // ours, not usable: delete, then create
	adopt               // ours, kept, of the wanted topology
)

// errForeign says that a cluster of that name belongs to someone else.
var errForeign = errors.New(
	"it was not created by podclock from this cache folder and is left alone; choose another name (CLUSTER=<name>), or delete it yourself if it is yours",
)

// decide says what to do about an existing cluster, and why. marks are those
// of the containers that exist under its name; r is nil without a record.
func decide(r *record, marks []string, topology string) (step, string, error) {
	switch {
	case len(marks) == 0:
		return create, "", nil
	case r == nil || slices.ContainsFunc(marks, func(m string) bool { return m != r.Mark }):
		return 0, "", errForeign
	case !r.Kept:
		return replace, fmt.Sprintf(
			"left by a killed run (process %d, started %s)",
			r.PID,
			r.Created.Format("2006-01-02 15:04:05"),
		), nil
	case r.Topology != topology:
		return replace, "kept by an earlier run with other subjects, settings or node image", nil
	default:
		return adopt, "", nil
	}
}
