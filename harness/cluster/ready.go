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

// waitReady waits until every node is Ready. When that fails the error says
// which node is not, what it says about itself and what its kubelet logged.
func waitReady(ctx context.Context, client klient.Client, all []nodes.Node) error {
	return waitReadyWithin(ctx, client, all, readyTimeout)
}

func waitReadyWithin(ctx context.Context, client klient.Client, all []nodes.Node, limit time.Duration) error {
	list := &corev1.NodeList{}
	err := wait.For(conditions.New(client.Resources()).ResourceListMatchN(list, len(all), isReady),
		wait.WithContext(ctx), wait.WithTimeout(limit), wait.WithInterval(pollInterval), wait.WithImmediate())
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("waiting for its nodes to be Ready: %w", context.Cause(ctx))
	}
	// The context ends with the caller's, not with the wait that just failed.
	ctx, cancel := context.WithTimeout(ctx, diagnoseTimeout)
	defer cancel()
	return fmt.Errorf("not every node was Ready within %v: %w", limit, errors.Join(err, notReady(ctx, list.Items, all)))
}

// notReady names the nodes that are not Ready, and why.
func notReady(ctx context.Context, known []corev1.Node, all []nodes.Node) error {
	var errs []error
	for _, n := range all {
		why := "its kubelet never registered it with the API server"
		for i := range known {
			if known[i].Name == n.String() {
				why = whyNotReady(&known[i])
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

func isReady(o k8s.Object) bool {
	n, ok := o.(*corev1.Node)
	return ok && whyNotReady(n) == ""
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
	err := wait.For(conditions.New(client.Resources("kube-system")).ResourceListMatchN(pods, len(controlPlaneComponents), ready, selector),
		wait.WithContext(ctx), wait.WithTimeout(readyTimeout), wait.WithInterval(pollInterval), wait.WithImmediate())
	if err != nil {
		return fmt.Errorf("the pods of the control plane (%s) were not Ready within %v: %w", strings.Join(controlPlaneComponents, ", "), readyTimeout, because(ctx, err))
	}
	return nil
}
