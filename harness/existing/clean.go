package existing

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/podclock/podclock/harness/lab"
)

// Left is what runs left in a cluster.
type Left struct {
	// Namespaces have no recorder that runs. InUse have one: a run is under way, or has ended in the last minutes.
	Namespaces, InUse []string
	priorityClass     bool
	cluster           *Cluster
}

// ToRemove describes what Remove deletes.
func (l Left) ToRemove(all bool) (objects []string) {
	for _, name := range l.spaces(all) {
		objects = append(objects, "namespace "+name)
	}
	if l.unusedClass(all) {
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

func (l Left) unusedClass(all bool) bool { return l.priorityClass && (all || len(l.InUse) == 0) }

// FindLeft finds what runs left. It only reads.
func FindLeft(ctx context.Context, o Options) (Left, error) {
	c, err := o.connect()
	if err != nil {
		return Left{}, err
	}
	l := Left{cluster: c}
	spaces, err := c.client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{LabelSelector: lab.Label})
	if err != nil {
		return l, fmt.Errorf("list podclock's namespaces of context %s: %w", c.Context, err)
	}
	for _, ns := range spaces.Items {
		recorders, err := c.client.CoreV1().Pods(ns.Name).List(ctx, metav1.ListOptions{
			LabelSelector: lab.RecorderLabel, FieldSelector: "status.phase=" + string(corev1.PodRunning),
		})
		if err != nil {
			return l, fmt.Errorf("list the recorders of namespace %s: %w", ns.Name, err)
		}
		if len(recorders.Items) > 0 {
			l.InUse = append(l.InUse, ns.Name)
		} else {
			l.Namespaces = append(l.Namespaces, ns.Name)
		}
	}
	_, err = c.client.SchedulingV1().PriorityClasses().Get(ctx, lab.LowestPriority, metav1.GetOptions{})
	switch l.priorityClass = err == nil; {
	case err == nil, apierrors.IsNotFound(err), apierrors.IsForbidden(err): // without the right, it stays
		return l, nil
	}
	return l, fmt.Errorf("get priority class %s: %w", lab.LowestPriority, err)
}

// Context is the name of the kubeconfig's context.
func (l Left) Context() string { return l.cluster.Context }

// Remove deletes what no run uses, and the namespaces in use as well if all is true.
func (l Left) Remove(ctx context.Context, all bool) error {
	for _, name := range l.spaces(all) {
		err := l.cluster.client.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete namespace %s: %w", name, err)
		}
	}
	if !l.unusedClass(all) {
		return nil
	}
	err := l.cluster.client.SchedulingV1().PriorityClasses().Delete(ctx, lab.LowestPriority, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete priority class %s: %w", lab.LowestPriority, err)
	}
	return nil
}
