package existing

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/podclock/podclock/harness/formula"
)

// Node is a node to test.
type Node struct {
	Name string
	// Architecture is as GOARCH.
	Architecture string
	// Group describes what nodes have in common whose kubelets should behave alike.
	Group   string
	Kubelet formula.Kubelet
	// Configuration is what the kubelet reports (/configz), nil if that may not be read. Kubelet has its release's
	// defaults then.
	Configuration json.RawMessage
	// Pods is how many pods of podclock may be on the node at one time.
	Pods int
}

// mostPods bounds the pods of podclock on a node. Room is left for the node's owner.
const (
	mostPods  = 60
	spareRoom = 10
)

func (c *Cluster) choose(ctx context.Context, o Options) error {
	list, err := c.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: o.NodeSelector})
	if err != nil {
		return fmt.Errorf("list the nodes of context %s: %w", c.Context, err)
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
			if why := unfit(n); why != "" {
				return fmt.Errorf("node %s is left alone: %s", name, why)
			}
			candidates = append(candidates, *n)
		}
	}
	taken, unfits := map[string]int{}, []string{}
	for i := range candidates {
		n := &candidates[i]
		if why := unfit(n); why != "" {
			unfits = append(unfits, n.Name+" "+why)
			continue
		}
		group := groupOf(n)
		key := group
		if o.Per != "" {
			key = n.Labels[o.Per]
		}
		if most := o.most(); most > 0 && taken[key] == most {
			continue
		}
		taken[key]++
		chosen, err := c.inspect(ctx, n)
		if err != nil {
			return err
		}
		chosen.Group = group
		c.Nodes = append(c.Nodes, chosen)
	}
	if len(c.Nodes) == 0 {
		why := "it has no node" + matching(o.NodeSelector)
		if len(unfits) > 0 {
			why = "every node is left alone: " + strings.Join(unfits, "; ")
		}
		return fmt.Errorf("context %s has no node to test: %s", c.Context, why)
	}
	return nil
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

// unfit returns why a node is left alone, or "".
func unfit(n *corev1.Node) string {
	if n.Spec.Unschedulable {
		return "it is cordoned"
	}
	if os := n.Status.NodeInfo.OperatingSystem; os != "linux" {
		return "its operating system is " + os
	}
	ready := false
	for _, c := range n.Status.Conditions {
		switch {
		case c.Type == corev1.NodeReady:
			ready = c.Status == corev1.ConditionTrue
		case strings.HasSuffix(string(c.Type), "Pressure") && c.Status == corev1.ConditionTrue:
			return "it has " + string(c.Type)
		}
	}
	if !ready {
		return "it is not Ready"
	}
	for _, t := range n.Spec.Taints {
		if t.Effect != corev1.TaintEffectPreferNoSchedule {
			return "it has the taint " + t.ToString()
		}
	}
	return ""
}

// groupOf describes a node without its configuration, which costs a request to each kubelet.
func groupOf(n *corev1.Node) string {
	i := n.Status.NodeInfo
	return strings.Join([]string{
		i.KubeletVersion, i.ContainerRuntimeVersion, i.OSImage, "kernel " + i.KernelVersion, i.Architecture,
	}, ", ")
}

// Groups returns the groups of the chosen nodes, each with its nodes' names, in order.
func (c *Cluster) Groups() (groups []string, nodes map[string][]string) {
	nodes = map[string][]string{}
	for _, n := range c.Nodes {
		if !slices.Contains(groups, n.Group) {
			groups = append(groups, n.Group)
		}
		nodes[n.Group] = append(nodes[n.Group], n.Name)
	}
	return groups, nodes
}

// ValidSelector returns what is wrong with a label selector.
func ValidSelector(selector string) error {
	_, err := labels.Parse(selector)
	return err
}
