package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/e2e-framework/klient"
	"sigs.k8s.io/e2e-framework/klient/k8s"
	"sigs.k8s.io/e2e-framework/klient/k8s/resources"
	"sigs.k8s.io/e2e-framework/klient/wait"
	"sigs.k8s.io/e2e-framework/klient/wait/conditions"
	"sigs.k8s.io/kind/pkg/cluster/nodes"
)

// waitReady waits until every node is Ready.
func waitReady(ctx context.Context, client klient.Client, all []nodes.Node, limit time.Duration) error {
	_, err := waitNodes(ctx, client, all, limit, "Ready", whyNotReady)
	return err
}

// waitNodes waits until nothing is wrong with any node and returns them all.
// When that fails the error names the nodes, what is wrong with each, and what
// its kubelet logged last.
func waitNodes(
	ctx context.Context,
	client klient.Client,
	all []nodes.Node,
	limit time.Duration,
	goal string,
	wrong func(*corev1.Node) string,
) ([]corev1.Node, error) {
	list := &corev1.NodeList{}
	fine := func(o k8s.Object) bool {
		n, ok := o.(*corev1.Node)
		return ok && wrong(n) == ""
	}
	err := wait.For(conditions.New(client.Resources()).ResourceListMatchN(list, len(all), fine),
		wait.WithContext(ctx), wait.WithTimeout(limit), wait.WithInterval(pollInterval), wait.WithImmediate())
	if err == nil {
		return list.Items, nil
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("waiting for its nodes to be %s: %w", goal, context.Cause(ctx))
	}
	ctx, cancel := context.WithTimeout(ctx, diagnoseTimeout)
	defer cancel()
	// The wait ignores errors of the API server. Here they matter.
	list = &corev1.NodeList{}
	if listErr := client.Resources().List(ctx, list); listErr != nil {
		return nil, fmt.Errorf(
			"waiting for its nodes to be %s: the API server did not answer for %v: %w",
			goal,
			limit,
			listErr,
		)
	}
	return nil, fmt.Errorf(
		"not every node was %s within %v: %w",
		goal,
		limit,
		errors.Join(err, diagnose(ctx, list.Items, all, wrong)),
	)
}

// diagnose names the nodes with which something is wrong.
func diagnose(ctx context.Context, known []corev1.Node, all []nodes.Node, wrong func(*corev1.Node) string) error {
	var errs []error
	for _, n := range all {
		why := "its kubelet never registered it with the API server"
		for i := range known {
			if known[i].Name == n.String() {
				why = wrong(&known[i])
			}
		}
		if why != "" {
			errs = append(errs, fmt.Errorf("node %s: %s; its kubelet's last words: %s", n, why, kubeletJournal(ctx, n)))
		}
	}
	return errors.Join(errs...)
}

// whyNotReady returns "" for a node that is Ready.
func whyNotReady(n *corev1.Node) string {
	c := readyCondition(n)
	switch {
	case c == nil:
		return "its kubelet has not reported a status"
	case c.Status == corev1.ConditionTrue:
		return ""
	default:
		return fmt.Sprintf("Ready is %s (%s): %s", c.Status, c.Reason, c.Message)
	}
}

// AwaitUnpressed waits until a node is under no pressure.
func (c *Cluster) AwaitUnpressed(ctx context.Context, nodeName string) error {
	n, err := c.Node(nodeName)
	if err != nil {
		return err
	}
	if err := waitUnpressed(ctx, c.Client, n); err != nil {
		return fmt.Errorf("node %s: %w", nodeName, err)
	}
	return nil
}

// waitUnpressed waits until a node has neither a pressure nor its taint.
func waitUnpressed(ctx context.Context, client klient.Client, n nodes.Node) error {
	node := &corev1.Node{}
	node.Name = n.String()
	unpressed := func(o k8s.Object) bool {
		n, ok := o.(*corev1.Node)
		return ok && pressures(n) == nil
	}
	err := wait.For(conditions.New(client.Resources()).ResourceMatch(node, unpressed),
		wait.WithContext(ctx), wait.WithTimeout(pressureTimeout), wait.WithInterval(pollInterval), wait.WithImmediate())
	if err != nil {
		return fmt.Errorf("it still had %v after %v: %w", pressures(node), pressureTimeout, because(ctx, err))
	}
	return nil
}

// pressures returns the pressures of a node, nil for none.
func pressures(n *corev1.Node) []string {
	var all []string
	for _, c := range n.Status.Conditions {
		if strings.HasSuffix(string(c.Type), "Pressure") && c.Status != corev1.ConditionFalse {
			all = append(all, fmt.Sprintf("condition %s (%s)", c.Type, c.Status))
		}
	}
	for _, t := range n.Spec.Taints {
		if strings.HasSuffix(t.Key, "-pressure") {
			all = append(all, "taint "+t.Key)
		}
	}
	return all
}

func readyCondition(n *corev1.Node) *corev1.NodeCondition {
	for i := range n.Status.Conditions {
		if n.Status.Conditions[i].Type == corev1.NodeReady {
			return &n.Status.Conditions[i]
		}
	}
	return nil
}

// controlPlaneComponents are the static pods that kubeadm writes, by their
// component label.
var controlPlaneComponents = []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"}

// waitControlPlanePods waits until one pod of every component is Ready.
func waitControlPlanePods(ctx context.Context, client klient.Client) error {
	pods := &corev1.PodList{}
	selector := resources.WithLabelSelector("component in (" + strings.Join(controlPlaneComponents, ",") + ")")
	ready := func(o k8s.Object) bool {
		pod, ok := o.(*corev1.Pod)
		if !ok {
			return false
		}
		for _, c := range pod.Status.Conditions {
			if c.Type == corev1.PodReady {
				return c.Status == corev1.ConditionTrue
			}
		}
		return false
	}
	err := wait.For(
		conditions.New(client.Resources("kube-system")).
			ResourceListMatchN(pods, len(controlPlaneComponents), ready, selector),
		wait.WithContext(ctx),
		wait.WithTimeout(readyTimeout),
		wait.WithInterval(pollInterval),
		wait.WithImmediate(),
	)
	if err != nil {
		return fmt.Errorf(
			"the pods of the control plane (%s) were not Ready within %v: %w",
			strings.Join(controlPlaneComponents, ", "),
			readyTimeout,
			because(ctx, err),
		)
	}
	return nil
}
