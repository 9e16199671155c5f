package lab

import (
	"cmp"
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/e2e-framework/klient/k8s/resources"
	"sigs.k8s.io/e2e-framework/klient/wait"

	"github.com/podclock/podclock/fixtures"
	"github.com/podclock/podclock/harness/measure/victim"
)

const (
	persistence = 30 * time.Second
	// askEvery is the pause before a request is made again.
	askEvery = 500 * time.Millisecond
	// longestAway is how long the API server may not answer before the run ends.
	longestAway = 60 * time.Second
	// accountWithin is how long the controller manager may take to create a namespace's service account.
	accountWithin = 2 * time.Minute
)

// Persist makes a request until it succeeds, is refused for good, or persistence is over.
func Persist(ctx context.Context, request func(context.Context) error) error {
	var last error
	try := func(ctx context.Context) (bool, error) {
		if last = request(ctx); last != nil && refused(last) {
			return false, last
		}
		return last == nil, nil
	}
	err := wait.For(try, wait.WithContext(ctx), wait.WithTimeout(persistence), wait.WithInterval(askEvery),
		wait.WithImmediate())
	if err != nil {
		return cmp.Or(last, err)
	}
	return nil
}

// persist adds the request's name to the error.
func (l *site) persist(ctx context.Context, what string, request func(context.Context) error) error {
	if err := Persist(ctx, request); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// refused reports whether a further try can't help.
func refused(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsAlreadyExists(err) ||
		apierrors.IsForbidden(err)
}

const component = "app.kubernetes.io/component"

// Owned returns the labels of everything that podclock creates.
func Owned() map[string]string { return map[string]string{victim.PartOf: "podclock"} }

// Recorders returns the labels that only recorders have.
func Recorders() map[string]string { return map[string]string{component: "recorder"} }

// createNamespace creates the namespace on nodes of others. In podclock's own cluster it exists.
func (l *site) createNamespace(ctx context.Context) error {
	if !l.options.External {
		return nil
	}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: l.options.Namespace, Labels: Owned()}}
	ns.Labels["pod-security.kubernetes.io/enforce"] = l.options.Security
	return l.persist(ctx, "create namespace "+ns.Name, func(ctx context.Context) error {
		return l.client.Create(ctx, ns)
	})
}

// awaitServiceAccount waits for the namespace's service account. The API server refuses all pods before.
func (l *site) awaitServiceAccount(ctx context.Context) error {
	const name = "default"
	var last error
	try := func(ctx context.Context) (bool, error) {
		last = l.client.Get(ctx, name, l.options.Namespace, &corev1.ServiceAccount{})
		return last == nil, nil
	}
	err := wait.For(try, wait.WithContext(ctx), wait.WithTimeout(accountWithin), wait.WithInterval(askEvery),
		wait.WithImmediate())
	if err != nil {
		return fmt.Errorf("namespace %s: its service account %s did not come within %v (%w); see the log of "+
			"kube-controller-manager", l.options.Namespace, name, accountWithin, cmp.Or(last, err))
	}
	return nil
}

// deleteLeftNamespaces deletes what a killed run left on a kept cluster: its recorders hold this run's ports. It does
// not wait, because a recorder waits for its ports.
func (l *site) deleteLeftNamespaces(ctx context.Context) error {
	for _, name := range l.options.Left {
		if err := l.deleteNamespace(ctx, name); err != nil {
			return err
		}
	}
	if l.options.External {
		return nil // another run may be under way, and no port is shared
	}
	return l.persist(ctx, "delete the namespaces of earlier runs", func(ctx context.Context) error {
		left := &corev1.NamespaceList{}
		if err := l.client.List(ctx, left, resources.WithLabelSelector(labels.FormatLabels(Owned()))); err != nil {
			return err
		}
		for _, ns := range left.Items {
			if ns.Name == l.options.Namespace {
				continue
			}
			if err := l.deleteNamespace(ctx, ns.Name); err != nil {
				return err
			}
		}
		return nil
	})
}

func (l *site) createPriorityClasses(ctx context.Context) error {
	for _, class := range fixtures.PriorityClasses() {
		err := l.persist(ctx, "create priority class "+class.Name, func(ctx context.Context) error {
			err := l.client.Create(ctx, class)
			if apierrors.IsAlreadyExists(err) { // an earlier run on a kept cluster made it
				return nil
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *site) deleteNamespace(ctx context.Context, name string) error {
	err := l.client.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete namespace %s: %w", name, err)
	}
	return nil
}
