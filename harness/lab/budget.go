package lab

import (
	"context"
	"fmt"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/wait"
)

// createBudget makes a disruption budget that allows no eviction of the trial's pod.
func (e *experiment) createBudget(ctx context.Context) error {
	all := intstr.FromInt32(1)
	name := e.deployment.Name("")
	budget := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.lab.options.Namespace},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: &all, Selector: &metav1.LabelSelector{MatchLabels: e.deployment.BudgetLabels()},
		},
	}
	budgets := e.lab.client.PolicyV1().PodDisruptionBudgets(budget.Namespace)
	err := e.lab.persist(ctx, "create the disruption budget of pod "+name, func(ctx context.Context) error {
		_, err := budgets.Create(ctx, budget, metav1.CreateOptions{})
		return err
	})
	if err != nil {
		return err
	}
	e.undo = append(e.undo, func(ctx context.Context) error {
		if err := budgets.Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !isNotFound(err) {
			e.lab.say("delete the disruption budget %s: %v", name, err)
		}
		return nil
	})
	return nil
}

// counting bounds the wait for the disruption controller.
const counting = 30 * time.Second

// awaitBudget waits until the disruption controller has counted the pod: before, or while the API shows the
// pod as pending, nothing protects it.
func (e *experiment) awaitBudget(ctx context.Context) string {
	name := e.deployment.Name("")
	err := wait.PollUntilContextTimeout(ctx, lookEvery, counting, true, func(ctx context.Context) (bool, error) {
		b, err := e.lab.client.PolicyV1().
			PodDisruptionBudgets(e.lab.options.Namespace).
			Get(ctx, name, metav1.GetOptions{})
		return err == nil && b.Status.ObservedGeneration == b.Generation && b.Status.CurrentHealthy > 0, nil
	})
	if err != nil {
		return fmt.Sprintf("waited %v until the disruption budget %s counts its pod: %v", counting, name, err)
	}
	return ""
}
