package api

import (
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
)

// Budget makes a disruption budget in every namespace that requires all pods with these labels to be available.
func (s *Server) Budget(selector map[string]string) error {
	if len(selector) == 0 {
		return apierrors.NewBadRequest("a disruption budget needs labels of the pods that it protects")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.budgets = append(s.budgets, maps.Clone(selector))
	return nil
}

// countBudgets writes into a namespace's disruption budgets the status that the disruption controller would have
// written.
func (s *Server) countBudgets(namespace string) error {
	s.mu.Lock()
	budgets := s.budgets
	s.mu.Unlock()
	for i, selector := range budgets {
		if err := s.countBudget(namespace, fmt.Sprintf("budget-%d", i), selector); err != nil {
			return fmt.Errorf("count a disruption budget: %w", err)
		}
	}
	return nil
}

func (s *Server) countBudget(namespace, name string, selector map[string]string) error {
	client := s.own.client.PolicyV1().PodDisruptionBudgets(namespace)
	budget, err := client.Get(s.ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		all := intstr.FromString("100%")
		budget, err = client.Create(s.ctx, &policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
			Spec: policyv1.PodDisruptionBudgetSpec{
				MinAvailable: &all,
				Selector:     &metav1.LabelSelector{MatchLabels: selector},
			},
		}, metav1.CreateOptions{})
	}
	if err != nil {
		return err
	}
	pods, err := s.pods.list(namespace, metav1.ListOptions{LabelSelector: labels.SelectorFromSet(selector).String()})
	if err != nil {
		return err
	}
	budget.Status = policyv1.PodDisruptionBudgetStatus{ObservedGeneration: budget.Generation}
	for i := range pods.Items {
		switch pod := &pods.Items[i]; {
		case pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed:
			continue
		case podutil.IsPodReady(pod) && pod.DeletionTimestamp == nil:
			budget.Status.CurrentHealthy++
		}
		budget.Status.ExpectedPods++
		budget.Status.DesiredHealthy++
	}
	_, err = client.UpdateStatus(s.ctx, budget, metav1.UpdateOptions{})
	return err
}
