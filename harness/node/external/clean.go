package external

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/podclock/podclock/harness/node/lab"
)

// Left is what runs left in a cluster.
type Left struct {
	// Namespaces have no recorder that runs. InUse have one: a run is under way, or has ended in the last minutes.
	Namespaces, InUse []string
	// Ending are namespaces that are being deleted. Kept are those that wait, each with what it waits for.
	Ending, Kept []string
	// Tainted are nodes with a taint of a trial.
	Tainted       []string
	priorityClass bool
	cluster       *Cluster
}

// ToRemove describes what Remove deletes, in order.
func (l Left) ToRemove(all bool) (objects []string) {
	for _, name := range l.tainted(all) {
		objects = append(objects, "the taint of node "+name)
	}
	for _, name := range l.spaces(all) {
		objects = append(objects, "namespace "+name)
	}
	if l.priorityClass && l.unused(all) {
		objects = append(objects, "priority class "+lab.LowestPriority)
	}
	return objects
}

func (l Left) spaces(all bool) []string {
	if all {
		return slices.Concat(l.Namespaces, l.InUse)
	}
	return l.Namespaces
}

func (l Left) tainted(all bool) []string {
	if l.unused(all) {
		return l.Tainted
	}
	return nil
}

// unused reports whether what all runs share can go.
func (l Left) unused(all bool) bool { return all || len(l.InUse) == 0 }

// FindLeft finds what runs left. It only reads.
func FindLeft(ctx context.Context, o Options) (Left, error) {
	c, err := o.connect()
	if err != nil {
		return Left{}, err
	}
	return c.left(ctx)
}

func (c *Cluster) left(ctx context.Context) (Left, error) {
	l := Left{cluster: c}
	spaces := &corev1.NamespaceList{}
	if err := c.client.List(ctx, spaces, client.MatchingLabels(lab.Owned())); err != nil {
		return l, fmt.Errorf("list podclock's namespaces of context %s: %w", c.Context, c.explain(err))
	}
	for _, ns := range spaces.Items {
		if ns.DeletionTimestamp != nil {
			if why := waitsFor(ns); why != "" {
				l.Kept = append(l.Kept, ns.Name+" waits: "+why)
			} else {
				l.Ending = append(l.Ending, ns.Name)
			}
			continue
		}
		recorders := &corev1.PodList{}
		err := c.client.List(ctx, recorders, client.InNamespace(ns.Name), client.MatchingLabels(lab.Recorders()),
			client.MatchingFields{"status.phase": string(corev1.PodRunning)})
		if err != nil {
			return l, fmt.Errorf("list the recorders of namespace %s: %w", ns.Name, c.explain(err))
		}
		if len(recorders.Items) > 0 {
			l.InUse = append(l.InUse, ns.Name)
		} else {
			l.Namespaces = append(l.Namespaces, ns.Name)
		}
	}
	nodes := &corev1.NodeList{}
	if err := c.client.List(ctx, nodes); err != nil {
		return l, fmt.Errorf("list the nodes of context %s: %w", c.Context, c.explain(err))
	}
	for _, n := range nodes.Items {
		if slices.ContainsFunc(n.Spec.Taints, ours) {
			l.Tainted = append(l.Tainted, n.Name)
		}
	}
	err := c.client.Get(ctx, client.ObjectKey{Name: lab.LowestPriority}, &schedulingv1.PriorityClass{})
	switch l.priorityClass = err == nil; {
	case err == nil, apierrors.IsNotFound(err), apierrors.IsForbidden(err): // without the right, it stays
		return l, nil
	}
	return l, fmt.Errorf("get priority class %s: %w", lab.LowestPriority, c.explain(err))
}

// waitsFor returns what keeps a namespace that is being deleted: what its controller reports, and its own finalizers.
func waitsFor(ns corev1.Namespace) string {
	var all []string
	for _, c := range ns.Status.Conditions {
		if c.Status == corev1.ConditionTrue {
			all = append(all, c.Message)
		}
	}
	if len(ns.Finalizers) > 0 {
		all = append(all, "it has the finalizer "+strings.Join(ns.Finalizers, ", "))
	}
	return strings.Join(all, "; ")
}

// Context is the name of the kubeconfig's context.
func (l Left) Context() string { return l.cluster.Context }

// Remove deletes what no run uses, and the namespaces in use as well if all is true.
func (l Left) Remove(ctx context.Context, all bool) error {
	for _, name := range l.tainted(all) {
		if err := l.cluster.untaint(ctx, name); err != nil {
			return fmt.Errorf("remove the taints of trials from node %s: %w", name, l.cluster.explain(err))
		}
	}
	for _, name := range l.spaces(all) {
		err := l.cluster.client.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete namespace %s: %w", name, l.cluster.explain(err))
		}
	}
	if !l.priorityClass || !l.unused(all) {
		return nil
	}
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: lab.LowestPriority}}
	err := l.cluster.client.Delete(ctx, class)
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete priority class %s: %w", lab.LowestPriority, l.cluster.explain(err))
	}
	return nil
}

func (c *Cluster) untaint(ctx context.Context, node string) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		n := &corev1.Node{}
		if err := c.client.Get(ctx, client.ObjectKey{Name: node}, n); err != nil {
			return err
		}
		n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, ours)
		return c.client.Update(ctx, n)
	})
}
