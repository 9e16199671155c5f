package external

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/mod/semver"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/podclock/podclock/harness/host/kubeconfig"
	"github.com/podclock/podclock/harness/rules/formula"
)

// Find reads the cluster and chooses its nodes. The error names what is wrong and the remedy.
func Find(ctx context.Context, o Options) (*Cluster, error) {
	c, err := o.connect()
	if err != nil {
		return nil, err
	}
	if c.Version, err = kubeconfig.Version(ctx, c.server); err != nil {
		return nil, fmt.Errorf("ask for the cluster's version: %w", c.explain(err))
	}
	if semver.Compare(c.Version, formula.OldestKnown) < 0 {
		return nil, fmt.Errorf("the API server %s of context %s is %s: the oldest release whose rules podclock knows "+
			"is %s", c.Server, c.Context, c.Version, formula.OldestKnown)
	}
	if err := c.readRights(ctx); err != nil {
		return nil, err
	}
	return c, c.choose(ctx, o)
}

func (c *Cluster) choose(ctx context.Context, o Options) error {
	list := &corev1.NodeList{}
	err := c.client.List(ctx, list, &client.ListOptions{Raw: &metav1.ListOptions{LabelSelector: o.NodeSelector}})
	if err != nil {
		return fmt.Errorf("list the nodes of context %s: %w", c.Context, c.explain(err))
	}
	byName := map[string]*corev1.Node{}
	for i := range list.Items {
		byName[list.Items[i].Name] = &list.Items[i]
	}
	candidates := list.Items
	if len(o.Nodes) > 0 {
		candidates = nil
		for _, name := range o.Nodes {
			n := byName[name]
			if n == nil {
				return fmt.Errorf("context %s has no node %s%s: `kubectl get nodes` lists them", c.Context, name,
					matching(o.NodeSelector))
			}
			candidates = append(candidates, *n)
		}
	}
	candidates = o.Shard.of(candidates)
	taken, unfits := map[string]int{}, []string{}
	for i, found := range c.inspectAll(ctx, candidates) {
		n := &candidates[i]
		key := found.Group
		if o.Per != "" {
			key = n.Labels[o.Per]
		}
		if most := o.most(); found.unfit == "" && most > 0 && taken[key] == most {
			continue
		}
		if found.unfit == "" {
			if found.Pods, found.unfit, err = c.room(ctx, n); err != nil {
				return err
			}
		}
		switch {
		case found.unfit == "":
			taken[key]++
			c.Nodes = append(c.Nodes, found.Node)
		case len(o.Nodes) > 0:
			return fmt.Errorf("node %s is left alone: %s", n.Name, found.unfit)
		default:
			unfits = append(unfits, n.Name+" "+found.unfit)
		}
	}
	if len(c.Nodes) == 0 {
		why := "it has no node" + matching(o.NodeSelector) + o.Shard.words()
		if len(unfits) > 0 {
			why = "every node is left alone: " + strings.Join(unfits, "; ")
		}
		return fmt.Errorf("context %s has no node to test: %s", c.Context, why)
	}
	return ctx.Err()
}

// most is the number of nodes of a group, 0 for all.
func (o Options) most() int {
	if o.Sample == 0 && len(o.Nodes) == 0 {
		return 1
	}
	return o.Sample
}

func matching(selector string) string {
	if selector == "" {
		return ""
	}
	return " that matches " + selector
}

// ValidSelector returns what is wrong with a label selector.
func ValidSelector(selector string) error {
	_, err := labels.Parse(selector)
	return err
}
