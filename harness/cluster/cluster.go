// Package cluster boots the kind cluster that podclock measures, or adopts one that an earlier run kept. It reuses and
// deletes only clusters that podclock created. The caller handles signals and cancels the context.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/podclock/podclock/harness/cluster/nodes"
)

// Cluster is a running cluster that belongs to this process. Its methods may be called concurrently, except Close.
type Cluster struct {
	*nodes.Set
	// Name is the cluster's name in kind. Kubeconfig is the path of its kubeconfig, which is not the user's own.
	Name, Kubeconfig string
	// Workers are the nodes that all trials of a subject share, Spares its other nodes in order, both by subject.
	Workers map[string]string
	Spares  map[string][]string
	// Image is the reference of the node image. Empty: kind's default.
	Image string
	// Adopted: an earlier run created and kept the cluster.
	Adopted bool
	// Boot is the time until every node was Ready.
	Boot time.Duration

	options Options
	books   *books
	driver  *driver
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

// LoadArchive loads a docker archive onto every worker, including spares.
func (c *Cluster) LoadArchive(ctx context.Context, archivePath string) error {
	return c.Set.LoadArchive(ctx, archivePath, c.WorkerNames()...)
}

// PutComponent is [nodes.Set.PutComponent] with a line in the log.
func (c *Cluster) PutComponent(ctx context.Context, component nodes.Component) error {
	c.options.logf("putting %s %s into the control plane", component.Name, component.Version)
	return c.Set.PutComponent(ctx, component)
}

// Close deletes the cluster unless it is to be kept or was adopted, even if the context has ended.
func (c *Cluster) Close(ctx context.Context) error {
	if c.options.Keep || c.Adopted {
		c.options.logf("kept; KUBECONFIG=%s, \"make down\" deletes it", c.Kubeconfig)
		return c.books.close()
	}
	if err := c.driver.destroy(ctx); err != nil {
		return errors.Join(err, c.books.close()) // the record stays, so the next run can delete it
	}
	c.options.logf("deleted")
	return errors.Join(c.books.forget(), c.books.close())
}

func (c *Cluster) connect() error {
	provider, err := c.driver.open()
	if err != nil {
		return err
	}
	all, err := provider.ListInternalNodes(c.Name)
	if err != nil {
		return nodes.Explain(fmt.Errorf("listing its nodes: %w", err))
	}
	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig)
	if err != nil {
		return fmt.Errorf("reading its kubeconfig: %w", err)
	}
	c.Set, err = nodes.Connect(all, config)
	return err
}

func (c *Cluster) findWorkers(ctx context.Context) error {
	list, err := c.Client.Nodes.List(ctx, metav1.ListOptions{})
	if err != nil {
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
