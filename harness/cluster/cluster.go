package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/e2e-framework/klient"
	"sigs.k8s.io/kind/pkg/cluster/nodes"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"
)

// Cluster is a running cluster that belongs to this process. Its methods may
// be called from several goroutines, except Close.
type Cluster struct {
	// Name of the cluster, as kind lists it.
	Name string
	// Kubeconfig is the path of its kubeconfig, which is not the user's own.
	Kubeconfig string
	// ControlPlane is the control plane's node.
	ControlPlane string
	// Workers are the nodes that all trials of a subject share.
	Workers map[string]string
	// Spares are the further nodes of the subjects, as many as [Options.Spares]
	// says, in the order of their numbers.
	Spares map[string][]string
	// Image is the reference of the node image. Empty: kind's default.
	Image string
	// Adopted: an earlier run kept the cluster, and this one found it.
	Adopted bool
	// Boot is the time from the decision to create or adopt the cluster until
	// every node was Ready.
	Boot time.Duration
	// Client of its API server.
	Client klient.Client

	options  Options
	books    *books
	provider *Provider
	nodes    []nodes.Node
}

// client-go holds back a client that asks more than 5 times a second. A dozen
// nodes that are waited for at once ask 60 times.
const clientQPS, clientBurst = 100, 200

// RESTConfig returns the configuration of a client of the API server.
func (c *Cluster) RESTConfig() *rest.Config { return c.Client.RESTConfig() }

// WorkerNames returns the nodes of all workers, spare ones too, in the order of
// their numbers.
func (c *Cluster) WorkerNames() []string {
	names := slices.Concat(
		slices.Collect(maps.Values(c.Workers)),
		slices.Concat(slices.Collect(maps.Values(c.Spares))...),
	)
	slices.SortFunc(names, byNumber)
	return names
}

// byNumber orders the names that kind gives to nodes: worker, worker2, worker10.
func byNumber(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// Node returns a node to run commands on.
func (c *Cluster) Node(name string) (nodes.Node, error) {
	for _, n := range c.nodes {
		if n.String() == name {
			return n, nil
		}
	}
	return nil, fmt.Errorf("cluster %q has no node %q; it has %v", c.Name, name, c.nodes)
}

// ExportLogs saves the logs of every node in a folder.
func (c *Cluster) ExportLogs(ctx context.Context, dir string) error {
	return c.provider.ExportLogs(ctx, dir)
}

// Close ends the use of the cluster: it is deleted, or left for the next run
// if it was to be kept or had been adopted. It finishes within bounds of its
// own even if the context has ended, so it is safe after a signal.
func (c *Cluster) Close(ctx context.Context) error {
	if c.options.Keep || c.Adopted {
		c.options.logf("kept; KUBECONFIG=%s, \"make down\" deletes it", c.Kubeconfig)
		return c.books.close()
	}
	return c.Destroy(ctx)
}

// Destroy deletes the cluster even if it was to be kept. It finishes within
// bounds of its own even if the context has ended.
func (c *Cluster) Destroy(ctx context.Context) error {
	if err := c.provider.Destroy(ctx); err != nil {
		// The record stays, so that the next run can finish the work.
		return errors.Join(err, c.books.close())
	}
	c.options.logf("deleted")
	return errors.Join(c.books.forget(), c.books.close())
}

// connect finds the nodes of a booted cluster and makes a client of its API
// server.
func (c *Cluster) connect() error {
	driver, err := c.provider.driver()
	if err != nil {
		return err
	}
	if c.nodes, err = driver.ListInternalNodes(c.Name); err != nil {
		return explain(fmt.Errorf("listing its nodes: %w", err))
	}
	controlPlane, err := nodeutils.BootstrapControlPlaneNode(c.nodes)
	if err != nil {
		return explain(fmt.Errorf("finding its control plane: %w", err))
	}
	c.ControlPlane = controlPlane.String()
	config := rest.CopyConfig(c.provider.KubernetesRestConfig())
	config.QPS, config.Burst = clientQPS, clientBurst
	if c.Client, err = klient.New(config); err != nil {
		return fmt.Errorf("making a client of its API server: %w", err)
	}
	return nil
}

// findWorkers maps the subjects to nodes.
func (c *Cluster) findWorkers(ctx context.Context) error {
	list := &corev1.NodeList{}
	if err := c.Client.Resources().List(ctx, list); err != nil {
		return fmt.Errorf("listing its nodes: %w", because(ctx, err))
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
		if have := len(c.Spares[s]); have != c.options.Spares[s] {
			return fmt.Errorf("%d instead of %d nodes have the label %s=%s", have, c.options.Spares[s], SpareLabel, s)
		}
		slices.SortFunc(c.Spares[s], byNumber)
	}
	return nil
}
