package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"time"

	"sigs.k8s.io/e2e-framework/support"

	"github.com/podclock/podclock/harness/node/cluster/nodes"
)

// LoadImage loads an image of the container engine's store onto every worker, including spares.
func (c *Cluster) LoadImage(ctx context.Context, image string, args ...string) error {
	if err := cmp.Or(c.created(), none(args, "the image goes onto every worker")); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "podclock-image-")
	if err != nil {
		return fmt.Errorf("making a folder for image %s: %w", image, err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	archive := folder + "/image.tar"
	if _, err := c.driver.ask(ctx, "save", "--output", archive, image); err != nil {
		return fmt.Errorf("saving image %s: %w; pull or build it first", image, err)
	}
	return c.LoadImageArchive(ctx, archive)
}

// LoadImageArchive loads a docker archive onto every worker, including spares.
func (c *Cluster) LoadImageArchive(ctx context.Context, archive string, args ...string) error {
	if err := cmp.Or(c.created(), none(args, "the archive goes onto every worker")); err != nil {
		return err
	}
	return c.LoadArchive(ctx, archive, c.WorkerNames()...)
}

// AddNode is an error, because kind can't do it.
func (c *Cluster) AddNode(context.Context, *support.Node, ...string) error {
	return c.errorf("kind adds no node to a running cluster: name more Subjects or Spares in cluster.Options")
}

// RemoveNode is an error, because kind can't do it.
func (c *Cluster) RemoveNode(context.Context, *support.Node, ...string) error {
	return c.errorf("kind removes no node from a running cluster: stop the node instead")
}

// StopNode stops a worker, which can be started again.
func (c *Cluster) StopNode(ctx context.Context, node *support.Node, args ...string) error {
	if err := cmp.Or(c.changeable(node), none(args, "a node just stops")); err != nil {
		return err
	}
	if _, err := c.driver.ask(ctx, "stop", node.Name); err != nil {
		return c.errorf("stopping node %s: %w", node.Name, err)
	}
	return nil
}

// StartNode starts a worker and waits until its new kubelet has reported Ready.
func (c *Cluster) StartNode(ctx context.Context, node *support.Node, args ...string) error {
	if err := cmp.Or(c.changeable(node), none(args, "a node just starts")); err != nil {
		return err
	}
	started := time.Now()
	if _, err := c.driver.ask(ctx, "start", node.Name); err != nil {
		return c.errorf("starting node %s: %w", node.Name, err)
	}
	if err := c.AwaitKubelet(ctx, node.Name, started); err != nil {
		return c.errorf("%w", err)
	}
	if !c.ownNetwork {
		return nil
	}
	// Routes do not survive a restart of the container, and its address may be another one. A stopped node has none.
	all, err := c.ListNode(ctx)
	if err != nil {
		return err
	}
	running := *c.Set
	running.All = nil
	for _, n := range c.All {
		if slices.ContainsFunc(all, func(one support.Node) bool { return one.Name == n.String() && one.State == up }) {
			running.All = append(running.All, n)
		}
	}
	if err := running.SetUpNetwork(ctx, registerTimeout); err != nil {
		return c.errorf("%w", err)
	}
	return nil
}

// changeable returns an error for a node that can't be stopped or started.
func (c *Cluster) changeable(node *support.Node) error {
	if err := c.created(); err != nil {
		return err
	}
	if _, err := c.Node(node.Name); err != nil {
		return err
	}
	if node.Name == c.ControlPlane {
		return c.errorf("its control plane %s loses its state when it stops, because etcd is in memory: choose a "+
			"worker of %v", node.Name, c.WorkerNames())
	}
	return nil
}

// up is the state of a node whose container runs.
const up = "running"

// ListNode returns the nodes in order, each with the state of its container, such as running or exited.
func (c *Cluster) ListNode(ctx context.Context, args ...string) ([]support.Node, error) {
	if err := cmp.Or(c.created(), none(args, "all nodes are listed")); err != nil {
		return nil, err
	}
	all := make([]support.Node, len(c.All))
	for i, n := range c.All {
		role, roleErr := n.Role()
		address, _, addressErr := n.IP()
		state, stateErr := c.driver.ask(ctx, "inspect", "--format", "{{.State.Status}}", n.String())
		if err := errors.Join(roleErr, addressErr, stateErr); err != nil {
			return nil, nodes.Explain(c.errorf("looking at node %s: %w", n, err))
		}
		all[i] = support.Node{
			Name: n.String(), Role: role, Cluster: c.options.Name, State: state, IP: net.ParseIP(address),
		}
	}
	slices.SortFunc(all, func(a, b support.Node) int { return nodes.ByNumber(a.Name, b.Name) })
	return all, nil
}
