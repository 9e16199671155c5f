// Package cluster boots the kind cluster that podclock measures, or adopts one that an earlier run kept. It reuses and
// deletes only clusters that podclock created. The caller handles signals and cancels the context.
package cluster

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/podclock/podclock/harness/node/cluster/nodes"
)

// Cluster is one cluster, as a provider of e2e-framework. From Create to Destroy it belongs to this process. Its
// methods may be called concurrently, except Create, Destroy, and what configures it before Create.
type Cluster struct {
	// Set is nil before Create.
	*nodes.Set
	// Workers are the nodes that all trials of a subject share, Spares its other nodes in order, both by subject.
	Workers map[string]string
	Spares  map[string][]string
	// Adopted: an earlier run created and kept the cluster.
	Adopted bool
	// Boot is the time until every node was Ready.
	Boot time.Duration

	options Options
	driver  *driver
	books   *books // nil unless the cluster belongs to this process
	// ownNetwork: podclock sets up the pod network. limits are those of this host that may be too low, or nil.
	ownNetwork bool
	limits     error
}

// open takes the right to the cluster's name.
func (c *Cluster) open() error {
	dir, err := c.options.stateDir()
	if err != nil {
		return err
	}
	b, err := openBooks(dir, c.options.Name)
	if err != nil {
		return err
	}
	c.books = b
	c.driver = &driver{
		name: c.options.Name, engine: c.options.Engine, kubeconfig: b.kubeconfigPath(), logf: c.options.logf,
	}
	return nil
}

// release gives up the right to the cluster's name.
func (c *Cluster) release() error {
	if c.books == nil {
		return nil
	}
	err := c.books.close()
	c.books = nil
	return err
}

// WorkerNames returns the names of all workers, including spares, in order.
func (c *Cluster) WorkerNames() []string {
	names := slices.Concat(slices.Collect(maps.Values(c.Workers)), c.spareNames())
	slices.SortFunc(names, nodes.ByNumber)
	return names
}

func (c *Cluster) spareNames() []string {
	return slices.Concat(slices.Collect(maps.Values(c.Spares))...)
}

// PutComponent is [nodes.Set.PutComponent] with a line in the log.
func (c *Cluster) PutComponent(ctx context.Context, component nodes.Component) error {
	c.options.logf("putting %s %s into the control plane", component.Name, component.Version)
	return c.Set.PutComponent(ctx, component)
}

func (c *Cluster) connect() error {
	provider, err := c.driver.open()
	if err != nil {
		return err
	}
	all, err := provider.ListInternalNodes(c.options.Name)
	if err != nil {
		return nodes.Explain(fmt.Errorf("listing its nodes: %w", err))
	}
	config, err := clientcmd.BuildConfigFromFlags("", c.driver.kubeconfig)
	if err != nil {
		return fmt.Errorf("reading its kubeconfig: %w", err)
	}
	c.Set, err = nodes.Connect(all, config)
	return err
}

func (c *Cluster) findWorkers(ctx context.Context) error {
	list := &corev1.NodeList{}
	if err := c.Client.List(ctx, list); err != nil {
		return fmt.Errorf("listing its nodes: %w", nodes.Because(ctx, err))
	}
	c.Workers, c.Spares = map[string]string{}, map[string][]string{}
	for _, n := range list.Items {
		if s, ok := n.Labels[SubjectLabel]; ok {
			c.Workers[s] = n.Name
		}
		if s, ok := n.Labels[SpareLabel]; ok {
			c.Spares[s] = append(c.Spares[s], n.Name)
		}
	}
	for _, s := range c.options.Subjects {
		if c.Workers[s] == "" {
			return fmt.Errorf("no node has the label %s=%s", SubjectLabel, s)
		}
		if have, want := len(c.Spares[s]), c.options.Spares[s]; have != want {
			return fmt.Errorf("%d nodes have the label %s=%s, but %d are expected", have, SpareLabel, s, want)
		}
		slices.SortFunc(c.Spares[s], nodes.ByNumber)
	}
	return nil
}
