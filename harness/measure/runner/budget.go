package runner

import (
	"context"
	"fmt"
	"net/http"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const (
	counting   = 30 * time.Second
	countEvery = 200 * time.Millisecond
)

func (s *ongoing) createBudget(ctx context.Context, number int) error {
	budget := &policyv1.PodDisruptionBudget{ObjectMeta: s.meta(s.budgetName(number), nil)}
	if s.Trial.Budget != nil {
		budget.Spec = *s.Trial.Budget.DeepCopy()
	}
	if budget.Spec.MinAvailable == nil {
		budget.Spec.MinAvailable = new(intstr.FromInt32(1))
	}
	budget.Spec.Selector = &metav1.LabelSelector{MatchLabels: s.budgetLabels()}
	request := s.budgetRequest(http.MethodPost, number)
	request.Name, request.Body = "", budget
	if err := s.on.Do(ctx, request); err != nil {
		return fmt.Errorf("create the disruption budget of pod %s: %w", budget.Name, err)
	}
	s.undo = append(s.undo, func(ctx context.Context) error {
		_ = s.on.Do(ctx, s.budgetRequest(http.MethodDelete, number)) // else the namespace's deletion removes it
		return nil
	})
	return nil
}

func (s *ongoing) budgetName(number int) string {
	if number == 0 {
		return s.Name("")
	}
	return s.Name(fmt.Sprintf("budget-%d", number))
}

func (s *ongoing) budgetRequest(method string, number int) Request {
	return Request{
		Method: method, Resource: "poddisruptionbudgets", Namespace: s.Namespace, Name: s.budgetName(number),
	}
}

// awaitBudget waits until the disruption controller has counted the pod for its only budget. Before, nothing protects
// it. Of several budgets the controller counts the pod for one (disruption.go getPdbForPod), and the API server refuses
// an eviction without a look at their counts (storage/eviction.go Create).
func (s *ongoing) awaitBudget(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, counting)
	defer cancel()
	for {
		budget := &policyv1.PodDisruptionBudget{}
		request := s.budgetRequest(http.MethodGet, 0)
		request.Into = budget
		err := s.on.Do(ctx, request)
		counted := budget.Status.ObservedGeneration == budget.Generation && budget.Status.CurrentHealthy > 0
		switch {
		case err == nil && counted:
			return ""
		case apierrors.IsForbidden(err):
			return err.Error()
		}
		if err = s.on.Sleep(ctx, s.on.Now().Add(countEvery)); err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return fmt.Sprintf("waited %v until the disruption budget %s counts its pod: %v", counting, s.Name(""), err)
		}
	}
}
